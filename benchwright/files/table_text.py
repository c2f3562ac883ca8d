"""Text tables: detection of encoding and delimiter, and limits on rows before their cells are created.

As delimiters, programs write commas, semicolons (where the comma is the decimal separator), tabs or bars, some with
`sep=;` in the first line. As encodings, they use UTF-8 with or without a byte order mark, UTF-16 ("Unicode text"), or
the Windows code page of the machine's language (`code_pages`). The reader reports its assumptions. Cells are texts:
`007` stays unchanged, and so does `nan` if it is a word (`absent_cells`).
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from typing import BinaryIO, NamedTuple, cast

from benchwright.files.absent_cells import ABSENT_MARKS, AbsentCells, cells_in_quotes
from benchwright.files.bounds import MIB, ROW_BYTES, ROW_VALUES
from benchwright.files.code_pages import CodePage, code_page
from benchwright.files.numbered_lines import JoinedLines

DELIMITERS = ",;\t|"
OF_THE_WHOLE = ("is not text", "is not UTF-16")
"""Prefixes of problems that concern the whole file rather than a row."""
_OTHER_KINDS = {
    b"PK\x03\x04": "a ZIP archive; if it is a spreadsheet, name it .xlsx or .ods",
    bytes.fromhex("d0cf11e0a1b11ae1"): "a spreadsheet from before 2007; save it as .xlsx",
    b"PAR1": "Parquet; name it .parquet",
    b"ARROW1": "Arrow; name it .arrow",
    b"\x1f\x8b": "packed; name it .csv.gz",
    b"%PDF-": "a PDF; save the table in it as CSV",
}
"""First bytes of other file types that may be named like text tables, with their kind."""
_IN_UTF_8 = "save it as CSV in UTF-8"
_SAMPLE_BYTES = 1 << 16
_SAMPLE_ROWS = 50
_REST_CHARACTERS = 1 << 20
_AGAIN_CHARACTERS, _AGAIN_LINES = 32 * MIB, 500_000
"""Largest number of characters that are reread after unclosed quotation marks, and of lines in a row to reread."""
_STATED = re.compile(r"sep=([,;\t|])\r?\n?", re.IGNORECASE)
_COMMENT = re.compile(r'\s*"?#[ \w]')
_ALONE = "\x1f"
"""Delimiter of a table with one column: the ASCII unit separator, which does not occur in texts."""


class TableLine(NamedTuple):
    """A row of a table, including the header, or its problem.

    Args:
        number: Line of the file at which the row ends, from 1.
        first: Line at which the row begins.
        cells: The row's cells.
        problem: Reason why the cells are unusable; empty if they are usable.
        row: Number of the row in spreadsheet programs, from 1; 0 if rows are lines.
        sheet: Name of the row's sheet if several are read; otherwise empty.
    """

    number: int
    first: int
    cells: list[str]
    problem: str = ""
    row: int = 0
    sheet: str = ""

    @property
    def entry(self) -> str:
        """Name of the row, such as `line 3`, or `lines 3-5 (row 2)` if text editor and spreadsheet differ."""
        if self.first == self.number == self.row:
            return f"line {self.number}"
        lines = f"line {self.first}" if self.first == self.number else f"lines {self.first}-{self.number}"
        return lines if self.row in (0, self.number) else f"{lines} (row {self.row})"


def text_lines(
    handle: BinaryIO,
    *,
    delimiter: str | None = None,
    again: Callable[[], AbstractContextManager[BinaryIO]] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[TableLine]:
    """Yield the nonempty rows of a text table.

    A row that is unreadable or not in the table's encoding becomes a line with a problem; reading then continues.

    Args:
        handle: The table, which is read once from start to end.
        delimiter: Separator of cells; default None, detected.
        again: Function that opens the table once more, so that all rows can determine its code page and its absent
            cells; by default, its beginning determines the page, and all cells are texts.
        tell: Function that receives each assumption as text.
    """
    head = handle.read(_SAMPLE_BYTES)
    if other := next((kind for start, kind in _OTHER_KINDS.items() if head.startswith(start)), None):
        return iter([TableLine(1, 1, [], f"is not text, but {other}")])
    encoding = _encoding(head)
    # The limit applies to the whole process. Pictures in base64 are longer than the 128 KiB that csv allows a cell.
    csv.field_size_limit(max(csv.field_size_limit(), ROW_BYTES.most()))
    sample = head.decode(encoding, "replace")
    habits = _Habits.of(sample, found_delimiter(sample) if delimiter is None else delimiter)
    if habits.is_escaped and tell is not None:
        tell('quotation marks within its cells are written \\"')
    has_first = delimiter is None and _STATED.match(sample) is not None
    lines = _BoundedLines(JoinedLines(head, handle), encoding, habits, has_first=has_first)
    pages = _Pages(head.splitlines if again is None else partial(_other_lines, again), tell)
    rows = _rows(lines, pages if encoding == "utf-8-sig" else None)
    if again is None:
        return rows

    def written() -> Iterator[tuple[list[str], Callable[[], list[bool]]]]:
        with again() as other:
            twice = _BoundedLines(other, encoding, habits, has_first=has_first)
            yield from ((line.cells, twice.in_quotes) for line in _rows(twice, None) if not line.problem)

    return _without_absent(rows, lines.in_quotes, written, tell)


def _without_absent(
    rows: Iterator[TableLine],
    in_quotes: Callable[[], list[bool]],
    written: Callable[[], Iterable[tuple[list[str], Callable[[], list[bool]]]]],
    tell: Callable[[str], None] | None,
) -> Iterator[TableLine]:
    """Yield rows with absent cells emptied; reread the table from the first cell that may be absent.

    Args:
        rows: The rows, header first.
        in_quotes: Function that returns which cells of the last yielded row are in quotation marks.
        written: Function that returns the rows again, each with such a function.
        tell: Function that receives a description of the absent cells.
    """
    absent: AbsentCells | None = None
    yield from islice(rows, 1)
    for line in rows:
        if not line.problem and not ABSENT_MARKS.isdisjoint(line.cells):
            if absent is None:
                absent = AbsentCells.of(written())
                if tell is not None and (words := absent.told()):
                    tell(words)
            absent.empty(line.cells, in_quotes)
            if not any(line.cells):
                continue
        yield line


def _rows(lines: _BoundedLines, pages: _Pages | None) -> Iterator[TableLine]:
    """Yield the nonempty rows in some lines; `pages` is their encoding unless it is UTF-16."""
    row, reader = 0, lines.reader()
    while True:
        lines.begin_row()
        row += 1
        first = lines.passed + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"no CSV: {_explained(error, first)}"
            is_again = lines.passed > first and lines.put_back()
            yield TableLine(first if is_again else lines.passed, first, [], problem, row)
            reader = lines.reader()
        except _LongRow as error:
            yield TableLine(first, first, [], str(error), row)
            reader = lines.reader()
        except UnicodeDecodeError as error:
            bad = f"byte 0x{error.object[error.start]:02x}, {error.reason}"
            yield TableLine(first, first, [], f"is not UTF-16 like its beginning ({bad}); {_IN_UTF_8}", row)
            return
        else:
            whole = "".join(cells)
            if not whole or whole.isspace():
                continue
            problem = _null(cells) if "\0" in whole else ""
            if not whole.isascii():
                if cells[0].startswith("\ufeff"):  # concatenated files
                    cells[0] = cells[0][1:]
                if pages is not None:
                    cells, wrong = pages.read(cells, whole)
                    problem = problem or wrong
            yield TableLine(lines.passed, first, cells, problem, row)


def _null(cells: list[str]) -> str:
    place = next(number for number, cell in enumerate(cells, start=1) if "\0" in cell)
    return f"cell {place} holds a null character (0x00); remove it"


def _other_lines(again: Callable[[], AbstractContextManager[BinaryIO]]) -> Iterator[bytes]:
    """Yield the lines of a text that contain characters beyond ASCII, long ones in pieces."""
    with again() as handle:
        while line := handle.readline(_SAMPLE_BYTES):
            if not line.isascii():
                yield line


def _encoding(head: bytes) -> str:
    """Return the encoding of a table from its beginning; in UTF-16 without a mark, every other byte is zero."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = head[:64]
    if len(start) >= 4 and not any(start[1::2]) and all(start[0::2]):
        return "utf-16-le"
    if len(start) >= 4 and not any(start[0::2]) and all(start[1::2]):
        return "utf-16-be"
    return "utf-8-sig"


def found_delimiter(sample: str) -> str:
    """Return the delimiter of a table, judged from its beginning.

    It is the delimiter with which the most rows have as many cells as the header. Ties go to the delimiter that gives
    more columns, or that has fewer spaces after it, because spaces follow punctuation in sentences. Delimiters within
    quotes are ignored, and lines above the header that begin with `#` are skipped. If the header has none of the
    delimiters, the table has one column, and a text in it may contain any of them.

    Example:
        >>> found_delimiter('id;"a, b, c";size\\n1;x, y, z;0,5\\n')
        ';'
    """
    if stated := _STATED.match(sample):
        return stated[1]
    lines = sample.splitlines(keepends=True)
    while lines and (not lines[0].strip() or _COMMENT.match(lines[0])):
        lines.pop(0)
    best, found = (0.0, 1, 0), _ALONE
    for delimiter in DELIMITERS:
        rows = _sampled(lines, delimiter)
        width = len(rows[0]) if rows else 0
        alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
        spaced = sum(line.count(f"{delimiter} ") for line in lines)
        if width > 1 and (alike, width, -spaced) > best:
            best, found = (alike, width, -spaced), delimiter
    return found


def _sampled(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the first rows, except the last one of a sample, which may be truncated."""
    rows: list[list[str]] = []
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if any(row):
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                break
    except csv.Error:
        pass
    return rows[:-1] if len(rows) > 2 else rows


class _Habits(NamedTuple):
    """The notation used by the program that wrote a table.

    Args:
        delimiter: Separator of cells.
        is_escaped: Whether quotation marks within cells are written `\\"`, as databases do, and not doubled.
        is_spaced: Whether a space follows each delimiter, also before quotation marks, as in handwritten tables.
    """

    delimiter: str
    is_escaped: bool = False
    is_spaced: bool = False

    @classmethod
    def of(cls, sample: str, delimiter: str) -> _Habits:
        """Return the notation under which most rows of a sample are readable; the usual one in case of a tie."""
        usual = cls(delimiter)
        escaped, spaced = '\\"' in sample, f'{delimiter} "' in sample
        if not (escaped or spaced):
            return usual
        others = (cls(delimiter, is_escaped=escaped), cls(delimiter, is_spaced=spaced), cls(delimiter, escaped, spaced))
        return max(usual, *others, key=lambda habits: habits._rows_in(sample))

    def reader(self, lines: Iterable[str]) -> Iterator[list[str]]:
        return csv.reader(lines, strict=True, delimiter=self.delimiter, skipinitialspace=self.is_spaced)

    def _rows_in(self, sample: str) -> int:
        """Return how many rows of a sample, up to an unreadable one, have as many cells as the first."""
        widths: list[int] = []
        text = _unescaped(sample) if self.is_escaped else sample
        try:
            for row in self.reader(text.splitlines(keepends=True)):
                widths += [len(row)] if row else []
        except csv.Error:
            pass
        return sum(width == widths[0] for width in widths)


def _unescaped(text: str) -> str:
    return text.replace('\\"', '""')


def _explained(error: csv.Error, first: int) -> str:
    if "unexpected end" in str(error):
        return f"{error}; a quotation mark of the row that begins on line {first} is not closed"
    return f"{error}; double the quotation marks within a quoted cell"


class _Pages:
    """The encoding of rows with characters beyond ASCII: UTF-8, or a code page chosen at the first row not in UTF-8.

    Args:
        others: Function that returns all lines with characters beyond ASCII.
        tell: Function that receives each assumption as text.
    """

    def __init__(self, others: Callable[[], Iterable[bytes]], tell: Callable[[str], None] | None) -> None:
        self._others, self._tell = others, tell
        self._is_chosen, self._page = False, cast(CodePage | None, None)

    def read(self, cells: list[str], whole: str) -> tuple[list[str], str]:
        """Return the cells of a row, which was read as UTF-8, in their true encoding, and their problem as text."""
        try:
            whole.encode()
        except UnicodeEncodeError as error:
            bad = error.object[error.start]
        else:
            if self._page is None or not self._page.is_of_one_byte:
                return self._in_page(cells) if self._page is not None else (cells, "")
            return cells, f"is UTF-8, but earlier lines are {self._page.name}; {_IN_UTF_8}"
        if not self._is_chosen:
            self._is_chosen, self._page = True, code_page(self._others())
            if self._page is not None and self._tell is not None:
                self._tell(self._page.told())
        if self._page is None:
            code = ord(bad)
            byte = f"byte 0x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"character {code:#06x}"
            return cells, f"is not UTF-8 ({byte}); {_IN_UTF_8}"
        return self._in_page(cells)

    def _in_page(self, cells: list[str]) -> tuple[list[str], str]:
        assert self._page is not None, "chosen"
        try:
            return [cell.encode("utf-8", "surrogateescape").decode(self._page.codec) for cell in cells], ""
        except UnicodeError as error:
            why = error.reason if isinstance(error, UnicodeDecodeError) else "a lone surrogate"
            return cells, f"is neither UTF-8 nor {self._page.name} ({why}); {_IN_UTF_8}"


class _LongRow(ValueError):
    """A row that exceeds the limit."""


class _BoundedLines:
    """The lines of a table, with the lines of each row limited before its cells are created.

    Args:
        content: The table.
        encoding: Its encoding.
        habits: The notation of its cells.
        has_first: Whether the first line is not part of the table but states the delimiter.
    """

    def __init__(self, content: io.RawIOBase | BinaryIO, encoding: str, habits: _Habits, *, has_first: bool) -> None:
        self._text = io.TextIOWrapper(
            cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, content))),
            encoding=encoding,
            errors="surrogateescape" if encoding == "utf-8-sig" else "strict",
            newline="",
        )
        self._habits, self._delimiter = habits, habits.delimiter
        self._most, self._most_cells = ROW_BYTES.most(), ROW_VALUES.most()
        self._fewest = min(self._most, self._most_cells)
        self.passed = 0
        """Lines read from the file so far."""
        self._of_row: list[str] = []
        self._again: deque[str] = deque()
        self._may_be_read_again = _AGAIN_CHARACTERS
        self.begin_row()
        if has_first:
            self.passed = len(self._text.readline(self._most)[:1])

    def begin_row(self) -> None:
        """Start counting from zero for a new row."""
        self._characters, self._cells = 0, -1
        self._of_row.clear()

    def reader(self) -> Iterator[list[str]]:
        """Return a reader of the cells in the rows that follow."""
        return self._habits.reader(self)

    def in_quotes(self) -> list[bool]:
        """Return which cells of the row are in quotation marks; empty for a row with too many lines."""
        row = "".join(self._of_row) if len(self._of_row) < _AGAIN_LINES else ""
        row = _unescaped(row) if self._habits.is_escaped else row
        return cells_in_quotes(row, self._delimiter, is_spaced=self._habits.is_spaced)

    def put_back(self) -> bool:
        """Reread all lines of the row except the first as separate rows; return False if this has been done too often.

        A cell with an unclosed quotation mark swallows the valid rows below it.
        """
        size = sum(map(len, self._of_row)) - len(self._of_row[0])
        if size > self._may_be_read_again or len(self._of_row) == _AGAIN_LINES:
            return False
        self._may_be_read_again -= size
        self.passed -= len(self._of_row) - 1
        self._again.extendleft(reversed(self._of_row[1:]))
        return True

    def _is_too_much(self, line: str) -> bool:
        """Return whether the row has too many characters or cells; cells are counted only if there may be too many."""
        before: Sequence[str] = ()
        if self._cells < 0:
            self._cells, before = 0, self._of_row[:-1]
        self._cells += line.count(self._delimiter) + sum(earlier.count(self._delimiter) for earlier in before)
        return self._characters >= self._most or self._cells > self._most_cells

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._text.readline(self._most)
        if not line:
            raise StopIteration
        self.passed += 1
        if len(self._of_row) < _AGAIN_LINES:
            self._of_row.append(line)
        self._characters += len(line)
        if self._characters >= self._fewest and self._is_too_much(line):
            bound = ROW_BYTES if self._characters >= self._most else ROW_VALUES
            while line and not line.endswith(("\n", "\r")):
                line = self._text.readline(_REST_CHARACTERS)
            raise _LongRow(
                f"the row has more than {self._most / MIB:g} MiB or {self._most_cells:,} cells, the most that can be "
                f"read; a quotation mark may be missing, or there may be a column too many; correct it, "
                f"{bound.or_raise()}"
            )
        return _unescaped(line) if self._habits.is_escaped else line
