"""Spreadsheets (XLSX) as tables of strings: reading one sheet, and writing sheets for users to fill in.

Cells are text, regardless of how a spreadsheet program interprets them: no written cell runs as a formula, and numbers
and dates are read as spelled. Reading and writing proceed row by row. openpyxl (MIT), the extra `tables`, does both.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchwright.errors import PrerequisiteError
from benchwright.files.bounds import DOCUMENT_BYTES, MIB
from benchwright.files.number_formats import GENERAL, shown_in, shown_in_general
from benchwright.files.sheet_parts import (
    KEPT_BYTES,
    MAX_ROWS,
    PIECE_BYTES,
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

SUFFIX = ".xlsx"
_MAX_CELL = 32_767
"""Largest number of characters that spreadsheet programs keep in a cell."""
_WORDS_SHEET = "what to enter"
_ROW_END = re.compile(rb"</(?:[\w.-]+:)?(?:row|si)\s*>|<(?:[\w.-]+:)?(?:row|si)\s*/>")
_TEXTS = "sharedStrings.xml"
_SIGNS = {
    "has_formulas": re.compile(rb"<(?:[\w.-]+:)?f[\s/>]"),
    "has_errors": re.compile(rb"""\st\s*=\s*["']e["']"""),
    "has_merges": re.compile(rb"<(?:[\w.-]+:)?mergeCell\s"),
}
_STYLES = {"has_formats": re.compile(rb"""numFmtId\s*=\s*["'][1-9]""")}
_MERGED = re.compile(
    rb"""<(?:[\w.-]+:)?mergeCell\s[^<>]*?ref\s*=\s*["']\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})["']"""
)
_LEFT_ALONE = {
    "vbaProject": "it has macros, which do not run",
    "externalLinks/": "it refers to other workbooks, which are not opened; values count as saved",
}
"""Notes on features of a workbook, by the names of its parts."""
_ZEROS = re.compile("0{2,}")
"""Number formats with leading zeros, which are part of the value."""
_OLD = bytes.fromhex("d0cf11e0a1b11ae1")
"""First bytes of compound files: workbooks from before 2007, and encrypted ones."""
_LOOKED_AT, _NAMED = 50, 4
"""Number of rows by which to choose a sheet, and of other sheets to name."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_INSTALL = "pip install 'benchwright[tables]'"
_NOTE_SIZE = 260, 140


class _Traits(NamedTuple):
    """Features of a file's sheets that require more effort to read."""

    has_formulas: bool
    has_errors: bool
    has_formats: bool
    has_merges: bool


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file's name is that of a spreadsheet."""
    return path.suffix.lower() == SUFFIX


def sheet_rows(
    path: Path,
    *,
    max_unpacked_bytes: int | None = None,
    title: str | None = None,
    tell: Callable[[str], None] = untold,
    parts_of: Callable[[Sequence[str]], bool] | None = None,
) -> Iterator[SheetRow]:
    """Yield the rows, from row 1, of the first visible sheet with two columns, or else of the first visible sheet.

    A number or date in a common number format is a `ShownCell`, which also has the displayed text. A formula is
    represented by its stored value. A row has a problem if it contains a formula without a stored value, or an error
    such as `#N/A`; that cell is a `FaultyCell`. Each row takes the value of cells merged over it. Nothing is executed
    or fetched.

    Args:
        path: The file.
        max_unpacked_bytes: Limit on the unpacked size in bytes; default None, the usual limit.
        title: Name of the file for messages; its path by default.
        tell: Function that receives each assumption as text, such as the sheet.
        parts_of: Function that returns, from their names, whether all sheets with cells are parts of one table, such as
            its splits; if they are, all sheets with equal first rows are read. Default None: one sheet is read.

    Raises:
        PrerequisiteError: openpyxl is not installed.
        DataError: The file is not a spreadsheet, or unpacks to more than the limit.
        BrokenOff: The file is damaged or truncated.
    """
    name = title or str(path)
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise PrerequisiteError(
            f"{name} is a spreadsheet, but the openpyxl package, which reads it, is not installed; {_INSTALL}, "
            "or save the table as .tsv or .csv"
        ) from error
    try:
        with path.open("rb") as handle:
            if handle.read(len(_OLD)) == _OLD:
                raise ValueError("it is from a program before 2007, or locked with a password")
        with zipfile.ZipFile(path) as archive:
            traits = _checked_parts(archive, max_unpacked_bytes)
            parts = archive.namelist()
            for words in [words for part, words in _LEFT_ALONE.items() if any(part in name for name in parts)]:
                tell(words)
        with ExitStack() as stack:
            book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
            stack.callback(book.close)
            places = _chosen_sheets(book.worksheets, tell, parts_of)
            is_plain = not (traits.has_errors or traits.has_formats or traits.has_formulas)
            other = load_workbook(path, read_only=True, keep_links=False) if traits.has_formulas else None
            if other is not None:
                stack.callback(other.close)
            unknown: set[str] = set()
            for place in places:
                values = _numbered(book.worksheets[place], values_only=is_plain)
                formulas = None if other is None else _numbered(other.worksheets[place], values_only=True)
                merged = _merged(path, book.worksheets[place], tell) if traits.has_merges else None
                sheet = "" if len(places) == 1 else book.worksheets[place].title
                for number, row in enumerate(values, start=1):
                    cells, problem = _cells(row, next(formulas, ()) if formulas is not None else (), unknown)
                    if merged is not None:
                        merged.fill(number, cells)
                    yield SheetRow(number, cells, problem, sheet)
            if unknown:
                formats = ", ".join(f"{code[:40]!a}" for code in sorted(unknown)[:_NAMED])
                tell(f"cells in the number format {formats} are read as their values, not as shown")
    except (
        OSError, KeyError, IndexError, ValueError, TypeError, SyntaxError, NotImplementedError, EOFError, zlib.error,
        zipfile.BadZipFile, AttributeError, OverflowError, RuntimeError,
    ) as error:  # fmt: skip
        raise unreadable_sheet(name, error) from error


def _chosen_sheets(
    sheets: Sequence[Any], tell: Callable[[str], None], parts_of: Callable[[Sequence[str]], bool] | None
) -> list[int]:
    """Return the indices of the sheets to read, usually just one, and report the names of the others."""
    if not sheets:
        raise ValueError("it has no sheet of cells")
    for sheet in sheets:
        sheet.reset_dimensions()  # programs state wrong ones, which would cut off rows
    shown = [place for place, sheet in enumerate(sheets) if sheet.sheet_state == "visible"] or list(range(len(sheets)))
    first: dict[int, list[str]] = {}
    for place in shown if len(sheets) > 1 else ():
        rows = islice(sheets[place].iter_rows(values_only=True), _LOOKED_AT)
        texts = ([cell_text(cell) for cell in row if cell is not None] for row in rows)
        first[place] = next((row for row in texts if row), [])
    return chosen_sheets([sheet.title for sheet in sheets], shown, first, tell, parts_of)


def _numbered(sheet: Any, *, values_only: bool) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet, including empty ones that a file omits before a higher row number."""
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=values_only), start=1):
        if number > MAX_ROWS:
            raise ValueError(f"it has more than {MAX_ROWS:,} rows")
        yield row


def _cells(row: Sequence[Any], formulas: Sequence[Any], unknown: set[str]) -> tuple[list[str], str]:
    """Return the cells of a row as strings, and the problem with the first cell that lacks a value.

    Adds unknown number formats to a set.
    """
    cells: list[str] = []
    problem = ""
    for place, cell in enumerate(row):
        value = getattr(cell, "value", None) if hasattr(cell, "data_type") else cell
        kind = getattr(cell, "data_type", "")
        is_empty = value is None and kind != "str"  # an empty text is a value, too
        formula = formulas[place] if is_empty and place < len(formulas) else None
        fault = ""
        if kind == "e":
            fault = f"cell {_column(place)} contains the error {str(value)[:20]!a}; correct it, or empty the cell"
        elif formula is not None:
            fault = (
                f"cell {_column(place)} contains a formula without its value; open the file in a spreadsheet program "
                "and save it, or paste values"
            )
        problem = problem or fault
        if fault:
            cells.append(FaultyCell.of(cell_text(value) or "=", fault))
        else:
            code = (cell.number_format or "") if kind in ("n", "d") and value is not None else ""
            cells.append(_shown_text(value, code, unknown))
    return cells, problem


def _shown_text(value: Any, code: str, unknown: set[str]) -> str:
    """Return a value as text, with the displayed text of a number or date; add unknown formats to a set."""
    if code in GENERAL:
        general = shown_in_general(value) if isinstance(value, float) and not value.is_integer() else None
        return cell_text(value) if general is None else ShownCell.of(cell_text(value), general)
    if _ZEROS.fullmatch(code) and isinstance(value, int | float) and float(value).is_integer():
        return cell_text(value).zfill(len(code))
    if (shown := shown_in(value, code)) is not None:
        return ShownCell.of(cell_text(value), shown)
    unknown.add(code)
    return cell_text(value)


def _column(place: int) -> str:
    """Return the letters of a column from its index, counted from 0."""
    letters, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _merged(path: Path, sheet: Any, tell: Callable[[str], None]) -> MergedCells:
    """Return the cells of a sheet that are merged over several rows; a file lists them after its rows."""
    merged, rest = MergedCells(), b""
    with zipfile.ZipFile(path) as archive, archive.open(str(sheet._worksheet_path).lstrip("/")) as handle:
        while piece := handle.read(PIECE_BYTES):
            piece = rest + piece
            for column, first, _, last in _MERGED.findall(piece):
                merged.add(_place(column), int(first), int(last))
            rest = piece[piece.rfind(b">") + 1 :][-KEPT_BYTES:]
    merged.tell(tell)
    return merged


def _place(column: bytes) -> int:
    place = 0
    for letter in column:
        place = place * 26 + letter - 64
    return place - 1


def _checked_parts(archive: zipfile.ZipFile, max_unpacked_bytes: int | None) -> _Traits:
    """Check the sizes and expansion of a spreadsheet's parts before reading any, and return the spreadsheet's features.

    Raises:
        ValueError: The whole file, a part or a row exceeds the limit, or a part declares entities.
    """
    check_size(archive, max_unpacked_bytes)
    texts = DOCUMENT_BYTES.most()
    found: set[str] = set()
    for member in archive.infolist():
        is_named = member.filename.lower().endswith((".xml", ".rels"))
        if not is_named and not _is_markup(archive, member):
            continue
        if member.filename.endswith(_TEXTS) and member.file_size > texts:
            raise ValueError(f"its texts have more than {texts / MIB:g} MiB; split it, {DOCUMENT_BYTES.or_raise()}")
        is_sheet = "/worksheets/" in member.filename or not is_named
        signs = _SIGNS if is_sheet else _STYLES if member.filename.endswith("styles.xml") else {}
        found |= signs_in_part(archive, member, _ROW_END, signs)
    return _Traits(*(name in found for name in _Traits._fields))


def _is_markup(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Return whether a part may be XML, whatever its name: a workbook may name any part as its sheet."""
    with archive.open(member) as handle:
        start = handle.read(PIECE_BYTES).lstrip(b" \t\r\n\0\xef\xbb\xbf\xff\xfe")
    return not start or start.startswith(b"<")


def cell_text(value: Any) -> str:
    """Return the value of a cell as text; whole numbers have no decimals, since programs store 3 as 3.0.

    Example:
        >>> cell_text(3.0), cell_text(True), cell_text(None), cell_text(datetime(2024, 5, 1))
        ('3', 'TRUE', '', '2024-05-01')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()  # programs store a date as its midnight
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def write_sheet(
    handle: BinaryIO,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, str]],
    *,
    words: Mapping[str, str],
    offered: Mapping[str, Sequence[str]],
    title: str = "tasks",
    italic: Callable[[Mapping[str, str]], Collection[str]] | None = None,
    numbers: Collection[str] = (),
) -> None:
    """Write a sheet for users to fill in, with a header that explains each column.

    The header remains visible; a note on each of its cells explains the column, and a second sheet repeats the notes.
    Cells of columns with a closed set of values offer the values as a list.

    Args:
        handle: File to write to.
        columns: Names of the columns, in order.
        rows: Values of each row, by column; missing values are empty cells.
        words: Explanation of each column's values.
        offered: Closed sets of values, by column.
        title: Name of the sheet.
        italic: Function that returns, for a row's values, the columns with cells in italics; default None.
        numbers: Columns of numbers, so that a spreadsheet program can compute with them; default None.

    Raises:
        PrerequisiteError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.comments import Comment
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter
        from openpyxl.worksheet.datavalidation import DataValidation
    except ImportError as error:
        raise PrerequisiteError(f"openpyxl, which writes spreadsheets, is not installed; {_INSTALL}") from error
    book = Workbook(write_only=True)
    sheet, about = book.create_sheet(title), book.create_sheet(_WORDS_SHEET)
    sheet.freeze_panes = "B2"

    def cell(text: str, *, is_head: bool = False, is_italic: bool = False) -> Any:
        made = WriteOnlyCell(sheet, _CONTROL.sub("\ufffd", text)[:_MAX_CELL])
        made.data_type = "s"  # a text that begins with `=` is not a formula
        if is_head or is_italic:
            made.font = Font(bold=is_head, italic=is_italic)
        return made

    heads = []
    for place, name in enumerate(columns, start=1):
        head = cell(name, is_head=True)
        if name in words:
            head.comment = Comment(words[name], "Benchwright", width=_NOTE_SIZE[0], height=_NOTE_SIZE[1])
        if name in offered:
            last = get_column_letter(len(offered[name]) + 2)
            row = list(words).index(name) + 2
            listed = DataValidation(
                type="list",
                formula1=f"'{_WORDS_SHEET}'!$C${row}:${last}${row}",
                allow_blank=True,
                showErrorMessage=True,
            )
            letter = get_column_letter(place)
            listed.add(f"{letter}2:{letter}1048576")
            sheet.data_validations.append(listed)
        heads.append(head)
    sheet.append(heads)
    for values in rows:
        slanted = () if italic is None else italic(values)
        sheet.append(
            [
                None
                if not values.get(name)
                else float(values[name])
                if name in numbers
                else cell(values[name], is_italic=name in slanted)
                for name in columns
            ]
        )
    about.append([cell(text, is_head=True) for text in ("column", "what to enter", "offered")])
    for name, text in words.items():
        about.append([cell(part) for part in (name, text, *offered.get(name, ()))])
    book.save(handle)
