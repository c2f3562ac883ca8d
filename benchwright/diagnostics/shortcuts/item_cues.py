"""The cues of one item: measures of its options that ignore the content on which they must be compared.

Every cue has a family, and a name within it. A cue of options has a value for each option, or None if it cannot be
measured. A cue of an item has one value; it can help only if many items have the same texts as options, such as `Yes`
and `No`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from math import hypot, log
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.records import Item

from .option_marks import OptionMarks, Place, box_cues, option_marks, place_of, position_cues, reference_cues
from .picture_facts import PictureTraits, with_detail, with_detail_beside
from .text_rules import kinship, lengths, odd_form, word_sets

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_NAMES_A_PICTURE = re.compile(
    rf"\s*(?:the\s+)?(?:({'|'.join(_ORDINALS)})\s+(?:image|picture)|<?image\s+(\d)>?)\s*\.?\s*", re.IGNORECASE
)
_BYTES = re.compile(r"file\.(bytes|bytes_per_pixel)_((?:of|between)_picture.*)")
_ENCODING = re.compile(r"file\.(?:format|jpeg_\w+|metadata_bytes)_of_picture")
_MOST_PICTURES = 2
"""Largest number of an item's pictures whose own cues are measured, counted from the first."""

Values = list[float | None]
FactsOf = Callable[[str, bool], PictureTraits]
"""Function from a picture's id, and whether its pixels are needed, to the facts about the picture."""


class ItemCues(NamedTuple):
    """The cues of one item.

    Args:
        item_id: Id of the item.
        task: Its task.
        right: Index of the right option.
        question: Its question.
        texts: Texts of the options; None for an option that is a picture.
        of_options: Values of each cue of options, by `family.name`: one per option.
        of_item: Value of each cue of the item, by `family.name`.
        places: Position of each option's mark, as proportions of the picture's sides; empty if fewer than two have
            marks.
        reference: Position of the reference's mark; None if there is none.
    """

    item_id: str
    task: str
    right: int
    question: str
    texts: tuple[str | None, ...]
    of_options: Mapping[str, Values]
    of_item: Mapping[str, float | None]
    places: tuple[Place | None, ...] = ()
    reference: Place | None = None

    def to_text(self) -> str:
        """Return the cues as JSON, with numbers to six digits."""
        document = self._asdict()
        document["of_options"] = {name: [_short(value) for value in row] for name, row in self.of_options.items()}
        document["of_item"] = {name: _short(value) for name, value in self.of_item.items()}
        return canonical_json(document)

    @classmethod
    def from_text(cls, text: str) -> ItemCues:
        """Return cues from the text that `to_text` returned."""
        document: dict[str, Any] = json.loads(text)
        for name in ("texts", "places"):
            document[name] = tuple(None if entry is None else _tupled(entry) for entry in document[name])
        if document["reference"] is not None:
            document["reference"] = _tupled(document["reference"])
        return cls(**document)


def _tupled(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def among_answers(item: Item) -> Item | None:
    """Return an item without the refusal choice; its options keep their letters. None if no remaining option is right.

    The refusal choice is recognizable by its words, which are the same in all items of a set, and whether to decline
    does not depend on one item: `wording_bias` reports the score of a solver that always or never declines in a set.
    """
    if item.answered_key is None or item.refusal is None:
        return None if item.answered_key is None else item
    answers = tuple(choice for choice in item.choices if choice.key != item.refusal)
    return item.model_copy(update={"choices": answers, "refusal": None})


def cues_of_item(item: Item, facts_of: FactsOf | None) -> ItemCues | None:
    """Return the cues of an item, for the options that answer it; None if no such option is right.

    Args:
        item: The item.
        facts_of: Function that returns the facts about a picture. It needs pixels only if options are pictures, or if
            the pictures of the item can distinguish its options because these have no marks. None measures only words
            and letters.

    Raises:
        UnreadableImage: A picture cannot be read.
    """
    answerable = among_answers(item)
    if answerable is None:
        return None
    item = answerable
    of_options: dict[str, Values] = {}
    of_item: dict[str, float | None] = {"question.length": float(len(item.question))}
    texts = [choice.text for choice in item.choices]
    pictures = option_pictures_of(item)
    marks = option_marks(item)
    places: list[Place | None] = []
    reference: Place | None = None
    if facts_of is not None:
        if marks is not None:
            places, reference = _mark_cues(marks, facts_of, of_options, of_item)
        if pictures:
            others = [image.image_id for image in item.images if image.image_id not in pictures]
            _add_option_pictures(pictures, others, facts_of, of_options)
        elif marks is None:
            of_item |= _item_pictures([image.image_id for image in item.images[:_MOST_PICTURES]], facts_of)
    if marks is None and not pictures and all(text is not None for text in texts):
        of_options |= _text_cues(item.question, [str(text) for text in texts])
    return ItemCues(
        item.item_id,
        item.task,
        [choice.key for choice in item.choices].index(str(item.answer)),
        item.question,
        tuple(texts),
        of_options,
        of_item,
        tuple(places),
        reference,
    )


def with_detail_of_pictures(items: Sequence[ItemCues]) -> list[ItemCues]:
    """Return the cues of a task's items, with bytes of their pictures as detail if all files are encoded alike.

    As for options (`picture_facts.with_detail`), bytes then grow with what a picture shows, and belong to the family
    `pixels`; sizes remain cues of the file.
    """
    encodings: dict[str, set[float | None]] = {}
    for item in items:
        for name, value in item.of_item.items():
            if _ENCODING.match(name):
                encodings.setdefault(name, set()).add(value)
    if not encodings or any(len(values) > 1 for values in encodings.values()):
        return list(items)
    return [
        item._replace(of_item={_BYTES.sub(r"pixels.detail_\1_\2", name): value for name, value in item.of_item.items()})
        for item in items
    ]


def word_cues(item: Item) -> ItemCues:
    """Return the cues of all options of an item with a right option, refusal choice included, from words alone.

    Options that are pictures have only letters as cues.
    """
    texts = [choice.text for choice in item.choices]
    words = [text for text in texts if text is not None]
    return ItemCues(
        item.item_id,
        item.task,
        [choice.key for choice in item.choices].index(str(item.right_key)),
        item.question,
        tuple(texts),
        _text_cues(item.question, words) if len(words) == len(texts) else {},
        {},
    )


def option_pictures_of(item: Item) -> list[str]:
    """Return the picture of each option, shown as the option or named in its text; empty if an option has none."""
    shown = [image.image_id for image in item.images]
    pictures = []
    for choice in item.choices:
        picture = choice.image_id
        if picture is None and (named := _NAMES_A_PICTURE.fullmatch(choice.text or "")) is not None:
            number = int(named[2]) if named[2] else _ORDINALS.index(named[1].lower()) + 1
            picture = shown[number - 1] if 0 < number <= len(shown) else None
        if picture is None or picture in pictures:
            return []
        pictures.append(picture)
    return pictures


def _mark_cues(
    marks: OptionMarks, facts_of: FactsOf, of_options: dict[str, Values], of_item: dict[str, float | None]
) -> tuple[list[Place | None], Place | None]:
    """Add the cues of marks, and return the positions of the options' marks and of the reference's mark."""
    facts = [None if prompt is None else facts_of(prompt.image_id, False) for prompt in marks.options]
    places = [
        None if prompt is None or of_picture is None else place_of(prompt, of_picture)
        for prompt, of_picture in zip(marks.options, facts, strict=True)
    ]
    _add(of_options, "position", position_cues(places))
    _add(of_options, "box", box_cues(marks.options, facts))
    if len(places) > sum(place is not None for place in places) == 2:
        first, second = (place for place in places if place is not None)
        of_item["position.apart"] = hypot(first[0] - second[0], first[1] - second[1])
    reference = None
    if marks.reference is not None:
        reference = place_of(marks.reference, facts_of(marks.reference.image_id, False))
        _add(of_options, "reference_position", reference_cues(places, reference))
    return places, reference


def _add_option_pictures(
    pictures: Sequence[str], others: Sequence[str], facts_of: FactsOf, of_options: dict[str, Values]
) -> None:
    """Add the cues of options that are pictures, alone and relative to the first picture that is not an option."""
    measured = [facts_of(picture, True) for picture in pictures]
    facts = with_detail(measured)
    _add(of_options, "file", _columns([each.file for each in facts]))
    _add(of_options, "pixels", _columns([each.pixels for each in facts]))
    if others:
        *facts, shown = with_detail_beside(measured, facts_of(others[0], True))
        _add(of_options, "reference_file", _columns([_differences(each.file, shown.file) for each in facts]))
        _add(of_options, "reference_pixels", _columns([_differences(each.pixels, shown.pixels) for each in facts]))


def _item_pictures(pictures: Sequence[str], facts_of: FactsOf) -> dict[str, float | None]:
    """Return the cues of an item's pictures, and of the differences between the first two."""
    facts = [facts_of(picture, True) for picture in pictures]
    cues: dict[str, float | None] = {}
    for number, each in enumerate(facts, start=1):
        cues |= {f"file.{name}_of_picture_{number}": value for name, value in each.file.items()}
        cues |= {f"pixels.{name}_of_picture_{number}": value for name, value in each.pixels.items()}
    if len(facts) == 2:
        for family, (first, second) in {
            "file": (facts[0].file, facts[1].file),
            "pixels": (facts[0].pixels, facts[1].pixels),
        }.items():
            cues |= {f"{family}.{name}_between_pictures": value for name, value in _ratios(first, second).items()}
    return cues


def _ratios(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return, for each measure, the logarithm of the ratio of its values in two pictures."""
    return {
        name: None if value is None or (other := second[name]) is None else log((value + 1e-6) / (other + 1e-6))
        for name, value in first.items()
    }


def _differences(first: Mapping[str, float | None], second: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return, for each measure, the absolute logarithm of the ratio of its values in two pictures."""
    return {name: value and abs(value) for name, value in _ratios(first, second).items()}


def _text_cues(question: str, texts: Sequence[str]) -> dict[str, Values]:
    words, asked = word_sets(texts), word_sets([question])[0]
    cues: dict[str, Values] = {
        "text.length": [*map(float, lengths(texts))],
        "text.words": [float(len(text.split())) for text in texts],
        "text.in_question": [len(asked & own) / max(1, len(own)) for own in words],
        "text.like_others": list(kinship(texts)),
        "text.form": list(odd_form(question, texts)),
    }
    numbers = [_number(text) for text in texts]
    if all(number is not None for number in numbers):
        cues["number.value"] = numbers
        cues["number.roundness"] = [float(number is not None and number % 5 == 0) for number in numbers]
    return cues


def _number(text: str) -> float | None:
    word = text.strip().lower()
    if word in _NUMBER_WORDS:
        return float(_NUMBER_WORDS.index(word))
    return float(word) if _NUMBER.fullmatch(word) else None


def _columns(rows: Sequence[Mapping[str, float | None]]) -> dict[str, Values]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _add(cues: dict[str, Values], family: str, values: Mapping[str, Values]) -> None:
    """Add cues that have a value for at least one option."""
    cues |= {f"{family}.{name}": row for name, row in values.items() if any(value is not None for value in row)}
