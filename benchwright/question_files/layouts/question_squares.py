"""Two questions about two pictures, with a key for each question about each picture."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named, part_of, without

_KEY = re.compile(r"image_(\d)_question_(\d)")


def _keys(entry: Entry) -> dict[str, tuple[str, str]]:
    """Return, for each key column, the columns of its picture and its question; empty if there are none."""
    columns = named(entry)
    keys = {columns[name]: match.groups() for name in columns if (match := _KEY.fullmatch(name)) is not None}
    parts = {key: (f"image_{picture}", f"question_{question}") for key, (picture, question) in keys.items()}
    if not all(name in columns for pair in parts.values() for name in pair):
        return {}
    return {key: (columns[picture], columns[question]) for key, (picture, question) in parts.items()}


def _taken(entry: Entry) -> frozenset[str]:
    keys = _keys(entry)
    return frozenset((*keys, *(name for pair in keys.values() for name in pair))) if keys else NOTHING


def _rows(entry: Entry) -> Iterator[PlainRow]:
    keys = _keys(entry)
    rest = without(entry, _taken(entry))
    identity = next((named(rest)[name] for name in FIELDS["id"] if name in named(rest)), None)
    own = None if identity is None else rest.pop(identity)
    for key, (picture, question) in keys.items():
        row = {**rest, "question": entry[question], "answer": entry[key], "image": entry[picture]}
        yield PlainRow(f", {key}", {**row, **part_of(own, key)})


QUESTION_SQUARES = Layout(
    "two questions of two pictures",
    "`Question_0`, `Question_1`, `Image_0`, `Image_1`, and a key `Image_0_Question_1` for each pair",
    "four questions, one group",
    ("NaturalBench",),
    _taken,
    _rows,
)
