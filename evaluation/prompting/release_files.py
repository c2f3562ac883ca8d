"""The data files of a release to be scored: their names, a check that they are unchanged, and their columns.

Statistics use this module to read facts about items without reading pictures or creating records.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from benchwright.errors import DataError
from benchwright.release.format.files import open_inside

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.files.parquet_tables import ParquetTable
    from benchwright.release import Release
    from benchwright.workspace.checked_files import CheckedFiles
from benchwright.statistics.components import components_of_column

_IN_EVERY_ITEM = {
    "item_id": "^[0-9a-f]{32}$",
    "split": "^[a-z][a-z0-9_]*$",
    "task": "^[a-z][a-z0-9_]*$",
    "choices": None,
}
"""Columns that every item has, with the patterns that their values must match."""


_GROUPS_AT_ONCE = 16
"""Number of row groups read together, usually of 512 items each: columns without pictures take some hundred bytes per
item."""


def data_files(release: Release, split: str | None) -> list[str]:
    """Return the names of the Parquet files of a split, or of all splits."""
    splits = release.splits if split is None else (split,)
    return [name for split_name in splits for name in release.manifest.data_files(split_name)]


def check_files(release: Release, split: str | None) -> None:
    """Compare the data files of a split, or of all splits, with the release's manifest; the comparison is repeated only
    after a change.

    Raises:
        DataError: A file is missing or has changed.
    """
    for name in data_files(release, split):
        with open_inside(release.path, name) as handle:
            stamp = _stamp(os.fstat(handle.fileno()))
            if release.checked.get(name) == stamp:
                continue
            sha256 = hashlib.file_digest(handle, "sha256").hexdigest()
        expected = release.manifest.files[name].sha256
        if sha256 != expected:
            raise DataError(
                f"{release.path}: {name} has changed since the freeze (its SHA-256 is {sha256}, in the manifest "
                f"{expected}); only an unchanged release can be scored; `benchwright release verify` shows all "
                "changes"
            )
        release.checked[name] = stamp


def note_checked(release: Release, checked: CheckedFiles) -> None:
    """Let `check_files` skip the data files that are unchanged since their workspace wrote or compared them.

    Args:
        release: A release in the workspace.
        checked: The workspace's checked files; unknown files are read.
    """
    for name in data_files(release, None):
        path = release.path / name
        with suppress(OSError):  # `check_files` reports it
            stamp = _stamp(path.stat())
            if checked.wrong(path, release.manifest.files[name].sha256) is None:
                release.checked[name] = stamp


def _stamp(state: os.stat_result) -> tuple[int, ...]:
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def columns_of(release: Release, split: str | None, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield selected columns of all items of a split, or of all splits, in the order of the release.

    Every value is validated before use. Use this only for files that `check_files` has accepted, because the
    uncompressed size is limited only by what the file itself states. To use an untrusted release, verify it first
    (`benchwright release verify` reads it in a separate process).

    Raises:
        DataError: A file cannot be read, has different columns than a release, or lacks values that every item has.
    """
    read = list(columns) if not release.withheld else [*dict.fromkeys(["item_id", *columns])]
    for name in data_files(release, split):
        with opened_table(release, name) as table:
            for batch in table.batches(read, groups_at_once=_GROUPS_AT_ONCE):
                _check_values(batch, table.title)
                yield _unsealed(batch, release.withheld).select(list(columns)) if release.withheld else batch


@contextmanager
def opened_table(release: Release, name: str) -> Iterator[ParquetTable]:
    """Yield an opened data file of a release.

    Raises:
        DataError: The file cannot be read, or has different columns or sizes than a release.
    """
    from benchwright.release.format.parquet import opened_data_file

    title, version = f"{release.path}: {name}", release.manifest.version
    with (
        open_inside(release.path, name) as handle,
        opened_data_file(handle, title=title, canary=release.canary, version=version, check_marks=False) as table,
    ):
        yield table


def _unsealed(batch: pa.RecordBatch, withheld: Mapping[str, Mapping[str, Any]]) -> pa.RecordBatch:
    """Return a batch completed with the values that a key file gives for sealed items."""
    import pyarrow as pa

    values = [withheld.get(item_id, {}) for item_id in batch.column("item_id").to_pylist()]
    for place, name in enumerate(batch.schema.names):
        if any(name in row for row in values):
            column = [row.get(name, old) for row, old in zip(values, batch.column(name).to_pylist(), strict=True)]
            batch = batch.set_column(place, batch.schema.field(place), pa.array(column, batch.schema.field(place).type))
    return batch


def _check_values(batch: pa.RecordBatch, place: str) -> None:
    """Refuse values that no item can have, because they are written to tables and terminals."""
    import pyarrow.compute as pc

    for name, pattern in _IN_EVERY_ITEM.items():
        if name not in batch.schema.names:
            continue
        column = batch.column(name)
        if column.null_count:
            raise DataError(f"{place}: an item has no {name}; `benchwright release verify` shows details")
        if pattern and not pc.all(pc.match_substring_regex(column, pattern), min_count=0).as_py():
            raise DataError(f"{place}: an item has an impossible {name}; `benchwright release verify` shows details")


def item_facts(release: Release, split: str | None) -> pa.Table:
    """Return a row for each item of a split, or of all splits, in the order of the release.

    Columns: `item_id`, `split`, `task`; `key`, the right letter, or null if there is none; `options`, the number of
        options; `group`, the index of the item's cluster, which contains all items linked to it by shared group keys,
        directly or through other items.

    Raises:
        DataError: A data file is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    batches = columns_of(release, split, ["item_id", "split", "task", "answer", "refusal", "choices"])
    pieces = [
        pa.table(
            {
                **{name: batch.column(name) for name in ("item_id", "split", "task")},
                "key": pc.coalesce(batch.column("answer"), batch.column("refusal")),
                "options": pc.list_value_length(batch.column("choices")),
            }
        )
        for batch in batches
    ]
    return pa.concat_tables(pieces).append_column("group", pa.array(groups_of(release, split), pa.int64()))


def groups_of(release: Release, split: str | None) -> list[int]:
    """Return the index of each item's cluster, in the order of the release; clusters are numbered by their first items.

    Raises:
        DataError: A data file is damaged.
    """
    return components_of_column([batch.column("group_keys") for batch in columns_of(release, split, ["group_keys"])])


def tasks_of(release: Release, split: str | None) -> list[str]:
    """Return the task of each item, in the order of the release.

    Raises:
        DataError: A data file is damaged.
    """
    return [task for batch in columns_of(release, split, ["task"]) for task in batch.column("task").to_pylist()]
