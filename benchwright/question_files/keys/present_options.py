"""The options of a row as readers see them: without marks of absent options, and in the form that sheets display.

| what the file has                                                | options                                           |
|------------------------------------------------------------------|---------------------------------------------------|
| `Yes,No,NaN,NaN`, `Yes,No,-,-`                                   | two: an option occurs only once                   |
| `Left,Right,Both,NaN` in a file that has such rows               | three, unless the key names the last              |
| `+,×,÷,-`                                                        | four: a dash among signs is an option             |
| 0.25 in the number format `0%`                                   | 25%                                               |
| `Cow; Horse; Goat` in one cell, and the key `Horse`              | three, if keys of the file show it                |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchwright.files.absent_cells import ABSENT_MARKS, OF_PROGRAMS
from benchwright.files.sheet_parts import FaultyCell, ShownCell
from benchwright.source_files.rows import BadRow

from ..mapping.columns import ColumnMapping
from ..mapping.readings import READINGS, KnownKey, Reading
from .key_reading import KeyCell, all_places, is_in_words, key_text
from .option_cells import OptionCells, is_absent, option_cells, parsed_cell

_DASHES = frozenset({"-", "–", "—", "--"})
_MARKS = ABSENT_MARKS | _DASHES
_SEPARATORS = (";", "|", ",")
_WORD = re.compile(r"[^\W\d_]{2,}")
_JOINED = re.compile(r"(?:and|or|und|oder|et|ou|y|o|e)\s", re.I)
"""Words that continue a list inside an option."""


def check_cells(document: Mapping[str, Any], columns: ColumnMapping) -> None:
    """Check that no cell of a question contains an error.

    Raises:
        BadRow: A cell contains an error.
    """
    for column in columns.taken:
        if isinstance(cell := document.get(column), FaultyCell):
            raise BadRow(f"column {column!r}: {cell.fault}")


def present_options(document: Mapping[str, Any], columns: ColumnMapping, reading: Reading | None = None) -> OptionCells:
    """Return the options that are present in a row, as displayed.

    Args:
        document: The row.
        columns: Columns by field.
        reading: How keys name options; default None, not yet known.
    """
    if columns.options:
        document = {
            **document,
            **{c: cell.shown for c in columns.options if isinstance(cell := document.get(c), ShownCell)},
        }
    found = option_cells(document, columns)
    if columns.options:
        cut = _end(document, columns, found, reading)
        if cut == len(found.cells):
            return found
        return OptionCells(found.cells[:cut], found.names[:cut], tuple(place for place in found.padded if place < cut))
    if columns.parted and (parts := _parts_of(document, columns, columns.parted)) is not None:
        return OptionCells(parts) if columns.parts in (0, len(parts)) else found
    return found


def number_absent(document: Mapping[str, Any], columns: ColumnMapping) -> int:
    """Return how many option cells of a row are absent."""
    cells = [document.get(column) for column in columns.options]
    if not any(isinstance(cell, str) and cell.strip() in _MARKS for cell in cells):
        return 0
    return len(option_cells(document, columns).cells) - len(present_options(document, columns).cells)


def shown_key(value: Any, document: Mapping[str, Any], columns: ColumnMapping) -> Any:
    """Return a key that equals an option's value or displayed text, in the words of this option."""
    cells = [cell for column in columns.options if isinstance(cell := document.get(column), str)]
    shown = [cell.shown if isinstance(cell, ShownCell) else cell for cell in cells]
    if isinstance(value, ShownCell) and value.shown in shown:
        return value.shown
    if not isinstance(value, str) or value in shown:
        return value
    return next((words for cell, words in zip(cells, shown, strict=True) if cell == value), value)


def with_form_of_options(rows: Iterable[Mapping[str, Any]], columns: ColumnMapping) -> ColumnMapping:
    """Return columns with facts about the form of options, found in some rows: marks of absent options, separators."""
    if columns.options:
        ends = {found for row in rows if (found := _repeated_end(option_cells(row, columns).cells))}
        return columns.model_copy(update={"absent": frozenset(ends)}) if ends else columns
    if not columns.column("options") or not columns.column("answer"):
        return columns
    counts: dict[str, Counter[int]] = {separator: Counter() for separator in _SEPARATORS}
    for row in rows:
        for separator in _SEPARATORS:
            options = _parts_of(row, columns, separator)
            if options is not None and _is_named_in(row, columns, options):
                counts[separator][len(options)] += 1
    best = max(_SEPARATORS, key=lambda separator: counts[separator].total())
    if not counts[best]:
        return columns
    # Commas occur within options, too: cells with another number of parts may have such.
    parts = counts[best].most_common(1)[0][0] if best == "," else 0
    return columns.model_copy(update={"parted": best, "parts": parts})


def _repeated_end(cells: Sequence[Any]) -> str:
    """Return the mark that is repeated at the end of a row's options; empty if there is none."""
    is_repeated = len(cells) > 2 and cells[-1] == cells[-2] and isinstance(cells[-1], str)
    return cells[-1] if is_repeated and cells[-1] in _MARKS else ""


def _end(document: Mapping[str, Any], columns: ColumnMapping, found: OptionCells, reading: Reading | None) -> int:
    """Return the number of options in a row, excluding absent options at the end of the row."""
    cells, last = found.cells, len(found.cells)
    if mark := _repeated_end(cells):
        while last and cells[last - 1] == mark:
            last -= 1
        return last
    if last < 3 or not isinstance(cells[-1], str) or cells[-1] not in columns.absent:
        return last
    is_told = cells[-1] in OF_PROGRAMS or (
        cells[-1] in _DASHES and all(isinstance(cell, str) and _WORD.search(cell) for cell in cells[:-1])
    )
    return last - 1 if is_told and not _is_keyed(document, columns, found, reading) else last


def _is_keyed(document: Mapping[str, Any], columns: ColumnMapping, found: OptionCells, reading: Reading | None) -> bool:
    """Return whether the key of a row, or the option that declines, is its last option under a reading."""
    texts = tuple(cell if isinstance(cell, str) else None for cell in found.cells)
    for column in filter(None, map(columns.column, ("answer", "refusal"))):
        value = document.get(column)
        value = value.value if isinstance(value, KnownKey) else value
        if is_absent(value):
            continue
        readings = READINGS if reading is None else (reading, "text")
        for places in all_places(KeyCell(value, texts, found.names), readings):
            if len(texts) - 1 in (places if isinstance(places, tuple) else (places,)):
                return True
    return False


def _parts_of(document: Mapping[str, Any], columns: ColumnMapping, separator: str) -> list[str] | None:
    """Return the options in the single line of a cell if it can be split, otherwise None.

    If commas separate them, the key must be one of them; other separators rarely occur within options.
    """
    text = document.get(columns.column("options") or "")
    if not isinstance(text, str) or separator not in text or parsed_cell(text) != [text]:
        return None
    parts = [part.strip() for part in text.strip().removesuffix(separator).split(separator)]
    is_told = len({part.casefold() for part in parts}) == len(parts) >= 2 and all(parts)
    if not is_told or any(_JOINED.match(part) for part in parts):
        return None
    value = document.get(columns.column("answer") or "")
    is_free = separator != "," and (is_absent(value) or not is_in_words(value))
    return parts if is_free or _is_named_in(document, columns, parts) else None


def _is_named_in(document: Mapping[str, Any], columns: ColumnMapping, parts: Sequence[str]) -> bool:
    value = document.get(columns.column("answer") or "")
    return isinstance(value, str) and key_text(value).casefold() in [key_text(part).casefold() for part in parts]
