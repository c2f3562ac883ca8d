"""Parquet files of items with embedded pictures, for formats that read tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable
from benchwright.release.format.parquet import PieceLimits
from benchwright.release.format.schema import IMAGE

from .exported import ExportedItem, ExportHeader

TEXTS = (
    "item_id", "split", "question", "target", "answer", "refusal", "task", "kind", "level", "category", "explanation",
    "attributes", "sources", "canary",
)  # fmt: skip
"""Text columns; `attributes` and `sources` (a list for each picture) are JSON."""

LISTS = ("options", "image_ids", "image_roles", "group_keys")
"""Columns of lists of strings, the first in the order A, B, C, ..."""

_ROWS_AT_ONCE = 16

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)
"""Shared encoder; `json.dumps` would create one for each text."""


def item_row(exported: ExportedItem, header: ExportHeader) -> dict[str, Any]:
    """Return an item's row without pictures."""
    item = exported.item
    return {
        "item_id": exported.item_id,
        "split": exported.split,
        "question": exported.question,
        "target": exported.target,
        **item.model_dump(
            mode="json", include={"answer", "refusal", "task", "kind", "level", "category", "explanation", "group_keys"}
        ),
        "attributes": _ENCODER.encode(item.attributes),
        "sources": _ENCODER.encode(
            [[credit.document() for credit in picture.credits] for picture in exported.pictures]
        ),
        "canary": header.canary,
        "options": list(exported.options.values()),
        "image_ids": [image.image_id for image in item.images],
        "image_roles": [image.role for image in item.images],
    }  # fmt: skip


def text_fields() -> list[pa.Field]:
    """Return the columns of `item_row`."""
    texts = pa.list_(pa.field("element", pa.string()))
    return [*(pa.field(name, pa.string()) for name in TEXTS), *(pa.field(name, texts) for name in LISTS)]


def picture_cells(exported: ExportedItem) -> list[dict[str, Any]]:
    """Return an item's pictures in the form that `datasets` uses: bytes and a file name."""
    return [{"bytes": picture.data, "path": picture.file_name} for picture in exported.pictures]


class TableWriter:
    """Writes one Parquet file per split; the rows of a row group that share a picture store it only once.

    At most one row group is held in memory.

    Args:
        folder: Folder of the files.
        schema: Columns and metadata.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self._folder, self._schema = folder, schema
        self._limits = PieceLimits()
        self._rows: list[Mapping[str, Any]] = []
        self._size = 0
        self._split = ""
        self._writer: pq.ParquetWriter | None = None

    def write(self, exported: ExportedItem, row: Mapping[str, Any]) -> None:
        """Write a row; the rows of each split must be consecutive."""
        if exported.split != self._split:
            self.close()
            self._split = exported.split
            self._folder.mkdir(exist_ok=True)
            self._writer = pq.ParquetWriter(
                self._folder / f"{exported.split}.parquet", self._schema, version="2.6", data_page_version="1.0",
                compression="zstd", compression_level=3, use_dictionary=True,
                dictionary_pagesize_limit=4 * self._limits.group_bytes, write_statistics=["item_id", "split", "task"],
            )  # fmt: skip
        size = sum(len(picture.data) for picture in exported.pictures)
        if self._rows and (len(self._rows) >= self._limits.group_rows or self._size + size > self._limits.group_bytes):
            self._flush()
        self._rows.append(row)
        self._size += size

    def _flush(self) -> None:
        if self._rows:
            assert self._writer is not None
            table = pa.Table.from_pylist(self._rows, schema=self._schema)
            self._writer.write_table(table, row_group_size=len(self._rows))
            self._rows, self._size = [], 0

    def close(self) -> None:
        """Write the remaining rows and close the open file, if any."""
        try:
            self._flush()
        finally:
            if self._writer is not None:
                self._writer.close()
                self._writer, self._split = None, ""


def read_table(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file as Python values, with only a few in memory at a time.

    Raises:
        DataError: The file is not a Parquet file.
    """
    try:
        with ParquetTable(path, title=path.name) as table:
            for batch in table.batches(at_once=_ROWS_AT_ONCE):
                yield from batch.to_pylist()
    except OSError as error:
        raise DataError(f"{path.name} cannot be read as Parquet: {error}") from error


__all__ = ["IMAGE", "LISTS", "TEXTS", "TableWriter", "item_row", "picture_cells", "read_table", "text_fields"]
