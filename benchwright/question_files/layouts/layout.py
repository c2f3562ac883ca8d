"""Layouts: recognition of an entry's form, and conversion to plain rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from benchwright.questions.own_ids import ENTRY_ID

from ..mapping.columns import spellings

Entry = Mapping[str, Any]
"""An entry of a file: names with their values."""


class PlainRow(NamedTuple):
    """A plain row of an entry.

    Args:
        place: Part of the entry, such as `, turn 2`; empty if the whole entry is one row.
        document: Columns of the row, by the names of `tables.columns.FIELDS`.
    """

    place: str
    document: dict[str, Any]


class Layout(NamedTuple):
    """A layout of entries.

    Args:
        name: Name in a few words.
        form: Description of an entry.
        reading: Description of the rows that result.
        seen_in: Benchmarks published in this form.
        taken: Function that returns the columns of an entry that the layout splits; empty for an entry of another form.
        rows: Function that yields the plain rows of an entry in this form.
        keeps_stated: Whether columns that a curator names stay in the rows next to those of the layout; default False,
            the layout ignores an entry if a curator names one of its columns.
    """

    name: str
    form: str
    reading: str
    seen_in: tuple[str, ...]
    taken: Callable[[Entry], frozenset[str]]
    rows: Callable[[Entry], Iterator[PlainRow]]
    keeps_stated: bool = False


NOTHING: frozenset[str] = frozenset()


_MOST_COLUMNS = 1000
"""Largest number of columns of entries whose names are cached."""


def named(entry: Iterable[str]) -> Mapping[str, str]:
    """Return the names of an entry's columns, keyed by their lookup forms (`spellings`)."""
    columns = tuple(entry)
    return _remembered(columns) if len(columns) <= _MOST_COLUMNS else _named(columns)


def _named(columns: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in columns:
        for spelling in spellings(str(name)):
            found.setdefault(spelling, name)
    return found


_remembered = lru_cache(maxsize=64)(_named)


def part_of(own: Any, part: str | int) -> dict[str, Any]:
    """Return the columns that identify one of several questions in an entry: a group, and an id from the entry's id.

    Args:
        own: The entry's own id; None or empty if it has none.
        part: Name of the question within the entry, such as `image_0`.
    """
    return {} if own in (None, "") else {"id": f"{own}-{part}", "group": own, ENTRY_ID: str(own)}


def without(entry: Entry, taken: frozenset[str]) -> dict[str, Any]:
    """Return an entry without the given columns."""
    return {name: value for name, value in entry.items() if name not in taken}
