"""Items of a release whose pictures are read on first access, one row group at a time.

This is for callers that already have the results for most pictures and access few, such as a report that is written
again, or a specialist model with answers to nearly all items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.records import Item
from benchwright.release.format.files import open_inside
from benchwright.release.format.parquet import read_rows
from benchwright.release.format.rows import ReleasedItem
from benchwright.release.format.schema import PICTURE_COLUMNS, columns_of_version


class LaterItem:
    """One item of a release; each access to its pictures reads and checks them as `Release.items` does.

    Args:
        item: Record of the item, with the answer.
        split: Name of the item's split.
        read: Function that returns the item with its pictures.
    """

    __slots__ = ("_read", "item", "split")

    def __init__(self, item: Item, split: str, read: Callable[[], ReleasedItem]) -> None:
        self.item, self.split, self._read = item, split, read

    @property
    def images(self) -> Mapping[str, bytes]:
        """File bytes by image id, as in `ReleasedItem`.

        Raises:
            DataError: A file does not match its id, or the data file is damaged.
        """
        return self._read().images

    @property
    def drawn(self) -> tuple[bytes | None, ...]:
        """Files with drawn marks, as in `ReleasedItem`; raises the same errors as `images`."""
        return self._read().drawn


class GroupPictures:
    """The picture columns of a data file; the last row group read is kept in memory.

    Args:
        folder: Folder of the release.
        name: Name of the data file.
        canary: Canary of the release.
        version: Format version of the release.
    """

    def __init__(self, folder: Path, name: str, *, canary: str, version: int) -> None:
        self._folder, self._name, self._canary, self._version = folder, name, canary, version
        self._group, self._rows = -1, dict[str, Mapping[str, Any]]()

    def of(self, item_id: str, group: int) -> Mapping[str, Any]:
        """Return the picture columns of an item's row.

        Args:
            item_id: Id of the item.
            group: Index of the row group that contains its row.

        Raises:
            DataError: The file cannot be read, or has changed.
        """
        if group != self._group:
            self._rows = {}  # before the next are read
            self._rows, self._group = self._read(group), group
        if item_id not in self._rows:
            raise DataError(f"{self._folder}: {self._name} changed during reading; item {item_id} is gone")
        return self._rows[item_id]

    def _read(self, group: int) -> dict[str, Mapping[str, Any]]:
        there = [name for name in columns_of_version(self._version) if name in PICTURE_COLUMNS]
        with open_inside(self._folder, self._name) as handle:
            rows = read_rows(
                handle,
                title=f"{self._folder}: {self._name}",
                canary=self._canary,
                version=self._version,
                columns=["item_id", *there],
                groups=[group],
            )
            return {row.pop("item_id"): row for row in rows}
