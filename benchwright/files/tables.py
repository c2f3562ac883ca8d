"""The common reader of tables: every command accepts the same kinds of tables.

| file                           | rows                                                                               |
|--------------------------------|------------------------------------------------------------------------------------|
| `.csv`, `.tsv`                 | text (`table_text`): commas, semicolons, tabs or bars, in UTF-8 and others         |
| `.xlsx`, `.xlsm`               | one sheet (`spreadsheets`)                                                         |
| `.ods`                         | one sheet (`open_document`)                                                        |
| `.jsonl`, `.ndjson`            | one JSON object per line                                                           |
| `.parquet`, `.arrow`           | read by a separate process (`arrow_files`)                                         |

Text and JSON may be packed (`.gz`). The reader yields records, each a mapping from column to value, or lines of texts.
An unusable row is reported as a problem, and reading continues with the next one. Memory does not grow with the file.
The reader reports its assumptions about a file, such as the encoding or the sheet.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from io import BytesIO
from itertools import chain, islice
from math import isnan
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from benchwright.errors import DataError
from benchwright.files.arrow_files import ArrowColumn, ArrowRow, ChosenColumns, arrow_rows
from benchwright.files.bounded_json import bounded_json
from benchwright.files.bounds import COLUMNS, MIB, ROW_BYTES
from benchwright.files.numbered_lines import numbered_lines
from benchwright.files.open_document import OPEN_SUFFIX, open_document_rows
from benchwright.files.packed import BrokenOff, unpacked
from benchwright.files.recoded_text import in_utf_8
from benchwright.files.sheet_parts import FaultyCell
from benchwright.files.spreadsheets import SUFFIX, cell_text, sheet_rows
from benchwright.files.table_text import DELIMITERS, OF_THE_WHOLE, TableLine, text_lines
from benchwright.machine.storage_faults import naming
from benchwright.texts.normalization import counted

logger = logging.getLogger(__name__)

TEXT_ENDS, JSON_ENDS, _ARROW_ENDS = (".csv", ".tsv"), (".jsonl", ".ndjson"), (".parquet", ".arrow")
_SHEET_ENDS = (SUFFIX, ".xlsm", OPEN_SUFFIX)
TABLE_ENDS = (*TEXT_ENDS, *_SHEET_ENDS, *JSON_ENDS, *_ARROW_ENDS)
"""Suffixes of tables, in lower case; text and JSON may be packed."""
WITH_HEADER = (*TEXT_ENDS, *_SHEET_ENDS, *_ARROW_ENDS)
"""Suffixes of tables with a single header; in JSON, each row names its columns."""
PACKED_ENDS = tuple(f"{end}.gz" for end in (*TEXT_ENDS, *JSON_ENDS))


_TEXT_FORMULA = re.compile(r'="([^"]*)"')
_TOLD_FORMULAS = 'cells such as ="007" are the texts within, as spreadsheet programs show them'
_LOOKED_AT = 20
"""Number of initial rows in which to search for the header."""


class TableHead(NamedTuple):
    """The names of a table's columns, and the rows above its values.

    Args:
        names: The names.
        rows: Number of nonempty rows above the values.
        told: Assumptions as text; empty if there are none.
    """

    names: list[str]
    rows: int = 1
    told: str = ""


class TableRecord(NamedTuple):
    """A row of a table by its columns, or its problem.

    Args:
        entry: Row of the file, such as `line 3`.
        values: Values of the row by column; in JSON, of any type.
        problem: Reason why the row is unusable; empty if it is usable.
    """

    entry: str
    values: Any
    problem: str = ""


class TableForm(NamedTuple):
    """Details of a table's form that allow more of the table to be read.

    Cells with errors then pass to the users of their columns, as `FaultyCell`.

    Args:
        find_head: Function that finds the head of a table in its first rows; it returns None if there is none, in which
            case the first row has the names.
        are_parts: Function that returns whether several sheets are parts of one table by their names.
        in_part: Function that adds the information in such a sheet's name to the values of a row.
    """

    find_head: Callable[[Sequence[TableLine]], TableHead | None]
    are_parts: Callable[[Sequence[str]], bool]
    in_part: Callable[[str, Mapping[str, str]], Mapping[str, str]]


def table_end(name: str) -> str | None:
    """Return the ending from `TABLE_ENDS` that a file's name has, packed or unpacked; None if the file is not a table.

    Example:
        >>> table_end("Questions.CSV.gz"), table_end("facts.yaml")
        ('.csv', None)
    """
    low = name.lower()
    if low.endswith(".gz"):
        return next((end for end in (*TEXT_ENDS, *JSON_ENDS) if low.endswith(f"{end}.gz")), None)
    return next((end for end in TABLE_ENDS if low.endswith(end)), None)


def every_column(columns: Sequence[ArrowColumn]) -> ChosenColumns:
    """Return all columns except those that contain bytes, which cannot be shown as text."""
    return ChosenColumns([column.name for column in columns if column.kind != "bytes"])


@dataclass(frozen=True)
class Table:
    """A table in a file, wherever the file is stored.

    Args:
        name: Name of the table for messages.
        end: Kind of the table, one of `TABLE_ENDS`.
        opened: Function that opens the unpacked text of the table.
        placed: Function that provides the table at a path while it is being read.
        tell: Function that receives each assumption as text, such as the encoding; by default a warning in the log,
            once.
    """

    name: str
    end: str
    opened: Callable[[], AbstractContextManager[BinaryIO]]
    placed: Callable[[], AbstractContextManager[Path]]
    tell: Callable[[str], None]

    @classmethod
    def at(cls, path: Path, *, otherwise: str = TEXT_ENDS[0]) -> Table:
        """Return the table in a file on disk.

        Args:
            path: The file.
            otherwise: Kind of a file whose name does not indicate one; default CSV.

        Raises:
            DataError: The file is packed in an unsupported way.
        """
        end = table_end(path.name)
        if end is None and path.name.lower().endswith(".gz"):
            raise DataError(f"{path}: packed tables may end in {', '.join(PACKED_ENDS)}; unpack it")
        tell = partial(_warn_once, str(path))
        return cls(str(path), end or otherwise, lambda: _opened(path), lambda: nullcontext(path), tell)

    def lines(self, *, max_bytes: int | None = None) -> Iterator[TableLine]:
        """Yield the nonempty rows as texts, starting with the names of the columns.

        For JSON, Parquet and Arrow, the names of the columns are line 0, and values other than texts are written as in
        JSON. Rows may have any length: `by_column` checks whether one fits. If reading fails midway, the rest becomes
        one row with a problem.

        Args:
            max_bytes: Limit on the characters of all rows, and on a spreadsheet's unpacked bytes; default None, no
                limit.

        Raises:
            DataError: The file as a whole is unreadable, or exceeds `max_bytes` or `bounds.COLUMNS`.
        """
        return self._bounded(self._lines(max_bytes), max_bytes)

    def _bounded(self, lines: Iterator[TableLine], max_bytes: int | None = None) -> Iterator[TableLine]:
        left, most, last = max_bytes, COLUMNS.most(), None
        try:
            for line in lines:
                if left is not None and (left := left - sum(map(len, line.cells))) < 0:
                    raise DataError(f"{self.name} contains more than {max_bytes:,} characters; split it")
                if len(line.cells) > most:
                    raise DataError(f"{self.name}, {line.entry}: {too_many_columns(len(line.cells))}")
                yield line
                last = line
        except BrokenOff as error:
            if last is None:
                raise
            yield TableLine(last.number + 1, last.number + 1, [], self._rest(error))

    def _rest(self, error: BrokenOff) -> str:
        why = str(error).removeprefix(f"{self.name} ").removeprefix(f"{self.name}: ")
        return f"the rest cannot be read: {why}"

    def _lines(self, max_unpacked_bytes: int | None) -> Iterator[TableLine]:
        if self.end in TEXT_ENDS:
            return self._text_lines()
        return self._sheet_lines(max_unpacked_bytes) if self.end in _SHEET_ENDS else self._lines_of_records()

    def _text_lines(self, delimiter: str | None = None) -> Iterator[TableLine]:
        has_told = False
        with self.opened() as handle, naming(self.name):
            for line in text_lines(handle, delimiter=delimiter, again=self.opened, tell=self.tell):
                for place, cell in enumerate(line.cells):
                    if cell.startswith('="') and (match := _TEXT_FORMULA.fullmatch(cell)) is not None:
                        line.cells[place] = match[1]
                        if not has_told:
                            self.tell(_TOLD_FORMULAS)
                            has_told = True
                yield line

    def _lines_of_records(self) -> Iterator[TableLine]:
        """Yield the column names of all rows, collected in one pass over the file, and then the rows."""
        rows = (record.values for record in self.records() if isinstance(record.values, Mapping))
        columns = dict.fromkeys(str(name) for values in rows for name in values)
        if columns:
            yield TableLine(0, 0, list(columns))
        for number, record in enumerate(self.records(), start=1):
            line = int(record.entry.rpartition(" ")[2]) if record.entry[-1:].isdecimal() else number
            if record.problem or not isinstance(record.values, Mapping):
                what = record.problem or f"a {type(record.values).__name__}, not columns with values"
                yield TableLine(line, line, [], what)
                continue
            values = {str(name): _value_text(value) for name, value in record.values.items()}
            if any(values.values()):
                yield TableLine(line, line, [values.get(name, "") for name in columns])

    def _sheet_lines(
        self, max_unpacked_bytes: int | None, are_parts: Callable[[Sequence[str]], bool] | None = None
    ) -> Iterator[TableLine]:
        """Yield the rows of a sheet, in which programs omit empty cells at the end of a row."""
        width = 0
        read = open_document_rows if self.end == OPEN_SUFFIX else sheet_rows
        with self.placed() as path:
            for number, cells, problem, sheet in read(
                path, max_unpacked_bytes=max_unpacked_bytes, title=self.name, tell=self.tell, parts_of=are_parts
            ):
                while cells and not cells[-1].strip():
                    cells.pop()
                if cells or problem:
                    width = width or len(cells)
                    yield TableLine(number, number, cells + [""] * (width - len(cells)), problem, sheet=sheet)

    def records(
        self,
        *,
        columns: Sequence[str] | None = None,
        needed: Sequence[str] = (),
        choose: Callable[[Sequence[ArrowColumn]], ChosenColumns] = every_column,
        usual_line_bytes: int = ROW_BYTES.usual,
        form: TableForm | None = None,
    ) -> Iterator[TableRecord]:
        """Yield the rows by column: values from text tables and sheets are strings, others keep their type.

        Args:
            columns: Column names for a text that has no header; default None.
            needed: Required columns; not checked in JSON, where each row has its own columns.
            choose: Function that returns the columns to read of Parquet and Arrow.
            usual_line_bytes: Largest line of JSON in bytes, unless `bounds.ROW_BYTES` sets another limit.
            form: Known form of texts and sheets; default None: one sheet whose first row has the names.

        Raises:
            DataError: The file as a whole is unreadable, or a column is missing or repeated.
        """
        if self.end in JSON_ENDS:
            yield from self._json_records(usual_line_bytes)
        elif self.end in _ARROW_ENDS:
            with self.placed() as path:
                for row in arrow_rows(path, _bounded_choice(choose, self.name), title=self.name):
                    if isinstance(row, ArrowRow):
                        yield TableRecord(f"row {row.number}", row.values)
                    else:
                        yield TableRecord(row.entry, None, row.detail)
        else:
            yield from self._records_of_lines(columns, needed, form)

    def _json_records(self, usual_bytes: int) -> Iterator[TableRecord]:
        last = 0
        try:
            with self.opened() as handle, naming(self.name):
                for last, value, problem in json_lines(handle, usual_bytes=usual_bytes):
                    yield TableRecord(f"line {last}", value, problem)
        except BrokenOff as error:
            if not last:
                raise
            yield TableRecord(f"after line {last}", None, self._rest(error))

    def unreadable(self, line: TableLine) -> DataError:
        """Return the error for a table that a single unreadable row makes useless."""
        if line.problem.startswith(OF_THE_WHOLE):
            return DataError(f"{self.name} {line.problem}")
        return DataError(f"{self.name}, {line.entry}: {line.problem}")

    def _records_of_lines(
        self, columns: Sequence[str] | None, needed: Sequence[str], form: TableForm | None
    ) -> Iterator[TableRecord]:
        names = None if columns is None else list(columns)
        lines, above, sheet = self.lines(), 0, ""
        if names is None and form is not None:
            head, lines = self._headed(form)
            if head is not None:
                names, above = head.names, head.rows
                _check_header(names, needed, self.name)
        left_above = above
        for line in lines:
            if line.sheet != sheet:
                left_above, sheet = above if sheet else left_above, line.sheet
            if left_above:
                left_above -= 1
                continue
            entry = f"row {line.number}" if self.end in _SHEET_ENDS else line.entry
            entry = f"sheet {sheet[:40]!a}, {entry}" if sheet else entry
            has_faults = form is not None and any(isinstance(cell, FaultyCell) for cell in line.cells)
            if names is None:
                if line.problem:
                    raise self.unreadable(line)
                names, above = header_names(line.cells), 1
                _check_header(names, needed, self.name)
            elif line.problem and not has_faults:
                yield TableRecord(entry, None, line.problem)
            else:
                values = by_column(names, line.cells, may_be_short=self.end in _SHEET_ENDS)
                if isinstance(values, str):
                    yield TableRecord(entry, None, values)
                else:
                    yield TableRecord(entry, form.in_part(sheet, values) if form is not None and sheet else values)
        if names is None and needed:
            raise DataError(f"{self.name}: column {needed[0]!r} is missing; the file is empty")

    def _headed(self, form: TableForm) -> tuple[TableHead | None, Iterator[TableLine]]:
        """Return the header and all rows of a table; if no header is found in a text file, try other delimiters."""
        is_text = self.end in TEXT_ENDS
        lines = self._bounded(self._text_lines() if is_text else self._sheet_lines(None, are_parts=form.are_parts))
        ahead = list(islice(lines, _LOOKED_AT))
        head = form.find_head(ahead)
        if head is None and is_text and (delimiter := self._other_delimiter(form)) is not None:
            lines = self._bounded(self._text_lines(delimiter))
            ahead = list(islice(lines, _LOOKED_AT))
            head = form.find_head(ahead)
        if head is not None and head.told:
            self.tell(head.told)
        return head, chain(ahead, lines)

    def _other_delimiter(self, form: TableForm) -> str | None:
        """Return the delimiter that reveals the head of a text, if titles above it contain a different one or none."""
        for delimiter in DELIMITERS:
            with self.opened() as handle, naming(self.name):
                if form.find_head(list(islice(text_lines(handle, delimiter=delimiter), _LOOKED_AT))) is not None:
                    return delimiter
        return None


def text_columns(head: bytes) -> list[str]:
    """Return the column names of a text table, from its first bytes; empty if they are unclear."""
    first = next(text_lines(BytesIO(head)), None)
    return [] if first is None or first.problem else header_names(first.cells)


def header_names(cells: Sequence[str]) -> list[str]:
    """Return the column names without the empty ones that programs add at the end."""
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    return names


def by_column(names: Sequence[str], cells: Sequence[str], *, may_be_short: bool = False) -> dict[str, str] | str:
    """Return the cells of a row by column, or the reason why they do not fit.

    Empty cells after the last column are dropped; programs add them if another row has more.

    Args:
        names: Names of the columns.
        cells: Cells of the row.
        may_be_short: Whether empty cells at the end may be missing; default False, since a short row may be part of a
            broken one.

    Example:
        >>> by_column(["id", "text"], ["1", "a", ""]), by_column(["id", "text"], ["1"])
        ({'id': '1', 'text': 'a'}, '1 cell where there are 2 columns')
    """
    if len(cells) > 1 and names and cells[0] == names[0] and header_names(cells) == list(names):
        return "repeats the names of the columns, as in joined files; remove the line"
    if len(cells) == len(names):
        return dict(zip(names, cells, strict=False))
    if (len(cells) < len(names) and not may_be_short) or any(cell.strip() for cell in cells[len(names) :]):
        are = "is" if len(names) == 1 else "are"
        return f"{counted(len(cells), 'cell')} where there {are} {counted(len(names), 'column')}"
    return dict(zip(names, cells, strict=False))


def _value_text(value: Any) -> str:
    """Return a value from JSON, Parquet or Arrow as the text of a cell; NaN is a missing value."""
    if isinstance(value, float) and isnan(value):
        return ""
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else cell_text(value)


def json_lines(handle: BinaryIO, *, usual_bytes: int = ROW_BYTES.usual) -> Iterator[tuple[int, Any, str]]:
    """Yield the number of each nonempty line of JSON with its value, or the reason why the line has no value.

    Args:
        handle: The lines, in UTF-8, or in UTF-16 with a byte order mark.
        usual_bytes: Largest line in bytes, unless `bounds.ROW_BYTES` sets another limit.
    """
    most_columns = COLUMNS.most()
    for number, line in numbered_lines(in_utf_8(handle), usual_bytes=usual_bytes):
        if line is None:
            most = f"more than {ROW_BYTES.most(usual_bytes) / MIB:g} MiB"
            yield number, None, f"{most}; split it, {ROW_BYTES.or_raise(usual_bytes)}"
            continue
        try:
            value = bounded_json(line)
        except ValueError as error:
            yield number, None, f"no JSON: {error}"
            continue
        if isinstance(value, dict) and len(value) > most_columns:
            yield number, None, too_many_columns(len(value))
        else:
            yield number, value, ""


@lru_cache(512)
def _warn_once(name: str, words: str) -> None:
    logger.warning("%s: %s", name, words)


def too_many_columns(columns: int) -> str:
    """Return a message, with advice, that a table has too many columns."""
    return f"{columns:,} columns; the limit is {COLUMNS.most():,}; drop unneeded ones, {COLUMNS.or_raise()}"


def _bounded_choice(
    choose: Callable[[Sequence[ArrowColumn]], ChosenColumns], title: str
) -> Callable[[Sequence[ArrowColumn]], ChosenColumns]:
    """Return a choice of columns that raises an error if there are too many."""

    def chosen(columns: Sequence[ArrowColumn]) -> ChosenColumns:
        if len(columns) > COLUMNS.most():
            raise DataError(f"{title}: {too_many_columns(len(columns))}")
        return choose(columns)

    return chosen


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as handle:
        if not path.name.lower().endswith(".gz"):
            yield handle
            return
        with unpacked(handle, str(path)) as content:
            yield content


def _check_header(names: Sequence[str], needed: Collection[str], file: str) -> None:
    if missing := [name for name in needed if name not in names]:
        raise DataError(f"{file}: column {missing[0]!r} is missing; the first line names {', '.join(names)}")
    if twice := [name for name in dict.fromkeys(names) if name and names.count(name) > 1]:
        raise DataError(f"{file}: the column {twice[0][:40]!a} occurs twice in the first line; rename one of the two")
