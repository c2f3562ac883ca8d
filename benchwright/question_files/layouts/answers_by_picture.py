"""One question about several pictures, with a separate answer for each picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named, part_of, without

_ANSWER = re.compile(r"answer_?(\d)")


def _pairs(entry: Entry) -> dict[str, str]:
    """Return the picture column for each answer column; empty for an entry of another form."""
    columns = named(entry)
    numbers = {match[1]: columns[name] for name in columns if (match := _ANSWER.fullmatch(name)) is not None}
    pictures = {number: columns.get(f"image{number}", columns.get(f"image_{number}")) for number in numbers}
    has_question = any(name in columns for name in FIELDS["question"])
    if not has_question or len(numbers) < 2 or any(name in columns for name in (*FIELDS["options"], "answer")):
        return {}
    return {numbers[n]: picture for n, picture in pictures.items() if picture} if all(pictures.values()) else {}


def _taken(entry: Entry) -> frozenset[str]:
    return frozenset(name for pair in _pairs(entry).items() for name in pair) or NOTHING


def _rows(entry: Entry) -> Iterator[PlainRow]:
    rest = without(entry, _taken(entry))
    identity = next((named(rest)[name] for name in FIELDS["id"] if name in named(rest)), None)
    own = None if identity is None else rest.pop(identity)
    for answer, picture in _pairs(entry).items():
        row = {**rest, "answer": entry[answer], "image": entry[picture], **part_of(own, answer)}
        yield PlainRow(f", {answer}", row)


ANSWERS_BY_PICTURE = Layout(
    "one question of several pictures",
    "`image1` with `answer1`, `image2` with `answer2`, and one question",
    "a question for each picture, with its answer; one group",
    ("ViLP",),
    _taken,
    _rows,
)
