"""Tables as text: encoding and delimiter are found out, and rows are bounded before their cells are made.

Programs write commas, semicolons (where the comma is the decimal point), tabs or bars, some with `sep=;` in the first
line; UTF-8 with or without a byte order mark, and UTF-16 ("Unicode text"). Other encodings cannot be told apart, so
rows in one are refused, with the byte.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, cast

from benchwright.files.bounds import MIB, ROW_BYTES, ROW_VALUES

DELIMITERS = ",;\t|"
IN_UTF_8 = "save it as CSV in UTF-8"
_SAMPLE_BYTES = 1 << 16
_SAMPLE_ROWS = 50
_REST_CHARACTERS = 1 << 20
_STATED = re.compile(r"sep=([,;\t|])\r?\n?", re.IGNORECASE)
_COMMENT = re.compile(r'\s*"?#[ \w]')
_ALONE = "\x1f"
"""Delimiter of a table with one column: the unit separator of ASCII, which texts do not hold."""


class TableLine(NamedTuple):
    """A row of a table, the one with the columns' names included, or what is wrong with it.

    Args:
        number: Line of the file on which the row ends, from 1.
        first: Line on which it begins.
        cells: Its cells.
        problem: Why its cells cannot be used; empty for nothing.
    """

    number: int
    first: int
    cells: list[str]
    problem: str = ""


def text_lines(handle: BinaryIO, *, delimiter: str | None = None) -> Iterator[TableLine]:
    """Yield the rows of a table in text that have a cell with something in it.

    A row that cannot be read, or is not in the table's encoding, is a line with a problem, and the next one follows.

    Args:
        handle: The table; it is read from start to end once.
        delimiter: What separates two cells; default None, it is found out.
    """
    head = handle.read(_SAMPLE_BYTES)
    encoding = _encoding(head)
    # The limit is one for the whole process. Pictures in base64 are longer than the 128 KiB that csv allows a cell.
    csv.field_size_limit(max(csv.field_size_limit(), ROW_BYTES.most()))
    text = io.TextIOWrapper(
        cast(BinaryIO, io.BufferedReader(_Joined(head, handle))),
        encoding=encoding,
        errors="surrogateescape" if encoding == "utf-8-sig" else "strict",
        newline="",
    )
    sample = head.decode(encoding, "replace")
    lines = _BoundedLines(text, found_delimiter(sample) if delimiter is None else delimiter)
    if delimiter is None and _STATED.match(sample):
        text.readline()
        lines.passed = 1
    reader = csv.reader(lines, strict=True, delimiter=lines.delimiter)
    while True:
        lines.begin_row()
        first = lines.passed + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield TableLine(lines.passed + reader.line_num, first, [], f"no CSV: {_explained(error, first)}")
        except _LongRow as error:
            yield TableLine(first, first, [], str(error))
        except UnicodeDecodeError as error:
            bad = f"byte 0x{error.object[error.start]:02x}, {error.reason}"
            yield TableLine(first, first, [], f"is not UTF-16 as its beginning is ({bad}); {IN_UTF_8}")
            return
        else:
            whole = "".join(cells)
            if whole and not whole.isspace():
                problem = "" if whole.isascii() else _wrong_bytes(whole)
                yield TableLine(lines.passed + reader.line_num, first, cells, problem)


def _encoding(head: bytes) -> str:
    """Return the encoding of a table by its beginning; of UTF-16 without a mark every other byte is zero."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    start = head[:64]
    if len(start) >= 4 and not any(start[1::2]) and all(start[0::2]):
        return "utf-16-le"
    if len(start) >= 4 and not any(start[0::2]) and all(start[1::2]):
        return "utf-16-be"
    return "utf-8-sig"


def found_delimiter(sample: str) -> str:
    """Return what separates the cells of a table, by its beginning.

    That is the one by which most rows have as many cells as the row with the columns' names; of such the one that makes
    more columns, or that fewer spaces follow, as in sentences. Delimiters within quotes do not count, and lines above
    that row that begin with `#` are passed over. Where that row has none of the delimiters, the table has one column,
    and a text in it may hold any of them.

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
    """Return the first rows, but for the last one of a sample, which may be cut off."""
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


def _explained(error: csv.Error, first: int) -> str:
    if "unexpected end" in str(error):
        return f"{error}; a quotation mark of the row that begins on line {first} is not closed"
    return str(error)


def _wrong_bytes(text: str) -> str:
    """Return in words which byte of a row is no UTF-8; empty where all are."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        byte = f"byte 0x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"character {code:#06x}"
        return f"is not UTF-8 ({byte}); {IN_UTF_8}"
    return ""


class _LongRow(ValueError):
    """A row that has more than is read."""


class _BoundedLines:
    """Lines of a table, of which those of one row are bounded before its cells are made.

    Args:
        text: The table.
        delimiter: What separates two cells.
    """

    def __init__(self, text: io.TextIOWrapper, delimiter: str) -> None:
        self._text, self.delimiter = text, delimiter
        self._most, self._most_cells = ROW_BYTES.most(), ROW_VALUES.most()
        self.passed = 0
        """Lines above the table that the CSV reader has not seen."""
        self.begin_row()

    def begin_row(self) -> None:
        """Count anew."""
        self._characters, self._cells = 0, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._most)
        if not line:
            raise StopIteration
        self._characters += len(line)
        self._cells += line.count(self.delimiter)
        if self._characters >= self._most or self._cells > self._most_cells:
            bound = ROW_BYTES if self._characters >= self._most else ROW_VALUES
            while line and not line.endswith(("\n", "\r")):
                line = self._text.readline(_REST_CHARACTERS)
            raise _LongRow(
                f"the row has more than {self._most / MIB:g} MiB or {self._most_cells:,} cells, the most that are "
                f"read; a quotation mark may be missing, or a column too many; mend it, "
                f"{bound.or_raise()}"
            )
        return line


class _Joined(io.RawIOBase):
    """A file whose beginning has been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece: bytes | memoryview = self._head[: len(buffer)]
        self._head = self._head[len(piece) :]
        if not len(piece):
            piece = self._rest.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
