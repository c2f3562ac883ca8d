"""Read tables supplied by users row by row; their content is untrusted until checked.

Any table is accepted (`files.tables`), with columns in any order. A file that is not a table, or a text file with an
unreadable row, is refused as a whole; a wrong row states its problem and does not affect other rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.files.table_text import TableLine
from benchwright.files.tables import TEXT_ENDS, Table, by_column, header_names
from benchwright.texts.normalization import counted

MAX_BYTES = 256 * 2**20
_MAX_FIELD = 10_000
_MAX_LONG_FIELD = 4 << 20
"""Maximum number of characters in a cell of a column that may contain JSON."""


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
    """Quote a value for a message: at most 40 characters, with control characters escaped."""
    return repr(value) if len(value) <= 40 else f"{value[:40]!r}... ({len(value)} characters)"


def header_of(path: Path) -> list[str]:
    """Return the column names of a table in lower case; none if there are none or the file is not a table."""
    try:
        return [name.strip().lower() for line in islice(Table.at(path).lines(), 1) for name in line.cells]
    except (OSError, BenchwrightError):
        return []  # `read_rows` reports the problem


def read_rows(
    path: Path,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    ignored: Sequence[str] | None = None,
    long: Collection[str] = (),
) -> Iterator[CsvRow]:
    """Yield the rows of a table, skipping empty lines.

    Args:
        path: A regular file of at most 256 MiB, unpacked.
        required: Required columns.
        optional: Optional columns; the values of absent ones are "".
        ignored: Additional columns that are allowed but not read; default None, any column.
        long: Columns whose cells may be long, such as regions as JSON; default none.

    Raises:
        DataError: The file does not exist, is not a table, or has the wrong columns.
        PrerequisiteError: The file is a spreadsheet, and openpyxl is not installed.
    """
    if not path.is_file():
        what = "not a file" if path.exists() else "missing"
        raise DataError(f"{path} is {what}; expected a table, such as a CSV file")
    if path.stat().st_size > MAX_BYTES:
        raise DataError(f"{path} has {path.stat().st_size} bytes; a table can have at most {MAX_BYTES}")
    wanted = [*required, *optional]
    header: list[str] | None = None
    for line in (table := Table.at(path)).lines(max_bytes=MAX_BYTES):
        if line.problem and (header is None or (table.end in TEXT_ENDS and not line.cells)):
            raise table.unreadable(line)  # the text after it may be part of it
        if header is None:
            header = [name.lower() for name in header_names(line.cells)]
            _check_columns(path, header, required=required, optional=optional, ignored=ignored)
        else:
            yield _row(line, header, wanted, long)
    if header is None:
        raise DataError(f"{path} is empty; the first line must name the columns {', '.join(required)}")


def _row(line: TableLine, header: Sequence[str], wanted: Sequence[str], long: Collection[str]) -> CsvRow:
    cells = line.problem or by_column(header, line.cells)
    if isinstance(cells, str):
        known = dict(zip(header, line.cells, strict=False))
        return CsvRow(line.number, {name: known.get(name, "").strip() for name in wanted}, cells)
    values = {name: cells.get(name, "").strip() for name in wanted}
    problems = [bad for name, value in values.items() if (bad := _bad(name, value, is_long=name in long))]
    return CsvRow(line.number, values, "; ".join(problems) or None)


def _bad(name: str, value: str, *, is_long: bool) -> str | None:
    most = _MAX_LONG_FIELD if is_long else _MAX_FIELD
    if len(value) > most:
        return f"{name} {shown(value)} is longer than {most}"
    return f"{name} {shown(value)} holds a null character" if "\0" in value else None


def _check_columns(
    path: Path,
    names: Sequence[str],
    *,
    required: Sequence[str],
    optional: Sequence[str],
    ignored: Sequence[str] | None,
) -> None:
    """Check that all required columns exist and that all other columns are allowed.

    Raises:
        DataError: A required column is missing, or a column is not allowed.
    """
    known = [*required, *optional]
    problems = []
    if missing := [name for name in required if name not in names]:
        first = ", ".join(shown(name) for name in names[:8])
        expected = f"expected the columns {', '.join(required)}"
        problems.append(f"no column {', '.join(map(repr, missing))} in {first}; {expected}")
        near = {name: get_close_matches(name, names, n=1) for name in missing}
        problems += [f"did you mean {name!r} where it says {shown(at[0])}?" for name, at in near.items() if at]
    for name in dict.fromkeys(names):
        if names.count(name) > 1 and name in known:
            problems.append(f"column {name!r} appears {counted(names.count(name), 'time')}; keep one")
        if ignored is not None and name not in [*known, *ignored]:
            near_known = get_close_matches(name, known, n=1)
            hint = f"did you mean {near_known[0]!r}?" if near_known else f"known columns: {', '.join(known)}"
            problems.append(f"column {shown(name)} is unknown; {hint}")
    if problems:
        raise DataError(f"{path}, line 1: {'; '.join(problems)}")
