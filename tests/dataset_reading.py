"""Reading small datasets in tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchwright.construction.datasets.dataset_check import check_dataset
from benchwright.construction.readers.reader import DatasetReader, DatasetRecord, read_dataset
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow


def read_all(
    reader: DatasetReader, folder: Path, images: Path | None = None
) -> tuple[list[DatasetRecord], list[RefusedRow]]:
    """Return all records and refusals, without rows left out by rules."""
    rows = list(read_dataset(reader, DatasetFiles(folder), None if images is None else DatasetFiles(images)))
    records = [row for row in rows if isinstance(row, DatasetRecord)]
    return records, [row for row in rows if isinstance(row, RefusedRow) and not row.by_rule]


def checked(reader: DatasetReader, folder: Path) -> dict[str, Any]:
    """Return the result of `construct check`, with all examples and pictures opened."""
    return check_dataset(reader, folder, images=None, opens_pictures=True, examples=100)


def reasons(refused: Iterable[RefusedRow]) -> list[tuple[str, str, str]]:
    """Return file, row and reason of refusals."""
    return [(row.file, row.entry, row.reason) for row in refused]


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write a file with one JSON document, or one unchanged text, per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
