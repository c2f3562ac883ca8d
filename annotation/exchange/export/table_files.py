"""Write tables as Parquet and CSV, with the same rows in both; equal rows produce equal bytes."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.files.csv_cells import harmless

FileFormat = Literal["parquet", "csv"]
Type = Literal["text", "int", "float", "bool", "moment"]
_ARROW: Mapping[Type, pa.DataType] = {
    "text": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "moment": pa.timestamp("us", tz="UTC"),
}
Columns = Mapping[str, Type]
ROWS_PER_GROUP = 20_000


class ExportTable(NamedTuple):
    """A table to be written.

    Args:
        name: Name of the table, and of its files without their suffix.
        columns: Types of the columns by name, in order.
        rows: Sorted rows, with values in the order of the columns.
    """

    name: str
    columns: Columns
    rows: Iterable[Sequence[Any]]


class WrittenTable(NamedTuple):
    """A written table: the number of its rows, and the SHA-256 of each file by file name."""

    rows: int
    files: Mapping[str, str]


def write(table: ExportTable, folder: Path, formats: Sequence[FileFormat]) -> WrittenTable:
    """Write a table in each format, processing a few thousand rows at a time."""
    paths = [folder / f"{table.name}.{suffix}" for suffix in formats]
    count = 0
    with ExitStack() as stack:
        writers = [_WRITERS[suffix](table, path, stack) for suffix, path in zip(formats, paths, strict=True)]
        for batch in _batches(table.rows):
            count += len(batch)
            for writer in writers:
                writer.add(batch)
    return WrittenTable(count, {path.name: _sha256(path) for path in paths})


def _batches(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, ROWS_PER_GROUP)):
        yield batch


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


class _Parquet:
    def __init__(self, table: ExportTable, path: Path, stack: ExitStack) -> None:
        self._schema = pa.schema([(name, _ARROW[kind]) for name, kind in table.columns.items()])
        self._writer = stack.enter_context(
            pq.ParquetWriter(path, self._schema, compression="zstd", compression_level=3)
        )

    def add(self, rows: list[Sequence[Any]]) -> None:
        columns = zip(*rows, strict=True)
        arrays = [pa.array(column, type=field.type) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema), row_group_size=ROWS_PER_GROUP)


class _Csv:
    def __init__(self, table: ExportTable, path: Path, stack: ExitStack) -> None:
        handle: TextIO = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
        self._writer = csv.writer(handle, lineterminator="\n")
        self._writer.writerow(table.columns)

    def add(self, rows: list[Sequence[Any]]) -> None:
        self._writer.writerows([_cell(value) for value in row] for row in rows)


_WRITERS: Mapping[str, type[_Parquet] | type[_Csv]] = {"parquet": _Parquet, "csv": _Csv}


def _cell(value: Any) -> str:
    """Return a value as text for CSV; texts that a spreadsheet would execute are made harmless."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return harmless(value) if isinstance(value, str) else str(value)
