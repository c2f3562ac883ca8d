"""The kinds of faults that `planted_faults.py` plants, and the findings that are right for each.

A fault of single items is planted into items without any other such fault, drawn by a seed; a cue is planted into all
items of one task, before the faults. `expects` lists kinds of findings, one of which has to name all items of a planted
place; `may` lists further kinds that may rightly name them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import faults_to_plant as plant
from clean_items import Row
from faults_to_plant import Bench, Plant
from PIL import ImageEnhance, ImageFilter

Pairing = Literal["across splits", "within a split"]
ACROSS: Pairing = "across splits"
WITHIN: Pairing = "within a split"


@dataclass(frozen=True)
class Fault:
    """A fault of single items, or of two together.

    Args:
        name: Name in the table.
        plant: Function that plants it into the rows of one place.
        expects: Kinds of findings that are right.
        may: Kinds of findings that may rightly occur as well.
        places: Number of places.
        pair: Required relation of two rows; None for single rows.
        fits: Function that returns whether it suits a row; None for any row.
    """

    name: str
    plant: Plant
    expects: frozenset[str]
    may: frozenset[str]
    places: int = 6
    pair: Pairing | None = None
    fits: Callable[[Row], bool] | None = None

    def suits(self, row: Row) -> bool:
        """Return whether it can be planted into a row."""
        return self.fits is None or self.fits(row)


@dataclass(frozen=True)
class Cue:
    """A cue that reveals keys of a task; `expects` and `may` are kinds of findings about that task."""

    name: str
    task: str
    plant: Callable[[Bench, Row], None]
    expects: frozenset[str]
    may: frozenset[str]


@dataclass(frozen=True)
class Planted:
    """A fault at one place: the affected items, by the audit's ids; a cue has its task instead."""

    fault: str
    expects: frozenset[str]
    may: frozenset[str]
    items: tuple[str, ...] = ()
    task: str | None = None


def _fault(name: str, planting: Plant, expects: str, may: str = "", **more: Any) -> Fault:
    return Fault(name, planting, frozenset(expects.split()), frozenset(may.split()), **more)


def _across(name: str, change: str | None, may: str = "", **options: Any) -> Fault:
    kind = "duplicate_picture_across_splits"
    return _fault(f"copy across splits: {name}", plant.copied(change, **options), kind, may, pair=ACROSS)


def _within(name: str, change: str | None, may: str = "") -> Fault:
    return _fault(f"copy within a split: {name}", plant.copied(change), "duplicate_picture", may, pair=WITHIN)


def _cue(name: str, task: str, planting: Callable[[Bench, Row], None], expects: str, may: str) -> Cue:
    return Cue(name, task, planting, frozenset(expects.split()), frozenset(may.split()))


_POOR = (
    "too_small_picture blurred_picture heavy_compression_picture blocky_picture too_long_picture mostly_frame_picture"
)
_DISPUTED = "suspected_key ambiguous_item"
_DARK = plant.changed(lambda image: ImageEnhance.Brightness(image).enhance(0.1))
_BLURRED = plant.changed(lambda image: image.filter(ImageFilter.GaussianBlur(max(image.size) / 60)))
_TINY = plant.changed(lambda image: image.resize((64, 48)))
_LONG = plant.changed(lambda image: image.resize((1260, 210)))
_CRUSHED = plant.changed(lambda image: image, quality=3)
_TAKEN, _PERHAPS_TAKEN = "duplicate_in_other_collection", "similar_in_other_collection"

FAULTS: tuple[Fault, ...] = (
    _fault("wrong key", plant.flip_key, "suspected_key", "ambiguous_item", places=25),
    _fault("wrong key, and an explanation of the right one", plant.contradict_explanation,
           "explanation_contradicts_key", _DISPUTED, places=4),
    _fault("missing key", plant.drop_key, "missing_key"),
    _across("equal file", None),
    _across("saved again as WebP", "", end=".webp", quality=80),
    _across("half the size", "resize 50 %", _POOR),
    _across("JPEG quality 20", "JPEG 20", _POOR),
    _across("5 % cut off", "crop 5 %", _POOR),
    _across("15 % cut off", "crop 15 %", _POOR),
    _across("other colors", "color"),
    _across("caption added", "caption strip"),
    _across("mirrored", "mirror"),
    _across("turned by 90 degrees", "rotate 90"),
    _within("equal file", None),
    _within("half the size", "resize 50 %", _POOR),
    _fault("question repeated", plant.ask_again, "repeated_question", pair=WITHIN),
    _fault("question repeated about a copy", plant.ask_again_about_a_copy, "repeated_question",
           f"duplicate_picture_across_splits {_POOR}", pair=ACROSS),
    _fault("question repeated with another key", plant.ask_again_with_another_key, "contradicting_keys", _DISPUTED,
           pair=WITHIN),
    _fault("question repeated, a few words added", plant.reword_lightly, "nearly_repeated_question", pair=WITHIN,
           fits=plant.is_written),
    _fault("question repeated in other words", plant.reword_freely, "nearly_repeated_question", pair=WITHIN,
           fits=plant.has_other_wording),
    _fault("wrong option twice", plant.repeat_wrong_option, "repeated_option", fits=plant.is_choice),
    _fault("right option twice, in capitals", plant.repeat_right_option, "repeated_option", fits=plant.is_choice),
    _fault("option twice but for a letter", plant.repeat_option_nearly, "similar_options",
           "misspelled_words words_that_disagree", fits=plant.is_choice),
    _fault("question names its answer", plant.name_answer, "question_names_answer", fits=plant.is_choice),
    _fault("misspelled word", plant.misspell, "misspelled_words"),
    _fault("word twice in a row", plant.double_word, "doubled_word"),
    _fault("question in another language", plant.ask_in_russian, "other_language", places=4),
    _fault("id twice", plant.take_id, "repeated_id", pair=WITHIN),
    _fault("group torn by splits", plant.join_group, "group_across_splits", pair=ACROSS),
    _fault("picture cut off after half its bytes", plant.truncate, "broken_picture"),
    _fault("web page saved as a picture", plant.save_page_as_picture, "broken_picture", places=3),
    _fault("picture missing", plant.lose, "missing_picture"),
    _fault("blank picture", plant.blank, "blank_picture", _POOR),
    _fault("dark picture", _DARK, "too_dark_picture", _POOR),
    _fault("blurred picture", _BLURRED, "blurred_picture", _POOR),
    _fault("tiny picture", _TINY, "too_small_picture", _POOR),
    _fault("picture drawn out to 6:1", _LONG, "too_long_picture", _POOR),
    _fault("JPEG of quality 3", _CRUSHED, "heavy_compression_picture blocky_picture", _POOR),
    _fault("GPS position in the file", plant.located, "gps_position"),
    _fault("owner of the camera in the file", plant.owned, "personal_metadata"),
    _fault("no licence where others have one", plant.licensed(""), "unlicensed_pictures"),
    _fault("licence that forbids passing on", plant.licensed("All rights reserved"), "licence_not_allowed"),
    _fault("picture in another folder: equal file", plant.copy_elsewhere(None), _TAKEN),
    _fault("picture in another folder: 15 % cut off", plant.copy_elsewhere("crop 15 %"), _TAKEN, _PERHAPS_TAKEN),
    _fault("question in another release", plant.release_elsewhere, "question_elsewhere", fits=plant.is_written),
)  # fmt: skip
"""Faults of single items and of pairs, in the order of the table."""

_LEARNED = "guessable_from_text shortcut_forest shortcut_question"
"""Findings of classifiers that see letters, lengths and words of options in addition to other cues."""
CUES: tuple[Cue, ...] = (
    _cue("right option is the longest", "implication", plant.lengthen, "longest_option_is_right",
         f"{_LEARNED} option_in_other_form_is_right odd_option_is_right"),
    _cue("right option under B", "things", plant.move_to_b, "key_letters_uneven", _LEARNED),
    _cue("wrong options that words give away", "leftmost", plant.invent_distractors, "guessable_from_text",
         f"{_LEARNED} typical_option_is_right shortest_option_is_right longest_option_is_right"),
    _cue("light says Yes", "relations", plant.brighten_yes, "shortcut_pixels", f"{_LEARNED} shortcut_file"),
)  # fmt: skip
"""Cues of whole tasks."""


def plant_all(bench: Bench) -> list[Planted]:
    """Plant every cue and every fault and return them; rows and pictures are changed in place.

    Raises:
        ValueError: The set is too small.
    """
    tasks = {row["task"] for row in bench.rows}
    planted = [Planted(cue.name, cue.expects, cue.may, task=cue.task) for cue in CUES if cue.task in tasks]
    for cue in CUES:
        for row in bench.rows:
            if row["task"] == cue.task:
                cue.plant(bench, row)
    free = [bench.rows[place] for place in bench.rng.permutation(len(bench.rows)).tolist()]
    places = {id(row): place for place, row in enumerate(bench.rows)}
    # Faults that few rows suit are planted first, before other faults use up those rows.
    for fault in sorted(FAULTS, key=lambda fault: sum(map(fault.suits, bench.rows))):
        for _ in range(fault.places):
            rows = sorted(_taken(free, fault), key=lambda row: places[id(row)])
            own = [row["id"] for row in rows]
            fault.plant(bench, rows)
            if rows[-1]["id"] != own[-1]:  # the later of two rows with one id
                own[-1] = f"{own[0]} (2)"
            planted.append(Planted(fault.name, fault.expects, fault.may, tuple(own)))
    return planted


def _taken(free: list[Row], fault: Fault) -> list[Row]:
    """Take the first rows that a fault suits out of the free ones."""
    for place, first in enumerate(free):
        if not fault.suits(first):
            continue
        if fault.pair is None:
            return [free.pop(place)]
        for later, second in enumerate(free[place + 1 :], start=place + 1):
            if fault.suits(second) and (first["split"] != second["split"]) == (fault.pair == ACROSS):
                free.pop(later)
                return [free.pop(place), second]
    raise ValueError(f"too few items are left for the fault {fault.name!r}: plant into a larger set")
