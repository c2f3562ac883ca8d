"""OpenDocument spreadsheets (`.ods`, of LibreOffice and others) read as tables of strings: one sheet, row by row.

Values are those stored in addition to the displayed texts, so numbers and dates do not depend on the language.
`ShownCell` also keeps the displayed text. Nothing is executed, and references are not fetched.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO
from xml.etree.ElementTree import Element, ParseError, iterparse

from benchwright.files.bounds import COLUMNS, ROW_VALUES
from benchwright.files.sheet_parts import (
    MAX_ROWS,
    FaultyCell,
    MergedCells,
    SheetRow,
    ShownCell,
    check_size,
    chosen_sheets,
    signs_in_part,
    unreadable_sheet,
    untold,
)

OPEN_SUFFIX = ".ods"
_CONTENT = "content.xml"
_NAME = "urn:oasis:names:tc:opendocument:xmlns"
_TABLE, _OFFICE, _TEXT = f"{{{_NAME}:table:1.0}}", f"{{{_NAME}:office:1.0}}", f"{{{_NAME}:text:1.0}}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
_STYLE = f"{{{_NAME}:style:1.0}}"
_ROW_END = re.compile(rb"</(?:[\w.-]+:)?table-row\s*>|<(?:[\w.-]+:)?table-row\s[^<>]*/>")
_STATED = {"float": "value", "percentage": "value", "currency": "value", "date": "date-value"}
"""Attributes that hold the value of a cell, by its type."""
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
_MOST_SPACES = 32_767


def open_document_rows(
    path: Path,
    *,
    max_unpacked_bytes: int | None = None,
    title: str | None = None,
    tell: Callable[[str], None] = untold,
    parts_of: Callable[[Sequence[str]], bool] | None = None,
) -> Iterator[SheetRow]:
    """Yield the rows of a sheet, from row 1, chosen as in `spreadsheets.sheet_rows`, which has the same arguments and
    yields the same rows.

    Raises:
        DataError: The file is not a spreadsheet, or unpacks to more than the limit.
        BrokenOff: The file is damaged or truncated.
    """
    name = title or str(path)
    try:
        with zipfile.ZipFile(path) as archive:
            check_size(archive, max_unpacked_bytes)
            signs_in_part(archive, archive.getinfo(_CONTENT), _ROW_END, {})
            with archive.open(_CONTENT) as content:
                sheets = _Sheets(content).looked_at()
            chosen = _chosen_sheets(sheets, tell, parts_of)
            for place in chosen:
                with archive.open(_CONTENT) as content:
                    for row in _Sheets(content).rows(place, tell):
                        yield row._replace(sheet=sheets[place].name) if len(chosen) > 1 else row
    except (
        OSError, KeyError, ValueError, NotImplementedError, EOFError, RuntimeError, ParseError, zlib.error,
        zipfile.BadZipFile,
    ) as error:  # fmt: skip
        raise unreadable_sheet(name, error) from error


class _Sheet:
    """Facts about a sheet from a first pass: name, whether it is visible, and the cells of its first nonempty row."""

    def __init__(self, name: str, *, is_shown: bool) -> None:
        self.name, self.is_shown = name, is_shown
        self.first: list[str] = []


def _chosen_sheets(
    sheets: Sequence[_Sheet], tell: Callable[[str], None], parts_of: Callable[[Sequence[str]], bool] | None
) -> list[int]:
    if not sheets:
        raise ValueError("it has no sheet")
    shown = [place for place, sheet in enumerate(sheets) if sheet.is_shown] or list(range(len(sheets)))
    first = {place: sheet.first for place, sheet in enumerate(sheets)}
    return chosen_sheets([sheet.name for sheet in sheets], shown, first, tell, parts_of)


class _Sheets:
    """The sheets of a file, read in one pass over its content.

    Args:
        content: The content.
    """

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content

    def looked_at(self) -> list[_Sheet]:
        """Return the facts about each sheet."""
        sheets: list[_Sheet] = []
        hidden: set[str] = set()
        for event, element in iterparse(self._content, ("start", "end")):  # noqa: S314
            if event == "end" and element.tag == f"{_STYLE}style":
                if any(part.get(f"{_TABLE}display") == "false" for part in element):
                    hidden.add(element.get(f"{_STYLE}name", ""))
            elif event == "start" and element.tag == f"{_TABLE}table":
                is_shown = element.get(f"{_TABLE}style-name") not in hidden
                sheets.append(_Sheet(element.get(f"{_TABLE}name", ""), is_shown=is_shown))
            elif event == "end" and element.tag == f"{_TABLE}table-row":
                if sheets and not sheets[-1].first:
                    sheets[-1].first = [cell for cell in _cells(element, 1, MergedCells())[0] if cell]
                element.clear()
        return sheets

    def rows(self, chosen: int, tell: Callable[[str], None]) -> Iterator[SheetRow]:
        """Yield the rows of the sheet at an index, counted from 0."""
        place, number, merged, repeated = -1, 0, MergedCells(), 0
        table: Element | None = None
        for event, element in iterparse(self._content, ("start", "end")):  # noqa: S314
            if event == "start" and element.tag == f"{_TABLE}table":
                place, table = place + 1, element
            elif event == "end" and element.tag == f"{_TABLE}table" and place == chosen:
                merged.tell(tell)
                return
            elif event == "end" and element.tag == f"{_TABLE}table-row":
                if place == chosen:
                    times = _count(element, "number-rows-repeated")
                    cells, problem = _cells(element, number + 1, merged)
                    repeated += (times - 1) * len(cells)
                    if repeated > (most := ROW_VALUES.most()):
                        raise ValueError(f"it repeats more than {most:,} cells; {ROW_VALUES.or_raise()[3:]}")
                    for _ in range(times if any(cells) or problem else 0):
                        number += 1
                        if number > MAX_ROWS:
                            raise ValueError(f"it has more than {MAX_ROWS:,} rows")
                        filled = list(cells)
                        merged.fill(number, filled)
                        yield SheetRow(number, filled, problem)
                    if not (any(cells) or problem):
                        filled = []
                        merged.fill(number + 1, filled)
                        if any(filled):
                            yield SheetRow(number + 1, filled)
                        number += times
                element.clear()
                if table is not None:
                    table.clear()  # otherwise an empty element would remain for each row


def _cells(row: Element, number: int, merged: MergedCells) -> tuple[list[str], str]:
    """Return the cells of a row as strings, and the problem with the first cell that lacks a value.

    Raises:
        ValueError: The row has too many cells.
    """
    cells: list[str] = []
    problem, most, waiting = "", COLUMNS.most(), 0
    for cell in row:
        if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        times = _count(cell, "number-columns-repeated")
        text = _text(cell)
        kind = cell.get(f"{_CALC}value-type") or cell.get(f"{_OFFICE}value-type")
        fault = ""
        if kind == "error" or (cell.get(f"{_TABLE}formula") and text.startswith(("#", "Err:"))):
            fault = f"a cell contains the error {text[:20]!a}; correct it, or empty the cell"
        elif cell.get(f"{_TABLE}formula") and kind is None:
            fault = "a cell contains a formula without its value; open the file, save it, or paste values"
        if fault:
            problem, text = problem or fault, FaultyCell.of(text or "=", fault)
        if not text:
            waiting += times  # programs fill a row to its end
            continue
        if len(cells) + waiting + times > most:
            raise ValueError(f"row {number} has more than {most:,} columns; {COLUMNS.or_raise()[3:]}")
        cells += [""] * waiting
        if (rows := _count(cell, "number-rows-spanned")) > 1:
            merged.add(len(cells), number, number + rows - 1)
        cells += [text] * times
        waiting = 0
    return cells, problem


def _count(element: Element, name: str) -> int:
    return max(1, int(element.get(f"{_TABLE}{name}", "1")[:12]))


def _text(cell: Element) -> str:
    """Return the value of a cell as text: the stored number, date or boolean, or else the displayed text."""
    kind = cell.get(f"{_OFFICE}value-type", "")
    if kind == "boolean":
        return cell.get(f"{_OFFICE}boolean-value", "").upper()
    if kind in _STATED and (stated := cell.get(f"{_OFFICE}{_STATED[kind]}")) is not None:
        shown = "".join(_shown(cell)).strip()
        if kind == "float" and shown.isdecimal() and shown.startswith("0") and float(shown) == float(stated):
            return shown  # a format with leading zeros
        value = stated.removesuffix("T00:00:00") if kind == "date" else stated
        # A point in place of the comma is the same number in another language.
        is_same = not shown or (kind == "float" and _DECIMAL_COMMA.fullmatch(shown) is not None)
        return value if is_same else ShownCell.of(value, shown)
    return "\n".join("".join(_shown(part)) for part in cell if part.tag == f"{_TEXT}p")


def _shown(element: Element) -> Iterator[str]:
    """Yield the pieces of text in a cell or paragraph, excluding comments."""
    if element.text and element.tag != f"{_TABLE}table-cell":
        yield element.text
    for part in element:
        if part.tag == f"{_TEXT}s":
            spaces = int(part.get(f"{_TEXT}c", "1")[:12])
            if spaces > _MOST_SPACES:
                raise ValueError(f"a text has {spaces:,} spaces")
            yield " " * spaces
        elif part.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            yield "\t" if part.tag.endswith("tab") else "\n"
        elif part.tag != f"{_OFFICE}annotation":
            yield from _shown(part)
        if part.tail and element.tag != f"{_TABLE}table-cell":
            yield part.tail
