"""Planting of faults into rows and their pictures: one function for each fault of `planted_kinds.py`.

Each function changes rows in place, the last one if a fault needs two rows, and gives a changed row a separate picture
file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from clean_items import ASKED, LETTERS, Row
from picture_changes import CHANGES
from PIL import Image, ImageEnhance


@dataclass
class Bench:
    """A set to plant faults in.

    Args:
        folder: Folder that the rows name their pictures in.
        rows: Rows of the set.
        other: Folder of another collection of pictures.
        rng: Generator of all that is drawn.
        chance: Generator for the changes of pictures.
        elsewhere: Rows that another release has too.
        truth: Right letter of each row with a changed or removed key, by id.
    """

    folder: Path
    rows: list[Row]
    other: Path
    rng: np.random.Generator
    chance: random.Random
    elsewhere: list[Row] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)

    def image(self, row: Row) -> Image.Image:
        """Return the picture of a row."""
        with Image.open(self.folder / row["image"]) as opened:
            return opened.convert("RGB")

    def show(self, row: Row, image: Image.Image, end: str = ".jpg", **options: Any) -> None:
        """Give a row a separate picture file in place of its picture."""
        (self.folder / row["image"]).unlink()
        row["image"] = f"images/{row['id']}{end}"
        image.save(self.folder / row["image"], **{"quality": 92, **options})

    def show_bytes(self, row: Row, data: bytes, end: str) -> None:
        """Give a row a separate file in place of its picture."""
        (self.folder / row["image"]).unlink()
        row["image"] = f"images/{row['id']}{end}"
        (self.folder / row["image"]).write_bytes(data)


Plant = Callable[[Bench, Sequence[Row]], None]


def options_of(row: Row) -> list[str]:
    """Return the options of a row, in order."""
    return [row[letter] for letter in LETTERS if row[letter]]


def is_choice(row: Row) -> bool:
    """Return whether a row has more options than Yes and No."""
    return len(options_of(row)) > 2


def is_written(row: Row) -> bool:
    """Return whether a row's options are distinctive words and not labels of rendered things."""
    return row["task"] in ("implication", "details")


def _wrong(row: Row) -> list[str]:
    return [letter for letter in LETTERS if row[letter] and letter != row["answer"]]


def _one_wrong(bench: Bench, row: Row) -> str:
    return str(bench.rng.choice(_wrong(row)))


def _call_another_right(bench: Bench, row: Row) -> None:
    bench.truth[row["id"]] = row["answer"]
    row["answer"] = _one_wrong(bench, row)


# Copies of pictures


def copied(change: str | None, end: str = ".jpg", **options: Any) -> Plant:
    """Return a planting that gives the second row a copy of the first one's picture: its bytes if `change` is None."""

    def plant(bench: Bench, rows: Sequence[Row]) -> None:
        first, second = rows
        if change is None:
            bench.show_bytes(second, (bench.folder / first["image"]).read_bytes(), Path(first["image"]).suffix)
            return
        image = bench.image(first)
        bench.show(second, CHANGES[change](image, bench.chance) if change else image, end, **options)

    return plant


# Questions


def ask_again(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask the first row's question again about its file, with the options in another order."""
    first, second = rows
    (bench.folder / second["image"]).unlink()
    order = bench.rng.permutation(len(options_of(first))).tolist()
    texts = options_of(first)
    right = first[first["answer"]]
    second |= {name: first[name] for name in ("task", "question", "image")} | dict.fromkeys(LETTERS, "")
    second |= {letter: texts[place] for letter, place in zip(LETTERS, order, strict=False)}
    second["answer"] = next(letter for letter in LETTERS if second[letter] == right)
    second["explanation"] = ""


def ask_again_about_a_copy(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask the first row's question again about a copy of its picture."""
    ask_again(bench, rows)
    copy = CHANGES["JPEG 50"](bench.image(rows[0]), bench.chance)
    rows[1]["image"] = f"images/{rows[1]['id']}.jpg"
    copy.save(bench.folder / rows[1]["image"], quality=75)


def ask_again_with_another_key(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask the first row's question again with another key."""
    ask_again(bench, rows)
    _call_another_right(bench, rows[1])


def reword_lightly(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask the first row's question again with a few more words."""
    ask_again(bench, rows)
    question = rows[0]["question"]
    rows[1]["question"] = f"In this picture, {question[0].lower()}{question[1:]}"


def reword_freely(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask the first row's question again in other words, with the same options."""
    ask_again(bench, rows)
    others = [words for words in ASKED[rows[0]["task"]] if words != rows[0]["question"]]
    rows[1]["question"] = str(bench.rng.choice(others))


def has_other_wording(row: Row) -> bool:
    """Return whether there are other words for a row's question."""
    return row["task"] in ("details", "things", "leftmost")


# Keys


def flip_key(bench: Bench, rows: Sequence[Row]) -> None:
    """Key a wrong option."""
    _call_another_right(bench, rows[0])
    rows[0]["explanation"] = ""


def contradict_explanation(bench: Bench, rows: Sequence[Row]) -> None:
    """Key a wrong option, while the explanation names the right one."""
    rows[0]["explanation"] = f"Look closely. The right answer is {rows[0]['answer']}."
    _call_another_right(bench, rows[0])


def drop_key(bench: Bench, rows: Sequence[Row]) -> None:
    """Remove the key."""
    bench.truth[rows[0]["id"]] = rows[0]["answer"]
    rows[0]["answer"] = ""


def take_id(bench: Bench, rows: Sequence[Row]) -> None:
    """Give the second row the id of the first."""
    del bench
    rows[1]["id"] = rows[0]["id"]


def join_group(bench: Bench, rows: Sequence[Row]) -> None:
    """Give the second row the group of the first."""
    del bench
    rows[1]["group"] = rows[0]["group"]


# Options


def repeat_wrong_option(bench: Bench, rows: Sequence[Row]) -> None:
    """State a wrong option twice."""
    first, second = bench.rng.choice(_wrong(rows[0]), 2, replace=False).tolist()
    rows[0][second] = rows[0][first]


def repeat_right_option(bench: Bench, rows: Sequence[Row]) -> None:
    """State the right option again, in capitals, in place of a wrong one."""
    rows[0][_one_wrong(bench, rows[0])] = f"{rows[0][rows[0]['answer']].upper()} "


def repeat_option_nearly(bench: Bench, rows: Sequence[Row]) -> None:
    """State a wrong option twice, with an `s` at the end of one."""
    first, second = bench.rng.choice(_wrong(rows[0]), 2, replace=False).tolist()
    rows[0][second] = rows[0][first].rstrip(".") + "s"


def name_answer(bench: Bench, rows: Sequence[Row]) -> None:
    """Let the question name the right option."""
    del bench
    row = rows[0]
    row["question"] = f"{row['question'].rstrip('?. ')}, other than to show {row[row['answer']].rstrip('.')}?"


# Words


def misspell(bench: Bench, rows: Sequence[Row]) -> None:
    """Swap two letters of the question's longest word."""
    words = rows[0]["question"].split()
    place = max(range(len(words)), key=lambda at: (words[at].isalpha() and words[at].islower(), len(words[at])))
    word = words[place]
    words[place] = word[:1] + word[2] + word[1] + word[3:] if word[1] != word[2] else word[:2] + word[1:]
    rows[0]["question"] = " ".join(words)
    del bench


def double_word(bench: Bench, rows: Sequence[Row]) -> None:
    """Write a word of the question twice."""
    words = rows[0]["question"].split()
    place = next(at for at in range(1, len(words)) if words[at].isalpha())
    rows[0]["question"] = " ".join([*words[: place + 1], *words[place:]])
    del bench


def ask_in_russian(bench: Bench, rows: Sequence[Row]) -> None:
    """Ask in Russian; the options stay."""
    del bench
    rows[0]["question"] = "Что изображено на этой картинке?"


# Pictures


def truncate(bench: Bench, rows: Sequence[Row]) -> None:
    """Cut the picture's file off in the middle."""
    data = (bench.folder / rows[0]["image"]).read_bytes()
    bench.show_bytes(rows[0], data[: len(data) // 2], Path(rows[0]["image"]).suffix)


def save_page_as_picture(bench: Bench, rows: Sequence[Row]) -> None:
    """Put a web page in the picture's place, as failed downloads do."""
    bench.show_bytes(rows[0], b"<!doctype html><title>404</title><p>The picture is gone.</p>", ".jpg")


def lose(bench: Bench, rows: Sequence[Row]) -> None:
    """Delete the picture."""
    (bench.folder / rows[0]["image"]).unlink()


def changed(change: Callable[[Image.Image], Image.Image], **options: Any) -> Plant:
    """Return a planting that changes the picture of a row."""

    def plant(bench: Bench, rows: Sequence[Row]) -> None:
        bench.show(rows[0], change(bench.image(rows[0])), **options)

    return plant


def blank(bench: Bench, rows: Sequence[Row]) -> None:
    """Show a single gray."""
    level = int(bench.rng.integers(0, 256))
    bench.show(rows[0], Image.new("RGB", bench.image(rows[0]).size, (level, level, level)))


def located(bench: Bench, rows: Sequence[Row]) -> None:
    """State in the file where the picture was taken."""
    exif = Image.Exif()
    exif.get_ifd(0x8825).update({1: "N", 2: (51.0, 30.0, 0.0), 3: "W", 4: (0.0, 7.0, 0.0)})
    bench.show(rows[0], bench.image(rows[0]), exif=exif)


def owned(bench: Bench, rows: Sequence[Row]) -> None:
    """State in the file whose camera took it."""
    exif = Image.Exif()
    exif.get_ifd(0x8769).update({0xA430: "Jo Example", 0xA431: "0012345"})
    bench.show(rows[0], bench.image(rows[0]), exif=exif)


def licensed(licence: str) -> Plant:
    """Return a planting that states a license."""

    def plant(bench: Bench, rows: Sequence[Row]) -> None:
        del bench
        rows[0]["licence"] = licence

    return plant


# Elsewhere


def copy_elsewhere(change: str | None) -> Plant:
    """Return a planting that puts a copy of the picture into the other folder: its bytes if `change` is None."""

    def plant(bench: Bench, rows: Sequence[Row]) -> None:
        target = bench.other / f"other-{rows[0]['id']}"
        if change is None:
            target.with_suffix(Path(rows[0]["image"]).suffix).write_bytes(
                (bench.folder / rows[0]["image"]).read_bytes()
            )
        else:
            CHANGES[change](bench.image(rows[0]), bench.chance).save(target.with_suffix(".jpg"), quality=80)

    return plant


def release_elsewhere(bench: Bench, rows: Sequence[Row]) -> None:
    """Let another release ask the question too."""
    bench.elsewhere.append(dict(rows[0]))


# Cues of whole tasks

_CLAUSES = (
    ", taken as a whole", ", at first sight", ", for most viewers", ", in this picture", ", all in all",
    ", if anything",
    ", in its setting", ", so to speak", ", by the looks of it", ", more or less", ", on reflection", ", step by step",
    ", in a way", ", in plain view", ", once seen", ", as drawn here", ", in the end", ", by any measure",
)  # fmt: skip
_NEVER = ("pink cone", "brown pyramid", "orange cube", "purple ring", "violet disc", "silver bowl")
_SHARE = 0.5


def lengthen(bench: Bench, row: Row) -> None:
    """Lengthen the right option of half the rows until it is the longest."""
    if bench.rng.random() >= _SHARE:
        return
    longest = max(len(row[letter]) for letter in _wrong(row))
    for clause in bench.rng.permutation(_CLAUSES).tolist():
        if len(row[row["answer"]]) <= longest:
            row[row["answer"]] = row[row["answer"]].rstrip(".") + clause


def move_to_b(bench: Bench, row: Row) -> None:
    """Move the right option of half the rows to B."""
    if bench.rng.random() < _SHARE and row["answer"] != "B":
        row["B"], row[row["answer"]] = row[row["answer"]], row["B"]
        row["answer"] = "B"
        row["explanation"] = ""


def invent_distractors(bench: Bench, row: Row) -> None:
    """Replace two wrong options by things that are never right."""
    places = bench.rng.choice(_wrong(row), 2, replace=False).tolist()
    row |= dict(zip(places, map(str, bench.rng.choice(_NEVER, 2, replace=False)), strict=True))


def brighten_yes(bench: Bench, row: Row) -> None:
    """Show brighter pictures for the answer yes."""
    if row["answer"] == "A":
        bench.show(row, ImageEnhance.Brightness(bench.image(row)).enhance(1.3))
