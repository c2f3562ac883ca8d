"""The data files of a release that is scored: which they are, whether they are as frozen, and columns of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright.errors import DataError
from benchwright.release.files import open_inside

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.release import Release


def data_files(release: Release, split: str | None) -> list[str]:
    """Return the names of the Parquet files of a split, or of all."""
    splits = release.splits if split is None else (split,)
    return [name for one in splits for name in release.manifest.data_files(one)]


def check_files(release: Release, split: str | None) -> None:
    """Compare the data files of a split, or of all, with the release's manifest.

    Raises:
        DataError: One is missing or changed.
    """
    for name in data_files(release, split):
        with open_inside(release.path, name) as handle:
            found = hashlib.file_digest(handle, "sha256").hexdigest()
        expected = release.manifest.files[name].sha256
        if found != expected:
            raise DataError(
                f"{release.path}: {name} is not as it was frozen (its SHA-256 is {found}, the manifest says "
                f"{expected}); nothing is scored on a changed release; `benchwright release verify` says more"
            )


def columns_of(release: Release, split: str | None, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield some columns of all items of a split, or of all, in the order of the release.

    Only files that `check_files` has passed are to be read: Arrow does not stand up to files made to harm.

    Raises:
        DataError: A file cannot be read, or lacks a column.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in data_files(release, split):
        try:
            with open_inside(release.path, name) as handle, pq.ParquetFile(handle, pre_buffer=False) as file:
                yield from file.iter_batches(columns=list(columns), use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{release.path}: {name} cannot be read ({str(error).splitlines()[0][:200]})") from error
