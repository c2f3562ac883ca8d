"""Origin of the columns of plain rows: columns of the file, or columns that a layout derived from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from benchwright.source_files.rows import Reshaped, Row

from .columns import ColumnMapping
from .readings import KnownKey

_WORDS = "question"
"""Column in which layouts supply fixed text."""
_MOST_TEXTS = 100
_WORD = 4
"""Smallest number of characters for which the origin of a text can be identified within another text."""
_ROWS, _MOST_COLUMNS = 50, 1000
"""Numbers of rows and columns of a file that are examined for the origin of its columns."""


class Origin(NamedTuple):
    """The origin of a value in a plain row.

    Args:
        columns: Columns of the file; empty if none contains the value, such as for a question that a layout supplies.
        made_by: Changes that produced the value, the last one first, such as `layout 'claims'`; empty if the file has
            it in this form.
    """

    columns: tuple[str, ...]
    made_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the origin as text."""
        named = ", ".join(map(shown_name, self.columns))
        if not self.made_by:
            return f"column {named}"
        by = " after ".join(self.made_by)
        from_columns = f"from {'columns' if len(self.columns) > 1 else 'column'} {named}"
        return f"made by {by} {from_columns}" if self.columns else f"supplied by {by}"


def shown_name(column: str) -> str:
    """Return the display name of a column, in quotation marks if it is invisible."""
    return column if column.strip() else repr(column)


def origin_of(row: Row, column: str) -> Origin:
    """Return the origin of a column of a plain row."""
    return _origin(row.document, row.made, column)


def _origin(document: Mapping[str, Any], made: Sequence[Reshaped], column: str) -> Origin:
    for number in reversed(range(len(made))):
        step, value = made[number], document.get(column)
        before = step.before
        if column in before and (before[column] is value or before[column] == value):
            document = before
            continue
        near = islice(before, _MOST_COLUMNS)
        told = sorted({*map(str, step.columns), *(name for name in near if name not in document)} & before.keys())
        telling = [name for name in told if _is_same(before[name], value)]
        if not telling and step.columns:  # a layout may name its rows by any column
            others = (column, *islice(before, _MOST_COLUMNS))
            telling = [name for name in others if name in before and _is_same(before[name], value)][:1]
        telling = telling or [name for name in told if _holds(before[name], value)]
        if not telling and not (column == _WORDS and column not in before):
            telling = told  # a key or an option in words other than the file's
        earlier = [_origin(before, made[:number], name) for name in telling]
        columns = tuple(dict.fromkeys(name for origin in earlier for name in origin.columns))
        by = dict.fromkeys((step.by, *(by for origin in earlier for by in origin.made_by)))
        return Origin(columns, tuple(by))
    return Origin((column,))


def _is_same(before: Any, value: Any) -> bool:
    """Return whether a value is a text or number in the file, or an id that begins with one, followed by `-`."""
    if isinstance(value, KnownKey):
        value = value.value
    if isinstance(before, bool) or not isinstance(before, str | int | float) or before == "":
        return False
    return str(before) == str(value) or (isinstance(value, str) and value.startswith(f"{before}-"))


def _holds(before: Any, value: Any) -> bool:
    """Return whether the words of one value occur in the other, in either direction."""
    texts = [text for text in islice(_texts(before), _MOST_TEXTS) if text]
    lines = [line.strip() for text in islice(_texts(value), _MOST_TEXTS) for line in text.splitlines() if line.strip()]
    return any(
        line == text or (len(line) >= _WORD and line in text) or (len(text) >= _WORD and text in line)
        for line in lines
        for text in texts
    )


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts, numbers and names in a value."""
    if isinstance(value, KnownKey):
        value = value.value
    if isinstance(value, str | int | float):
        yield str(value).strip()
    elif isinstance(value, Mapping | list | tuple):
        if isinstance(value, Mapping):  # names may be questions (AI2D)
            yield from map(str, value)
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


class FileColumns(NamedTuple):
    """The columns of a file, from its first rows.

    Args:
        own: Names of the file's columns.
        origins: Origins of each column of its plain rows, one or several.
        reshaped: Columns that layouts split.
        plain: Columns of the plain rows with texts or numbers, which can become labels.
    """

    own: tuple[str, ...] = ()
    origins: Mapping[str, tuple[Origin, ...]] = {}
    reshaped: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()

    def origins_of(self, column: str) -> tuple[Origin, ...]:
        """Return the origins of a column of plain rows; they may differ between rows."""
        return self.origins.get(column, (Origin((column,)),))

    def others(self, columns: ColumnMapping) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the file's columns that are only labels, and those that are not used at all."""
        used = {name for column in columns.taken for origin in self.origins_of(column) for name in origin.columns}
        used |= self.reshaped
        rest = [name for name in self.own if name not in used and name not in columns.taken and name != "kind"]
        return tuple(n for n in rest if n in self.plain), tuple(n for n in rest if n not in self.plain)


def file_columns(rows: Iterable[Row]) -> FileColumns:
    """Return the columns of a file, judged from its first rows."""
    own: dict[str, None] = {}
    origins: dict[str, Counter[Origin]] = {}
    reshaped: set[str] = set()
    plain: set[str] = set()
    for row in islice(rows, _ROWS):
        first = row.made[0].before if row.made else row.document
        own |= dict.fromkeys(islice(map(str, first), _MOST_COLUMNS))
        reshaped.update(str(name) for step in row.made for name in step.columns)
        for name, value in islice(row.document.items(), _MOST_COLUMNS):
            if value is not None:
                origins.setdefault(str(name), Counter())[origin_of(row, name)] += 1
            if _is_plain(value):
                plain.add(str(name))
    told = {name: _usual(found) for name, found in origins.items()}
    return FileColumns(tuple(own), told, frozenset(reshaped), frozenset(plain))


def _usual(found: Counter[Origin]) -> tuple[Origin, ...]:
    """Return the most common column of the file, and the most common origin that a layout made, if any."""
    by_kind: dict[bool, Origin] = {}
    for origin, _ in found.most_common():
        by_kind.setdefault(bool(origin.made_by), origin)
    return tuple(by_kind[kind] for kind in sorted(by_kind))


def _is_plain(value: Any) -> bool:
    """Return whether a value can be a label, or is empty in this row."""
    if isinstance(value, list):
        return all(isinstance(part, str | int) for part in value)
    return value is None or isinstance(value, str | int | float | bool)
