"""Read tables from users, CSV or XLSX, row by row; nothing in them is trusted until checked.

Accepted are UTF-8 with or without a byte order mark, commas, quotes as spreadsheets write them, the first sheet of a
spreadsheet, and columns in any order. A file that is no such table is refused as a whole; a wrong row states its
problem and does not affect others.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.spreadsheets import cell_text, is_spreadsheet, sheet_rows
from benchwright.text_normalization import counted

MAX_BYTES = 256 * 2**20
MAX_FIELD = 10_000
MAX_LONG_FIELD = 4 << 20
"""Most characters of a cell in a column that may hold JSON."""


class CsvRow(NamedTuple):
    """One row of a table.

    Args:
        line: Line of the file on which the row ends, from 1.
        values: Values of the wanted columns, by column, without surrounding white space.
        problem: Problem of the row; None if it has none.
    """

    line: int
    values: dict[str, str]
    problem: str | None


def shown(value: str) -> str:
    """Quote a value for a message: at most 40 characters, control characters spelled out."""
    return repr(value) if len(value) <= 40 else f"{value[:40]!r}... ({len(value)} characters)"


def header_of(path: Path) -> list[str]:
    """Return the names of a table's columns in lower case; empty where there are none, or it is no such file."""
    try:
        return [name.strip().lower() for name in next(_lines(path), (0, []))[1]]
    except (OSError, BenchwrightError):
        return []  # `read_rows` says what is wrong with it


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line of a table that has any, in sheets as many as in the first.

    Raises:
        DataError: It is no CSV in UTF-8, or no spreadsheet.
    """
    if not is_spreadsheet(path):
        yield from _csv_lines(path)
        return
    width = 0
    for number, values in sheet_rows(path, max_unpacked_bytes=MAX_BYTES):
        cells = [cell_text(value) for value in values]
        while cells and not cells[-1].strip():
            cells.pop()
        if cells:
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))


def _csv_lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(MAX_BYTES)  # a cell that is too long is a problem of its row, not of the file
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.reader(handle, strict=True)
        try:
            yield from ((reader.line_num, cells) for cells in reader if cells)
        except csv.Error as error:
            raise DataError(f"{path}, line {reader.line_num}: no CSV from here on ({error})") from error
        except UnicodeDecodeError as error:
            spelled_byte = f"byte 0x{error.object[error.start]:02x}"
            raise DataError(f"{path} is not UTF-8 ({spelled_byte}, {error.reason}); save it as CSV in UTF-8") from error


def read_rows(
    path: Path,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    ignored: Sequence[str] | None = None,
    long: Collection[str] = (),
) -> Iterator[CsvRow]:
    """Yield the rows of a CSV or XLSX file, skipping empty lines.

    Args:
        path: A regular file of at most 256 MiB, unpacked.
        required: Columns that must be there.
        optional: Columns that may be there; absent ones are "".
        ignored: Further columns that may be there and are not read; default None, any.
        long: Columns whose cells may be long, such as regions as JSON; default none.

    Raises:
        DataError: The file does not exist, is neither CSV in UTF-8 nor a spreadsheet, or has the wrong columns.
        PrerequisiteError: It is a spreadsheet, and openpyxl is not installed.
    """
    if not path.is_file():
        raise DataError(f"{path} is {'not a file' if path.exists() else 'not there'}; expected a CSV file")
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} has {path.stat().st_size} bytes; a CSV file of at most {MAX_BYTES} is read")
    wanted = [*required, *optional]
    lines = _lines(path)
    header = next(lines, (0, []))[1]
    columns = _columns(path, header, required=required, optional=optional, ignored=ignored)
    for number, cells in lines:
        values = {name: cells[at].strip() for name, at in columns.items() if at < len(cells)}
        if len(cells) != len(header):
            problems = [f"{len(cells)} values for {counted(len(header), 'column')}"]
        else:
            problems = [bad for name, value in values.items() if (bad := _bad(name, value, is_long=name in long))]
        yield CsvRow(number, {name: values.get(name, "") for name in wanted}, "; ".join(problems) or None)


def _bad(name: str, value: str, *, is_long: bool) -> str | None:
    most = MAX_LONG_FIELD if is_long else MAX_FIELD
    if len(value) > most:
        return f"{name} {shown(value)} is longer than {most}"
    return f"{name} {shown(value)} holds a null character" if "\0" in value else None


def _columns(
    path: Path,
    header: Sequence[str],
    *,
    required: Sequence[str],
    optional: Sequence[str],
    ignored: Sequence[str] | None,
) -> dict[str, int]:
    """Return the index of each wanted column."""
    if not header:
        raise DataError(f"{path} is empty; the first line must name the columns {', '.join(required)}")
    names = [name.strip().lower() for name in header]
    known = [*required, *optional]
    problems = []
    if missing := [name for name in required if name not in names]:
        first = ", ".join(shown(name) for name in names[:8])
        expected = f"expected the columns {', '.join(required)}, separated by commas"
        problems.append(f"no column {', '.join(map(repr, missing))} in {first}; {expected}")
        near = {name: get_close_matches(name, names, n=1) for name in missing}
        problems += [f"did you mean {name!r} where it says {shown(at[0])}?" for name, at in near.items() if at]
    for name in dict.fromkeys(names):
        if names.count(name) > 1 and name in known:
            problems.append(f"column {name!r} is there {counted(names.count(name), 'time')}; keep one")
        if ignored is not None and name not in [*known, *ignored]:
            near_known = get_close_matches(name, known, n=1)
            hint = f"did you mean {near_known[0]!r}?" if near_known else f"known are {', '.join(known)}"
            problems.append(f"there is no column {shown(name)}; {hint}")
    if problems:
        raise DataError(f"{path}, line 1: {'; '.join(problems)}")
    return {name: names.index(name) for name in known if name in names}
