"""Reading of a release: `Release.open(folder)`, then `items()`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError, DataError
from benchwright.records import ImageRecord, Operation
from benchwright.release.format import documents
from benchwright.release.format import manifest as manifests
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.release.format.fetched import with_fetched
from benchwright.release.format.files import open_inside, read_inside, shown
from benchwright.release.format.later_pictures import GroupPictures, LaterItem
from benchwright.release.format.manifest import Manifest
from benchwright.release.format.parquet import numbered_rows, read_rows
from benchwright.release.format.provenance import read_provenance
from benchwright.release.format.rows import (
    KnownFiles,
    ReleasedItem,
    released_item,
    with_row_pictures,
    with_values,
)
from benchwright.release.format.schema import PICTURE_COLUMNS, columns_of_version


class Release:
    """An open release folder; only files listed in the manifest are read.

    Opening only compares the manifest with its seal; `verify_release` checks every file.
    """

    def __init__(self, path: Path, manifest: Manifest, release_id: str) -> None:
        self.path = path
        self.manifest = manifest
        self.release_id = release_id
        """SHA-256 of the manifest, which identifies the exact bytes of the release."""
        self.checked: dict[str, tuple[int, ...]] = {}
        """Data files found to match the manifest, with device, inode, size and times from before the check."""
        self.withheld: Mapping[str, Mapping[str, Any]] = {}
        """Column values of sealed items supplied by a key file, by item id."""

    @classmethod
    def open(cls, path: Path | str) -> Release:
        """Open a release folder.

        Raises:
            DataError: The folder is not a release, has a newer format version, or its manifest is damaged.
        """
        path = Path(path)
        if not path.is_dir():
            raise DataError(f"{path} is not a folder; a release is a folder with a {manifests.MANIFEST}")
        try:
            manifest, release_id = manifests.read_manifest(path)
            sealed = read_inside(path, manifests.SEAL, max_bytes=1024)
        except DataError as error:
            raise DataError(f"{path} is not a readable release: {error}") from error
        if sealed.split()[:1] != [release_id.encode()]:
            raise DataError(
                f"{path} is damaged: {manifests.MANIFEST} does not match {manifests.SEAL}; `benchwright release "
                "verify` shows details"
            )
        return cls(path, manifest, release_id)

    @property
    def name(self) -> str:
        """Return the benchmark's name."""
        return self.manifest.name

    @property
    def version(self) -> str:
        """Return the version of the benchmark, not of the format."""
        return self.manifest.release_version

    @property
    def content_id(self) -> str:
        """Return the root hash over items, splits and pictures."""
        return self.manifest.content_id

    @property
    def canary(self) -> str:
        """Return the canary: the string to search for in training data."""
        return self.manifest.canary

    @property
    def splits(self) -> tuple[str, ...]:
        """Return the names of the splits, sorted."""
        return tuple(sorted(self.manifest.counts.splits))

    @property
    def withheld_splits(self) -> frozenset[str]:
        """Return the names of the splits whose answers are sealed; empty once a key file has supplied them."""
        return frozenset() if self.withheld else frozenset(self.manifest.sealed_splits)

    def __len__(self) -> int:
        """Return the number of items."""
        return self.manifest.counts.items

    def __repr__(self) -> str:
        return f"Release({str(self.path)!r}, {self.name!r}, {self.version!r}, items={len(self)})"

    def items(
        self,
        split: str | None = None,
        *,
        tasks: Collection[str] | None = None,
        fetched: bool = True,
        pictures_of: Collection[str] | None = None,
    ) -> Iterator[ReleasedItem]:
        """Yield items by split in row order (`sort_key_of`), each checked against its hashes; few are in memory at a
        time.

        Args:
            split: Name of the only split to read; None for all.
            tasks: Names of the only tasks to read; None for all.
            fetched: Whether to include pictures that the release states by address, as downloaded by `release fetch`;
                if not, items lack them.
            pictures_of: Ids of the items whose pictures are read and checked, with no pictures for others; None for
                all.

        Raises:
            BenchwrightError: The release has no such split, or a picture is not fetched.
            DataError: A data file is damaged.
        """
        for split_name in self._splits_of(split):
            for name in self.manifest.data_files(split_name):
                for released in self._items_of(name, split_name, tasks, pictures_of):
                    is_wanted = fetched and (pictures_of is None or released.item.item_id in pictures_of)
                    yield with_fetched(released, self.path) if is_wanted else released

    def items_without_pictures(
        self,
        split: str | None = None,
        *,
        tasks: Collection[str] | None = None,
        item_ids: Collection[str] | None = None,
    ) -> Iterator[LaterItem]:
        """Yield items in the same order as `items` does, but read their pictures only on access.

        Accessing an item in another row group reads that row group, so access pictures in order and from one thread at
        a time.

        Args:
            split: Name of the only split to read; None for all.
            tasks: Names of the only tasks to read; None for all.
            item_ids: Ids of the only items to read; None for all.

        Raises:
            BenchwrightError: The release has no such split, or a picture is not fetched.
            DataError: A data file is damaged.
        """
        if self.manifest.by_address:  # only reading shows whether all were fetched
            for whole in self.items(split, tasks=tasks, pictures_of=item_ids):
                if item_ids is None or whole.item.item_id in item_ids:
                    yield LaterItem(whole.item, whole.split, partial(_itself, whole))
            return
        version = self.manifest.version
        texts = [column for column in columns_of_version(version) if column not in PICTURE_COLUMNS]
        for split_name in self._splits_of(split):
            for name in self.manifest.data_files(split_name):
                title, known = f"{self.path}: {name}", KnownFiles()
                pictures = GroupPictures(self.path, name, canary=self.canary, version=version)
                with open_inside(self.path, name) as handle:
                    for group, row in numbered_rows(
                        handle,
                        title=title,
                        canary=self.canary,
                        version=version,
                        columns=texts,
                        tasks=tasks,
                        item_ids=item_ids,
                    ):
                        released = self._checked(row, split_name, title, known)
                        look = partial(_whole, released, row["image_ids"], group, pictures, title, known)
                        yield LaterItem(released.item, split_name, look)

    def _items_of(
        self, name: str, split: str, tasks: Collection[str] | None, pictures_of: Collection[str] | None
    ) -> Iterator[ReleasedItem]:
        title = f"{self.path}: {name}"
        known = KnownFiles()
        with ExitStack() as files:

            def rows(
                columns: Sequence[str] | None, item_ids: Collection[str] | None = None
            ) -> Iterator[dict[str, Any]]:
                return read_rows(
                    files.enter_context(open_inside(self.path, name)),
                    title=title,
                    canary=self.canary,
                    version=self.manifest.version,
                    columns=columns,
                    tasks=tasks,
                    item_ids=item_ids,
                )

            there = columns_of_version(self.manifest.version)
            texts = [column for column in there if column not in PICTURE_COLUMNS]
            pictures = [column for column in there if column in PICTURE_COLUMNS]
            found = rows(None if pictures_of is None else texts)
            pictured = rows(["item_id", "task", *pictures], pictures_of) if pictures_of else iter(())
            for row in found:
                is_wanted = pictures_of is not None and row["item_id"] in pictures_of
                yield self._checked(row | next(pictured) if is_wanted else row, split, title, known)

    def _splits_of(self, split: str | None) -> tuple[str, ...]:
        """Return the names of the splits to read: the given one, or all."""
        if split is not None and split not in self.splits:
            raise BenchwrightError(f"{self.path} has no split {split!r}; it has {', '.join(self.splits)}")
        return self.splits if split is None else (split,)

    def _checked(self, row: Mapping[str, Any], split: str, title: str, known: KnownFiles) -> ReleasedItem:
        """Return a row as an item of a split, with the values that a key file supplies for it."""
        released = released_item(row, title=title, known=known)
        if released.split != split:
            raise DataError(
                f"{title}: item {released.item.item_id} is in a file of a split other than its own, {released.split!r}"
            )
        values = self.withheld.get(released.item.item_id)
        return released if values is None else with_values(released, values, title=title)

    def rows(
        self, columns: Sequence[str] | None = None, *, item_ids: Collection[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield rows in file order (`sort_key_of`), split by split.

        Rows are not checked here; `items` and `verify_release` check them.

        Args:
            columns: Names of the columns to read, including `item_id`; None for all without pictures. Rows lack columns
                that the release's version of the format lacks, such as `unmarked` in version 1.
            item_ids: Ids of the only items to read; None for all.

        Raises:
            DataError: A data file is damaged.
        """
        version = self.manifest.version
        there = columns_of_version(version)
        wanted = [name for name in there if name not in PICTURE_COLUMNS] if columns is None else columns
        names = [name for name in wanted if name in there]
        for split in self.splits:
            for name in self.manifest.data_files(split):
                with open_inside(self.path, name) as handle:
                    title = f"{self.path}: {name}"
                    for row in read_rows(
                        handle, title=title, canary=self.canary, version=version, columns=names, item_ids=item_ids
                    ):
                        values = self.withheld.get(row["item_id"], {})
                        yield {**row, **{name: value for name, value in values.items() if name in row}}

    def marked(self) -> dict[str, int]:
        """Return the number of items with marks on their pictures, by task; tasks without marks are omitted.

        Raises:
            DataError: A data file is damaged.
        """
        return self._count("visual_prompts", lambda marks: isinstance(marks, list) and any(marks))

    def estimated(self) -> dict[str, int]:
        """Return the number of items whose truth a model estimated, by task; tasks without such items are omitted.

        Raises:
            DataError: A data file is damaged.
        """
        return self._count("attributes", lambda attributes: isinstance(attributes, dict) and ESTIMATED_BY in attributes)

    def _count(self, column: str, counts: Callable[[Any], bool]) -> dict[str, int]:
        """Return, by task, the number of items whose value in a JSON column satisfies `counts`."""
        numbers: Counter[str] = Counter()
        for row in self.rows(("item_id", "task", column)):
            title = f"{self.path}: item {shown(str(row['item_id']))}: {column}"
            numbers[str(row["task"])] += counts(documents.parse(row[column] or "", title=title))
        return {task: number for task, number in sorted(numbers.items()) if number}

    def provenance(self) -> Iterator[Operation | ImageRecord]:
        """Yield the operations that made the items, then the records of all images that they show or derive from.

        Raises:
            DataError: The file is damaged.
        """
        yield from read_provenance(self.path)


def _whole(
    released: ReleasedItem,
    image_ids: Sequence[str],
    group: int,
    pictures: GroupPictures,
    title: str,
    known: KnownFiles,
) -> ReleasedItem:
    """Return an item together with its pictures."""
    row = {"image_ids": image_ids, **pictures.of(released.item.item_id, group)}
    return with_row_pictures(released, row, title=title, known=known)


def _itself(released: ReleasedItem) -> ReleasedItem:
    return released
