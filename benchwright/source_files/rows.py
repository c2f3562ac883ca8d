"""Rows of text files, checked: lines of JSON, CSV, lists in one JSON document.

A bad row is one refusal, not an error.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.bounds import DOCUMENT_VALUES, MIB, ROW_BYTES, ROW_VALUES
from benchwright.regions.formats.picture_marks import shown
from benchwright.regions.formats.streamed_json import JsonLists
from benchwright.storage_faults import naming
from benchwright.text_normalization import counted

from .files import DatasetFiles
from .refusals import BAD_ROW, RefusedRow

M = TypeVar("M", bound=BaseModel)

MAX_LINE_BYTES = 1 << 20
"""Most bytes of a line of a dataset's annotations, where `bounds.ROW_BYTES` says nothing else."""


class Row(NamedTuple):
    """One row as it stands, before it is checked.

    Args:
        entry: Which row of the file it is, such as `line 3`.
        document: Its content.
    """

    entry: str
    document: Any


class BadRow(ValueError):
    """What is wrong with a row; raised by readers for what types cannot say.

    Args:
        detail: What is wrong, with the value.
        reason: Stable code.
        rows: Number of rows that are left out with it.
    """

    by_rule: ClassVar[bool] = False

    def __init__(self, detail: str, reason: str = BAD_ROW, *, rows: int = 1) -> None:
        super().__init__(detail)
        self.reason, self.rows = reason, rows


class LeftOutByRule(BadRow):
    """The rule by which a sound row is left out."""

    by_rule: ClassVar[bool] = True

    def __init__(self, reason: str, detail: str, *, rows: int = 1) -> None:
        super().__init__(detail, reason, rows=rows)


def numbered_lines(handle: BinaryIO, *, usual_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that are not empty with their number from 1; None for a line that is too long.

    Args:
        handle: The file.
        usual_bytes: Most bytes of a line, where `bounds.ROW_BYTES` says nothing else.
    """
    number, max_bytes = 0, ROW_BYTES.most(usual_bytes)
    while line := handle.readline(max_bytes):
        number += 1
        whole = line.endswith(b"\n") or len(line) < max_bytes
        is_long = not whole
        while not whole and (rest := handle.readline(max_bytes)):
            whole = rest.endswith(b"\n")
        if is_long:
            yield number, None
        elif line.strip():
            yield number, line


def json_rows(files: DatasetFiles, path: str, *, usual_bytes: int = MAX_LINE_BYTES) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a file with one JSON document a line, of a length as `numbered_lines` has it."""
    with files.opened(path) as handle, naming(files.shown(path)):
        for number, line in numbered_lines(handle, usual_bytes=usual_bytes):
            entry = f"line {number}"
            if line is None:
                most = f"more than {ROW_BYTES.most(usual_bytes) / MIB:g} MiB"
                yield RefusedRow(path, entry, BAD_ROW, f"{most}; split it, {ROW_BYTES.or_raise(usual_bytes)}")
                continue
            try:
                yield Row(entry, bounded_json(line))
            except (ValueError, RecursionError) as error:
                yield RefusedRow(path, entry, BAD_ROW, f"no JSON: {error}")


def json_list(files: DatasetFiles, path: str) -> Iterator[Row]:
    """Yield the entries of a file that is one JSON list, however long it is.

    Raises:
        DataError: The file is no JSON list, or is cut off.
    """
    with files.as_path(path) as place:
        try:
            for number, element in enumerate(JsonLists(place).entries(), start=1):
                yield Row(f"entry {number}", element)
        except DataError as error:
            raise DataError(str(error).replace(str(place), files.shown(path))) from None


def json_document(files: DatasetFiles, path: str) -> Row | RefusedRow:
    """Return the content of a file that is one JSON document."""
    try:
        return Row("", bounded_json(files.read(path), bound=DOCUMENT_VALUES))
    except (ValueError, RecursionError) as error:
        return RefusedRow(path, "", BAD_ROW, f"no JSON: {error}")


def csv_rows(
    files: DatasetFiles,
    path: str,
    *,
    columns: Sequence[str] | None = None,
    needed: Sequence[str] = (),
    delimiter: str = ",",
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a CSV file as mappings from column to text.

    Args:
        files: The dataset.
        path: Path of the file.
        columns: Names of the columns of a file without a header; default None, the first line has them.
        needed: Columns that have to be there.
        delimiter: What stands between two cells: a comma by default, a tab in TSV files.

    Raises:
        DataError: A needed column is missing.
    """
    with files.opened(path) as handle, naming(files.shown(path)):
        # Pictures in base64 are longer than the 128 KiB that csv allows a cell. The limit is one for the whole process.
        csv.field_size_limit(max(csv.field_size_limit(), ROW_BYTES.most()))
        text = io.TextIOWrapper(handle, encoding="utf-8-sig", errors="surrogateescape", newline="")
        lines = _RowLines(text, delimiter)
        reader = csv.reader(lines, strict=True, delimiter=delimiter)
        names = list(columns) if columns is not None else None
        while True:
            try:
                lines.begin_row()
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield RefusedRow(path, f"line {reader.line_num}", BAD_ROW, f"no CSV: {error}")
                continue
            except BadRow as error:
                yield RefusedRow(path, f"line {reader.line_num + 1}", BAD_ROW, str(error))
                continue
            entry = f"line {reader.line_num}"
            if not any(cells):
                continue
            if names is None:
                names = [cell.strip() for cell in cells]
                _check_header(names, needed, files.shown(path))
            elif len(cells) != len(names):
                yield RefusedRow(
                    path, entry, BAD_ROW, f"{len(cells)} cells where there are {counted(len(names), 'column')}"
                )
            elif bad := next((cell for cell in cells if not _is_text(cell)), None):
                yield RefusedRow(path, entry, BAD_ROW, f"no UTF-8: {bad!r}")
            else:
                yield Row(entry, dict(zip(names, cells, strict=True)))


class _RowLines:
    """Lines of a table, of which those of one row are bounded before its cells are made.

    Args:
        text: The table.
        delimiter: What stands between two cells.
    """

    def __init__(self, text: io.TextIOWrapper, delimiter: str) -> None:
        self._text, self._delimiter = text, delimiter
        self._most, self._most_cells = ROW_BYTES.most(), ROW_VALUES.most()
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
        self._cells += line.count(self._delimiter)
        if self._characters >= self._most or self._cells > self._most_cells:
            bound = ROW_BYTES if self._characters >= self._most else ROW_VALUES
            while line and not line.endswith(("\n", "\r")):
                line = self._text.readline(MAX_LINE_BYTES)
            raise BadRow(
                f"the row has more than {self._most / MIB:g} MiB or {self._most_cells:,} cells, the most that are "
                f"read; a quotation mark may be missing, or a column too many; mend it, "
                f"{bound.or_raise()}"
            )
        return line


def _check_header(names: Sequence[str], needed: Sequence[str], file: str) -> None:
    if missing := [name for name in needed if name not in names]:
        raise DataError(f"{file}: column {missing[0]!r} is missing; the first line names {', '.join(names)}")
    if len(set(names)) != len(names):
        raise DataError(f"{file}: a column's name stands twice in the first line: {', '.join(names)}")


def _is_text(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def checked(model: type[M], row: Row) -> M:
    """Return a row as a model.

    Raises:
        BadRow: A field is missing or wrong; names it, with its value.
    """
    try:
        return model.model_validate(row.document)
    except ValidationError as error:
        raise BadRow(first_mistake(error)) from None


def first_mistake(error: ValidationError) -> str:
    """Return the first mistake of a model in words: field, what is wrong, value."""
    mistake = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(map(str, mistake["loc"]))
    message = mistake["msg"].removeprefix("Value error, ")
    value = (
        ""
        if mistake["type"] == "missing" or isinstance(mistake["input"], Mapping)
        else f", not {shown(mistake['input'])}"
    )
    return f"{field}: {message}{value}" if field else f"{message}{value}"


class _Guarded:
    """Catches what is wrong with one row; `refusal` is what to yield then."""

    def __init__(self, file: str, entry: str) -> None:
        self.file, self.entry = file, entry
        self.refusal: RefusedRow | None = None

    def __enter__(self) -> _Guarded:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, BadRow):
            self.refusal = RefusedRow(self.file, self.entry, error.reason, str(error), error.rows, error.by_rule)
        elif isinstance(error, ValidationError):
            self.refusal = RefusedRow(self.file, self.entry, "bad_row", first_mistake(error))
        elif isinstance(error, BenchwrightError):
            self.refusal = RefusedRow(self.file, self.entry, "unreadable_file", str(error))
        return self.refusal is not None


def guarded(file: str, entry: str = "") -> _Guarded:
    """Return a context in which a wrong row becomes a refusal instead of an error."""
    return _Guarded(file, entry)
