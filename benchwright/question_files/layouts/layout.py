"""What a layout is: how an entry of a file is told to have it, and the plain rows that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ..mapping.columns import spellings

Entry = Mapping[str, Any]
"""An entry of a file: names with values."""


class PlainRow(NamedTuple):
    """A plain row of an entry.

    Args:
        place: Which part of the entry it is, such as `, turn 2`; empty where the entry is one row.
        document: Its columns, by the names of `tables.columns.FIELDS`.
    """

    place: str
    document: dict[str, Any]


class Layout(NamedTuple):
    """A layout of entries.

    Args:
        name: Name in a few words.
        form: What an entry looks like.
        reading: What becomes of it.
        seen_in: Benchmarks that are published so.
        taken: Function that returns the columns of an entry that the layout takes apart; none where the entry has
            another form.
        rows: Function that yields the plain rows of an entry that has it.
        keeps_stated: Whether columns that a curator names stay in the rows beside what the layout reads; default False,
            the layout leaves an entry alone of which one of its columns is named.
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
"""Most columns of entries whose names are remembered."""


def named(entry: Iterable[str]) -> Mapping[str, str]:
    """Return the names of an entry's columns by the ways in which they are looked up (`spellings`)."""
    columns = tuple(entry)
    return _remembered(columns) if len(columns) <= _MOST_COLUMNS else _named(columns)


def _named(columns: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in columns:
        for spelling in spellings(str(name)):
            found.setdefault(spelling, name)
    return found


_remembered = lru_cache(maxsize=64)(_named)


def without(entry: Entry, taken: frozenset[str]) -> dict[str, Any]:
    """Return an entry without some of its columns."""
    return {name: value for name, value in entry.items() if name not in taken}
