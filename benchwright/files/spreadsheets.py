"""Spreadsheets (XLSX) as tables of texts: the first sheet is read, and sheets are written for people to fill in.

Cells are text, whatever a spreadsheet program makes of them: nothing that is written runs as a formula, and numbers and
dates are read as they are spelled. Reading and writing go row by row. openpyxl (MIT), the extra `tables`, does both.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.errors import DataError, PrerequisiteError
from benchwright.files.bounds import DOCUMENT_BYTES, MIB, ROW_BYTES, UNPACKED_BYTES

SUFFIX = ".xlsx"
MAX_UNPACKED_BYTES = 2 << 30
MAX_PART_BYTES = 4 << 20
"""Most bytes of a row, and of a part that has no rows, such as the styles; both are made objects as a whole."""
MAX_ROWS = 1_048_576
"""Most rows of a sheet, in spreadsheet programs too."""
MAX_CELL = 32_767
"""Most characters that spreadsheet programs keep of a cell."""
WORDS_SHEET = "what to enter"
_ROW_END = re.compile(rb"</(?:[\w.-]+:)?(?:row|si)\s*>|<(?:[\w.-]+:)?(?:row|si)\s*/>")
_MEDIA, _TEXTS = "xl/media/", "sharedStrings.xml"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_INSTALL = "pip install 'benchwright[tables]'"
_NOTE_SIZE = 260, 140


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file is a spreadsheet by its name."""
    return path.suffix.lower() == SUFFIX


def sheet_rows(
    path: Path, *, max_unpacked_bytes: int | None = None, title: str | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """Yield the number and the cells of each row of the first sheet, from row 1; empty cells are None.

    Of a formula the value counts that was stored with it.

    Args:
        path: The file.
        max_unpacked_bytes: Most bytes that it may unpack to; default None, the usual bound.
        title: Its name for messages; its path by default.

    Raises:
        PrerequisiteError: openpyxl is not installed.
        DataError: The file is no spreadsheet, or unpacks to more than the limit.
    """
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise PrerequisiteError(
            f"{title or path} is a spreadsheet, and the package openpyxl that reads it is not installed; {_INSTALL}, "
            "or save the table as .tsv or .csv"
        ) from error
    try:
        with zipfile.ZipFile(path) as archive:
            _check_parts(archive, max_unpacked_bytes)
        book = load_workbook(path, read_only=True, data_only=True)
        try:
            for number, cells in enumerate(book.worksheets[0].iter_rows(values_only=True), start=1):
                if number > MAX_ROWS:  # rows that a file leaves out on the way to a high number count, too
                    raise ValueError(f"it has more than {MAX_ROWS:,} rows")
                yield number, list(cells)
        finally:
            book.close()
    except (
        OSError, KeyError, IndexError, ValueError, TypeError, SyntaxError, NotImplementedError, EOFError, zlib.error,
        zipfile.BadZipFile,
    ) as error:  # fmt: skip
        name = title or path
        raise DataError(f"{name} cannot be read as a spreadsheet ({error}); save it as .tsv or .csv") from error


def _check_parts(archive: zipfile.ZipFile, max_unpacked_bytes: int | None) -> None:
    """Look at the sizes of a spreadsheet's parts before any is read.

    A part is read as a whole, but for rows and texts, which are read one by one; so a large one must consist of these.

    Raises:
        ValueError: All together, a part or a row is larger than is read.
    """
    members = archive.infolist()
    most = UNPACKED_BYTES.most(MAX_UNPACKED_BYTES) if max_unpacked_bytes is None else max_unpacked_bytes
    if sum(member.file_size for member in members) > most:
        more = f"; split it, {UNPACKED_BYTES.or_raise(MAX_UNPACKED_BYTES)}" if max_unpacked_bytes is None else ""
        raise ValueError(f"it unpacks to more than {most / MIB:g} MiB{more}")
    part, texts = ROW_BYTES.most(MAX_PART_BYTES), DOCUMENT_BYTES.most()
    for member in members:
        if member.file_size <= part or member.filename.startswith(_MEDIA):
            continue
        if member.filename.endswith(_TEXTS) and member.file_size > texts:
            raise ValueError(f"its texts have more than {texts / MIB:g} MiB; split it, {DOCUMENT_BYTES.or_raise()}")
        with archive.open(member) as handle:
            since = 0
            while piece := handle.read(min(1 << 20, part)):
                ends = [match.end() for match in _ROW_END.finditer(piece)]
                since = len(piece) - ends[-1] if ends else since + len(piece)
                if since > part or b"<!" in piece:
                    raise ValueError(
                        f"{member.filename[:200]!a} has more than {part / MIB:g} MiB without the end of a row; "
                        f"split it, {ROW_BYTES.or_raise(MAX_PART_BYTES)}"
                    )


def cell_text(value: Any) -> str:
    """Return the value of a cell as text; whole numbers have no decimals, since programs store 3 as 3.0.

    Example:
        >>> cell_text(3.0), cell_text(True), cell_text(None)
        ('3', 'TRUE', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def write_sheet(
    handle: BinaryIO,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, str]],
    *,
    words: Mapping[str, str],
    offered: Mapping[str, Sequence[str]],
    title: str = "tasks",
    italic: Callable[[Mapping[str, str]], Collection[str]] | None = None,
) -> None:
    """Write a sheet for people to fill in, whose header says what each column takes.

    The header stays in view; a note on each of its cells has the column's words, which a second sheet repeats. Cells
    of columns that take one of a closed set offer it as a list.

    Args:
        handle: File to write to.
        columns: Names of the columns, in order.
        rows: Values of each row by column; absent ones are empty.
        words: What a column takes, in words, by column.
        offered: What a column takes where that is a closed set, by column.
        title: Name of the sheet.
        italic: Function that returns for the values of a row the columns whose cells are in italics; default none.

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
    sheet, about = book.create_sheet(title), book.create_sheet(WORDS_SHEET)
    sheet.freeze_panes = "B2"

    def cell(text: str, *, is_head: bool = False, is_italic: bool = False) -> Any:
        made = WriteOnlyCell(sheet, _CONTROL.sub("\ufffd", text)[:MAX_CELL])
        made.data_type = "s"  # a text that begins with `=` is no formula
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
                type="list", formula1=f"'{WORDS_SHEET}'!$C${row}:${last}${row}", allow_blank=True, showErrorMessage=True
            )
            letter = get_column_letter(place)
            listed.add(f"{letter}2:{letter}1048576")
            sheet.data_validations.append(listed)
        heads.append(head)
    sheet.append(heads)
    for values in rows:
        slanted = () if italic is None else italic(values)
        sheet.append([cell(values[name], is_italic=name in slanted) if values.get(name) else None for name in columns])
    about.append([cell(text, is_head=True) for text in ("column", "what to enter", "offered")])
    for name, text in words.items():
        about.append([cell(part) for part in (name, text, *offered.get(name, ()))])
    book.save(handle)
