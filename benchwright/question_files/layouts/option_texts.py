"""All options in one text, each preceded by a letter and separated by semicolons or lines; a list called `option`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.records import LETTERS
from benchwright.source_files.rows import BadRow

from ..mapping.columns import FIELDS, option_columns
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

_ONE = "option"
"""A column that contains all options, or a key if the options are elsewhere."""
OPTION_TEXT_COLUMNS = (_ONE, *FIELDS["options"])
_BETWEEN = re.compile(r"\s*[;；\n]\s*(?=\(?[A-Z][.):：．、])")
_MARKED = re.compile(r"\s*\(?([A-Z])[.):：．、]\s*(\S.*)", re.S)


def _marks(text: str) -> int:
    """Return how many options in a text are preceded by a letter."""
    return sum(_MARKED.match(part) is not None for part in _BETWEEN.split(text.strip()))


def _in_text(text: str) -> dict[str, str] | None:
    """Return the options in a text by their letters; None unless the letters are consecutive.

    Example:
        >>> _in_text("A. 3.14;B. 6.28; C. none"), _in_text("A. one B. two; C. three")
        ({'A': '3.14', 'B': '6.28', 'C': 'none'}, None)
    """
    parts = [_MARKED.fullmatch(part) for part in _BETWEEN.split(text.strip())]
    found = {part[1]: part[2].strip().rstrip(";；").strip() for part in parts if part is not None}
    is_counted = 2 <= len(parts) <= len(LETTERS) and list(found) == list(LETTERS[: len(parts)])
    return found if is_counted and all(found.values()) else None


def _options(entry: Entry) -> tuple[str, Any] | None:
    """Return the column of the options and the options, None if they are unclear; None for another form of entry."""
    columns = named(entry)
    names = [name for name in OPTION_TEXT_COLUMNS if name in columns and entry[columns[name]] not in (None, "")]
    if len(names) != 1 or (names[0] == _ONE and option_columns(list(entry))):
        return None
    column = columns[names[0]]
    value = entry[column]
    if isinstance(value, str):
        options = _in_text(value) if ";" in value or "；" in value else None
        is_list = options is not None or (names[0] == _ONE and _marks(value) > 1)
        return (column, options) if is_list else None
    return (column, value) if names[0] == _ONE and isinstance(value, list | Mapping) and len(value) > 1 else None


def _taken(entry: Entry) -> frozenset[str]:
    found = _options(entry)
    return NOTHING if found is None else frozenset({found[0]})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    found = _options(entry)
    assert found is not None
    column, options = found
    if options is None:
        raise BadRow(f"the letters of the options in {column} are not consecutive from A: {entry[column][:80]!r}")
    others = frozenset(name for name in entry if str(name).lower() in FIELDS["options"])
    # A column of options keeps its name, as other rows of the file have it in another form.
    is_one = str(column).lower() == _ONE
    yield PlainRow("", {**without(entry, others | {column}), "options" if is_one else column: options})


OPTION_TEXTS = Layout(
    "all options in one text",
    "`option` (also `options`, `choices`): `A. one;B. two; C. three`, each letter after a semicolon; `option` "
    "as a list",
    "the options without their letters; a letter as key names the option with that letter",
    ("We-Math",),
    _taken,
    _rows,
)
