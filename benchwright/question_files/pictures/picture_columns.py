"""Choice of the picture column: file names take precedence over numbers as in `image_id`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.source_files.picture_names import is_picture_name

from ..mapping.columns import FIELDS, ColumnMapping

_MOST = 0.5
"""Smallest proportion of picture names among the filled cells of a picture column."""
_NO_PICTURES = frozenset(
    name for field in ("question", "options", "answer", "context", "explanation") for name in FIELDS[field]
)


def with_named_pictures(rows: Sequence[Mapping[str, Any]], columns: ColumnMapping) -> ColumnMapping:
    """Return the columns with the column that names pictures, if the guessed column contains only numbers or nothing.

    Args:
        rows: Some rows of the file.
        columns: Columns as guessed from their names.
    """
    guessed = columns.column("image")
    if columns.images or (guessed is not None and not _holds_numbers(rows, guessed)):
        return columns
    taken = columns.taken - {guessed}
    names = dict.fromkeys(name for row in rows for name in row)
    likely = [name for name in names if name not in taken and name.strip().lower() not in _NO_PICTURES]
    known = {name: place for place, name in enumerate(FIELDS["image"])}
    likely.sort(key=lambda name: known.get(name.strip().lower(), len(known)))
    for name in likely:
        if name != guessed and _holds_names(rows, name):
            return columns.model_copy(update={"fields": {**columns.fields, "image": name}})
    return columns


def _holds_numbers(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    """Return whether a column contains only numbers or nothing, and neither names nor pictures."""
    return all(isinstance(value, int | float) or str(value).strip().isdecimal() for value in _filled(rows, column))


def _holds_names(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    """Return whether most filled cells of a column contain names of picture files."""
    cells = _filled(rows, column)
    named = sum(all(map(is_picture_name, cell if isinstance(cell, list) else [cell])) for cell in cells)
    return bool(cells) and named >= _MOST * len(cells)


def _filled(rows: Sequence[Mapping[str, Any]], column: str) -> list[Any]:
    return [value for row in rows if (value := row.get(column)) not in (None, "", [])]
