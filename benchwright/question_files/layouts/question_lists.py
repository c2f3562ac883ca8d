"""Lists of questions about a picture: objects with a question, or pairs of a question and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.source_files.rows import BadRow

from ..mapping.cell_values import list_in
from ..mapping.columns import FIELDS, QUESTION_LISTS, image_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, part_of, without


def _listed(entry: Entry) -> str | None:
    """Return the column that lists the questions of an entry; None if there is no such column.

    An entry has a picture or an id: a whole document with only a list is not an entry.
    """
    columns = named(entry)
    if any(name in columns for name in FIELDS["question"]):
        return None
    if not any(name in columns for name in (*FIELDS["image"], *FIELDS["id"])) and not image_columns(list(entry)):
        return None
    for name in QUESTION_LISTS:
        if name in columns and (listed := list_in(entry[columns[name]])) and _question(listed[0]) is not None:
            return columns[name]
    return None


def _question(value: Any) -> dict[str, Any] | None:
    """Return a question in a list as columns; None if it has another form."""
    if isinstance(value, Mapping):
        columns = named(value)
        return dict(value) if any(name in columns for name in FIELDS["question"]) else None
    is_pair = isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)
    if not is_pair or not isinstance(value[1], str | int | float | None):
        return None
    return {"question": value[0], "answer": value[1]}


def _taken(entry: Entry) -> frozenset[str]:
    name = _listed(entry)
    return NOTHING if name is None else frozenset({name})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    column = _listed(entry)
    assert column is not None
    rest = without(entry, frozenset({column}))
    columns = named(rest)
    identity = next((columns[name] for name in FIELDS["id"] if name in columns), None)
    shared = without(rest, frozenset() if identity is None else frozenset({identity}))
    for number, value in enumerate(list_in(entry[column]) or (), start=1):
        question = _question(value)
        if question is None:
            raise BadRow(f"{column} {number} is not a question: {str(value)[:80]}")
        own = named(question)
        beside = {}
        if identity is not None and not any(name in own for name in FIELDS["id"]):
            beside = part_of(rest[identity], number)
        kept = {name: value for name, value in shared.items() if not _stated_by(name, own)}
        yield PlainRow(f", question {number}", {**kept, **beside, **question})


def _stated_by(column: str, own: Mapping[str, str]) -> bool:
    """Return whether a question overrides a column of the whole entry other than its picture."""
    spelled = named([column])
    fields = [names for field, names in FIELDS.items() if field != "image" and any(name in spelled for name in names)]
    return any(name in own for names in fields for name in names)


LISTED_QUESTIONS = Layout(
    "a list of questions under a picture",
    "a picture with `qa_pairs`, `qas` or `question_answering_pairs`: objects with a question, or pairs of a question "
    "and its answer, also as text in a cell",
    "a row for each question, with the entry's data on all of them",
    ("Visual7W", "Visual Genome", "WHOOPS!"),
    _taken,
    _rows,
)
