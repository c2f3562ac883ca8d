"""Tables: Arrow schemas of the records, and the only writer of Parquet files.

Equal rows give equal bytes: callers pass sorted rows, chunks are combined, and row groups, codec and level are fixed.
Every file states format and version in its schema; readers refuse newer versions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.machine.storage_faults import is_of_the_machine
from benchwright.records import LATER_SOURCE_FIELDS, ImageRecord, Item, Source
from benchwright.workspace.arrow_arrays import arrow_array

FORMAT = "benchwright/table"
VERSION = 1
ROWS_PER_GROUP = 8192

_TEXT, _INT, _TEXTS = pa.string(), pa.int64(), pa.list_(pa.string())

FILES = pa.schema(
    [("uri", _TEXT), ("image_id", _TEXT), ("verdict", _TEXT), ("reason", _TEXT), ("detail", _TEXT), ("kept_uri", _TEXT)]
)
"""One row per file of the image folder; `image_id` is null if the file was refused."""

IMAGES = pa.schema(
    [
        ("image_id", _TEXT), ("width", _INT), ("height", _INT), ("media_type", _TEXT), ("size_bytes", _INT),
        ("source_uri", _TEXT), ("dataset", _TEXT), ("canonical_id", _TEXT), ("licence", _TEXT), ("author", _TEXT),
        ("retrieved_at", _TEXT), ("derived_from", _TEXTS), ("operation_id", _TEXT), ("pixel_hash", _TEXT),
        ("root_image_id", _TEXT), ("notes", _TEXTS), ("made_by", _TEXT), ("source_url", _TEXT), ("source_date", _TEXT),
        ("source_attribution", _TEXT),
    ]
)  # fmt: skip
"""`made_by` is the record id of the step's input; null for sources. Older tables lack the columns after it."""

_STATED = ("dataset", "canonical_id", "licence", "author", "retrieved_at")
"""Fields of a source after which columns are named."""

ITEMS = pa.schema(
    [
        ("item_id", _TEXT), ("revision", _INT), ("content_hash", _TEXT), ("task", _TEXT), ("kind", _TEXT),
        ("answer", _TEXT), ("refusal", _TEXT), ("group_keys", _TEXTS), ("level", _TEXT), ("category", _TEXT),
        ("root_image_id", _TEXT), ("operation_id", _TEXT), ("made_by", _TEXT), ("record", _TEXT),
    ]
)  # fmt: skip
"""Columns by which code filters, and `record`: the whole record as canonical JSON."""

_OUTCOME_BASE = [
    ("record_id", _TEXT), ("record_hash", _TEXT), ("verdict", _TEXT), ("reason", _TEXT), ("evidence", _TEXT),
]  # fmt: skip

_ARROW = {
    "bool": pa.bool_(), "int64": pa.int64(), "uint64": pa.uint64(), "float64": pa.float64(), "string": pa.string(),
    "list<string>": _TEXTS,
}  # fmt: skip


def outcome_schema(values: Mapping[str, str]) -> pa.Schema:
    """Return the schema of a stage's outcomes: the common columns, followed by its declared values."""
    for name, kind in values.items():
        if kind not in _ARROW:
            raise ValueError(f"value {name!r} has type {kind!r}; known types: {', '.join(_ARROW)}")
    return pa.schema([*_OUTCOME_BASE, *((name, _ARROW[kind]) for name, kind in values.items())])


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> None:
    """Write rows that are already sorted as one Parquet file; see `write_columns`."""
    write_columns(path, columns_of_rows(rows, schema), schema)


def columns_of_rows(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> dict[str, Sequence[Any]]:
    """Return the columns of rows, with None for values that a row lacks."""
    return {field.name: [row.get(field.name) for row in rows] for field in schema}


def write_columns(path: Path, columns: Mapping[str, Sequence[Any] | pa.Array], schema: pa.Schema) -> None:
    """Write the columns of sorted rows as one Parquet file.

    `path` should be a draft that the caller moves into place (`benchwright.workspace.atomic.replacing`).
    """
    stamped = schema.with_metadata({"format": FORMAT, "version": str(VERSION)})
    given = [(columns[field.name], field.type) for field in stamped]
    arrays = [values if isinstance(values, pa.Array) else arrow_array(values, kind) for values, kind in given]
    table = pa.Table.from_arrays(arrays, schema=stamped)
    pq.write_table(table, path, row_group_size=ROWS_PER_GROUP, compression="zstd", compression_level=3)


def read_table(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file written by `write_table`.

    Raises:
        DataError: The file is missing, damaged, of another format, or newer than this program.
    """
    try:
        # pyarrow's own `read_table` would import its dataset module and pandas into every worker.
        with pq.ParquetFile(path) as file:
            table = file.read(columns=list(columns) if columns is not None else None, use_threads=False)
    except (OSError, pa.ArrowException) as error:
        if is_of_the_machine(error):
            raise
        raise DataError(f"cannot read table {path}: {error}; delete the file's stage folder and run again") from error
    meta = table.schema.metadata or {}
    if meta.get(b"format") != FORMAT.encode():
        raise DataError(f"{path} is not a Benchwright table; check whether another program replaced it")
    if int(meta.get(b"version", b"0")) > VERSION:
        raise DataError(
            f"{path} has table version {int(meta[b'version'])}, but this program reads up to {VERSION}; upgrade "
            "benchwright"
        )
    return table


def image_row(record: ImageRecord, made_by: str | None = None) -> dict[str, Any]:
    """Return an image record as a row of `IMAGES`."""
    row = record.model_dump(exclude={"source"})
    source = record.source.model_dump() if record.source else dict.fromkeys(("uri", *_STATED))
    row["source_uri"] = source.pop("uri")
    for name in LATER_SOURCE_FIELDS:  # absent if unstated, which preserves fingerprints of older rows
        if name in source:
            row[f"source_{name}"] = source.pop(name)
    return row | source | {"made_by": made_by}


def image_records(table: pa.Table) -> Iterator[ImageRecord]:
    """Yield the image records of a table of `IMAGES`."""
    for row in table.to_pylist():
        row.pop("made_by")
        source = {name: row.pop(name) for name in _STATED}
        source |= {name: row.pop(f"source_{name}", None) for name in LATER_SOURCE_FIELDS}
        uri = row.pop("source_uri")
        for name in ("derived_from", "notes"):
            row[name] = tuple(row[name])
        yield ImageRecord(**row, source=Source(uri=uri, **source) if uri is not None else None)


def item_row(item: Item, made_by: str) -> dict[str, Any]:
    """Return an item as a row of `ITEMS`."""
    row = {name: getattr(item, name) for name in ITEMS.names if name not in {"made_by", "record"}}
    return row | {"made_by": made_by, "record": canonical_json(item.model_dump(mode="json"))}


def items_of(table: pa.Table) -> Iterator[Item]:
    """Yield the items of a table of `ITEMS`."""
    for record in table.column("record").to_pylist():
        yield Item.model_validate_json(record)


def sorted_rows(rows: Iterable[Mapping[str, Any]], *keys: str) -> list[Mapping[str, Any]]:
    """Return rows sorted by columns whose combined values are unique."""
    return sorted(rows, key=lambda row: tuple(row[key] or "" for key in keys))
