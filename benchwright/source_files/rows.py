"""Checked rows of files: tables of any kind, lists in one JSON document.

An invalid row causes one refusal, not an error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.arrow_files import ArrowColumn, ChosenColumns
from benchwright.files.bounded_json import bounded_json
from benchwright.files.bounds import DOCUMENT_VALUES
from benchwright.files.numbered_lines import MAX_LINE_BYTES
from benchwright.files.tables import TableForm, every_column
from benchwright.regions.formats.picture_marks import shown
from benchwright.regions.formats.streamed_json import JsonLists

from .files import DatasetFiles
from .refusals import BAD_ROW, RefusedRow

M = TypeVar("M", bound=BaseModel)


class Reshaped(NamedTuple):
    """A change of a row's columns.

    Args:
        by: Description of the change, such as `layout 'claims'`.
        columns: Columns that the change split; empty if the change follows from the form of the file alone.
        before: The row as it was before the change.
        reading: Description of the result; empty if `by` states it.
    """

    by: str
    columns: frozenset[str]
    before: Mapping[str, Any]
    reading: str = ""


class Row(NamedTuple):
    """One raw row, before checks.

    Args:
        entry: Row of the file, such as `line 3`.
        document: Content of the row.
        position: Index, from 0, of the row in the file, or of the entry that contains it; None if the reader does not
            count.
        made: Changes from the file's columns to the row's, in order; empty if there are none.
    """

    entry: str
    document: Any
    position: int | None = None
    made: tuple[Reshaped, ...] = ()


class BadRow(ValueError):
    """A mistake in a row; readers raise it for violations of rules beyond types.

    Args:
        detail: The mistake, with the value. reason: Stable code.
        rows: Number of rows lost with it.
    """

    by_rule: ClassVar[bool] = False

    def __init__(self, detail: str, reason: str = BAD_ROW, *, rows: int = 1) -> None:
        super().__init__(detail)
        self.reason, self.rows = reason, rows


class LeftOutByRule(BadRow):
    """The rule because of which a valid row is omitted."""

    by_rule: ClassVar[bool] = True

    def __init__(self, reason: str, detail: str, *, rows: int = 1) -> None:
        super().__init__(detail, reason, rows=rows)


def table_rows(
    files: DatasetFiles,
    path: str,
    *,
    end: str | None = None,
    columns: Sequence[str] | None = None,
    needed: Sequence[str] = (),
    choose: Callable[[Sequence[ArrowColumn]], ChosenColumns] = every_column,
    usual_line_bytes: int = MAX_LINE_BYTES,
    form: TableForm | None = None,
) -> Iterator[Row | RefusedRow]:
    """Yield the rows of a table (`files.tables`) as mappings from column to value.

    Args:
        files: The dataset.
        path: Path of the table.
        end: Kind of the table, one of `TABLE_ENDS`, if its name does not indicate it.
        columns: Column names for a text without a header; default None: the first line has them.
        needed: Required columns.
        choose: Function that returns the columns to read of Parquet and Arrow.
        usual_line_bytes: Largest line of JSON in bytes, unless `bounds.ROW_BYTES` sets another limit.
        form: Known form of texts and sheets; default None: one sheet whose first row has the names.

    Raises:
        DataError: The file as a whole is unreadable, or a required column is missing.
    """
    records = files.table(path, end=end).records(
        columns=columns, needed=needed, choose=choose, usual_line_bytes=usual_line_bytes, form=form
    )
    for entry, values, problem in records:
        yield RefusedRow(path, entry, BAD_ROW, problem) if problem else Row(entry, values)


def json_list(files: DatasetFiles, path: str) -> Iterator[Row]:
    """Yield the entries of a file that is one JSON list, however long it is.

    Raises:
        DataError: The file is not a JSON list, or is truncated.
    """
    with files.as_path(path) as place:
        try:
            for number, element in enumerate(JsonLists(place).entries(), start=1):
                yield Row(f"entry {number}", element, number - 1)
        except DataError as error:
            raise DataError(str(error).replace(str(place), files.shown(path))) from None


def json_document(files: DatasetFiles, path: str) -> Row | RefusedRow:
    """Return the content of a file that is one JSON document."""
    try:
        return Row("", bounded_json(files.read(path), bound=DOCUMENT_VALUES))
    except (ValueError, RecursionError) as error:
        return RefusedRow(path, "", BAD_ROW, f"no JSON: {error}")


def checked(model: type[M], row: Row) -> M:
    """Return a row as a model.

    Raises:
        BadRow: A field is missing or invalid; the message names it with its value.
    """
    try:
        return model.model_validate(row.document)
    except ValidationError as error:
        raise BadRow(first_mistake(error)) from None


def checked_beside(model: type[M], row: Row, beside: Collection[str]) -> tuple[M, list[str]]:
    """Return a row as a model without its invalid optional cells, and the mistakes in these cells.

    Args:
        model: The model.
        row: The row.
        beside: Optional fields that do not affect the question, such as a license; each has a default.

    Raises:
        BadRow: Another field is missing or invalid; the message names it with its value.
    """
    try:
        return model.model_validate(row.document), []
    except ValidationError as error:
        mistakes = [(str(place[0]), mistake) for mistake in _mistakes(error) if (place := mistake["loc"])]
    wrong = {field: mistake for field, mistake in mistakes if field in beside}
    if not wrong:
        return checked(model, row), []
    sound = {field: cell for field, cell in row.document.items() if field not in wrong}
    details = [f"{_in_words(wrong[field])}; used without it" for field in sorted(wrong)]
    return checked(model, Row(row.entry, sound)), details


def first_mistake(error: ValidationError) -> str:
    """Return the first validation error of a model as text: the field, the mistake and the value."""
    return _in_words(_mistakes(error)[0])


def _mistakes(error: ValidationError) -> Sequence[Mapping[str, Any]]:
    return error.errors(include_url=False, include_context=False)


def _in_words(mistake: Mapping[str, Any]) -> str:
    field = ".".join(map(str, mistake["loc"]))
    message = mistake["msg"].removeprefix("Value error, ")
    value = (
        ""
        if mistake["type"] == "missing" or isinstance(mistake["input"], Mapping)
        else f", not {shown(mistake['input'])}"
    )
    return f"{field}: {message}{value}" if field else f"{message}{value}"


_MOST_CHARACTERS = 600
"""Largest length of a detail in characters, because a cell can have any length."""


def _shortened(detail: str) -> str:
    half = _MOST_CHARACTERS // 2
    return detail if len(detail) <= _MOST_CHARACTERS else f"{detail[:half]} ... {detail[-half:]}"


class _Guarded:
    """A context that catches the mistake of one row; `refusal` then contains the entry to yield."""

    def __init__(self, file: str, entry: str) -> None:
        self.file, self.entry = file, entry
        self.refusal: RefusedRow | None = None

    def __enter__(self) -> _Guarded:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, BadRow):
            detail = _shortened(str(error))
            self.refusal = RefusedRow(self.file, self.entry, error.reason, detail, error.rows, error.by_rule)
        elif isinstance(error, ValidationError):
            self.refusal = RefusedRow(self.file, self.entry, "bad_row", first_mistake(error))
        elif isinstance(error, BenchwrightError):
            self.refusal = RefusedRow(self.file, self.entry, "unreadable_file", str(error))
        return self.refusal is not None


def guarded(file: str, entry: str = "") -> _Guarded:
    """Return a context in which an invalid row becomes a refusal instead of an error."""
    return _Guarded(file, entry)
