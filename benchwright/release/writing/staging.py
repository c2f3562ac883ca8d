"""Staging of a release's items in a temporary SQLite file, from which they are read back in sorted order.

Items are added in the order of the workspace and read by split, picture and id. Memory use does not grow with their
number.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.records import ImageRecord, Item
from benchwright.release.card.example import MOST_PICTURES
from benchwright.release.card.texts import TextTally
from benchwright.release.format import identity
from benchwright.release.format.drawn import has_marks
from benchwright.release.format.estimates import is_estimated
from benchwright.release.format.manifest import SPLIT
from benchwright.release.format.parquet import PictureRange
from benchwright.release.format.provenance import SourceCount, SourceTally
from benchwright.release.format.rows import spelled_row
from benchwright.release.format.schema import sort_key_of
from benchwright.release.writing.expected_size import PictureOfRow

_TABLES = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE item (
        item_id TEXT PRIMARY KEY, picture TEXT, split TEXT, task TEXT, operation_id TEXT, leaf BLOB, is_marked INTEGER,
        is_estimated INTEGER, row TEXT
    );
    CREATE INDEX item_by_picture ON item (split, picture, item_id);
    CREATE TABLE image (
        image_id TEXT PRIMARY KEY, dataset TEXT, licence TEXT, author TEXT, is_source INTEGER,
        operation_id TEXT, record TEXT
    ) WITHOUT ROWID;
"""  # phrase: allowed


class Staging:
    """Rows and image records by id, in a new file that the owner of the path deletes."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(_TABLES)
        self._database.execute("BEGIN")
        self.tally = TextTally()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def take_in(self, items: Iterable[tuple[Item, str]], image: Callable[[str], ImageRecord]) -> None:
        """Add items with their splits, and the records of the images that they show and of those images' ancestors.

        Raises:
            DataError: The name of a split, an item or an image is invalid.
        """
        last: set[str] = set()
        for item, split in items:
            if not re.fullmatch(SPLIT, split):
                raise DataError(f"item {item.item_id} is in split {split!r}: give lower-case letters, digits and '_'")
            self.add_item(item, split)
            shown = {item.root_image_id, *(shown.image_id for shown in item.images)}
            wanted, last = sorted(shown - last), shown  # the next item mostly shows the same
            while wanted:
                image_id = wanted.pop()
                if self.has_image(image_id):
                    continue
                record = image(image_id)
                if record.image_id != image_id:
                    raise DataError(f"requested image {image_id}, but got the record of {record.image_id}")
                self.add_image(record)
                wanted += record.derived_from

    def add_item(self, item: Item, split: str) -> None:
        """Add an item.

        Raises:
            DataError: The item has been added already, or cannot be written as a row.
        """
        columns, row = spelled_row(item, split)
        picture, _ = sort_key_of(columns)
        leaf = identity.leaf_of(item, split)
        facts = (split, item.task, item.operation_id, leaf, has_marks(item), is_estimated(item))
        try:
            values = (item.item_id, picture, *facts, row)
            self._database.execute("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        except sqlite3.IntegrityError:
            raise DataError(f"item {item.item_id} appears twice; a release contains each item once") from None
        self.tally.add(item)

    def has_item(self, item_id: str) -> bool:
        """Return whether an item has been added."""
        return self._first_row("SELECT 1 FROM item WHERE item_id = ?", item_id) is not None

    def has_image(self, image_id: str) -> bool:
        """Return whether an image's record has been added."""
        return self._first_row("SELECT 1 FROM image WHERE image_id = ?", image_id) is not None

    def add_image(self, record: ImageRecord) -> None:
        """Add an image's record.

        Raises:
            DataError: The record contains text that cannot be encoded in UTF-8.
        """
        source = record.source
        values = (
            record.image_id,
            source and source.dataset,
            source and source.licence,
            source and source.author,
            source is not None,
            record.operation_id,
            canonical_json(record.model_dump(mode="json")),
        )
        try:
            self._database.execute("INSERT INTO image VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        except UnicodeEncodeError as error:
            raise DataError(f"image {record.image_id} cannot be released: {error}") from error

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of an image that has been added."""
        row = self._first_row("SELECT record FROM image WHERE image_id = ?", image_id)
        if row is None:
            raise KeyError(image_id)
        return ImageRecord.model_validate_json(row[0])

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the number of items by split and task."""
        counts: dict[str, dict[str, int]] = {}
        query = "SELECT split, task, count(*) FROM item GROUP BY split, task ORDER BY split, task"
        for split, task, n in self._database.execute(query):
            counts.setdefault(split, {})[task] = n
        return counts

    def marked(self) -> dict[str, int]:
        """Return the number of items with marks on their pictures, by task; tasks without marks are omitted."""
        query = "SELECT task, count(*) FROM item WHERE is_marked GROUP BY task ORDER BY task"
        return dict(self._database.execute(query))

    def estimated(self) -> int:
        """Return the number of items whose truth a model estimated."""
        row = self._first_row("SELECT count(*) FROM item WHERE is_estimated")
        return 0 if row is None else int(row[0])

    def rows(self, split: str, pictures: PictureRange) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield the rows of a part of a split in the order of `sort_key_of`, each with the size of its text, in
        bytes.
        """
        query = "SELECT row FROM item WHERE split = ? AND picture >= ? AND picture < ? ORDER BY picture, item_id"
        for (row,) in self._database.execute(query, (split, *pictures)):
            yield json.loads(row), len(row)

    def example_rows(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield the rows that the card may show as its example in order of preference, each with the size of its text,
        in bytes.
        """
        query = (
            "SELECT row FROM item WHERE is_marked = ? AND json_array_length(row, '$.image_ids') BETWEEN 1 AND ? "
            "ORDER BY item_id"
        )
        for is_marked in (True, False):
            for (row,) in self._database.execute(query, (is_marked, MOST_PICTURES)):
                yield json.loads(row), len(row)

    def shown(self, is_visual: Callable[[str, str], bool]) -> Iterator[PictureOfRow]:
        """Yield the pictures that items show, once per split and set of marks, sorted by split and image."""
        query = (
            "SELECT DISTINCT split, shown.value, marks.value, operation_id, task FROM item, "
            "json_each(item.row, '$.image_ids') AS shown, "
            "json_each(json_extract(item.row, '$.visual_prompts')) AS marks "
            "WHERE marks.key = shown.key ORDER BY split, shown.value, marks.value"
        )
        last: tuple[str, str, str] | None = None
        for split, image_id, marks, operation_id, task in self._database.execute(query):
            if last != (last := (split, image_id, marks)):
                yield PictureOfRow(split, image_id, marks != "[]", is_visual(operation_id, task))

    def text_bytes(self) -> int:
        """Return the size of all rows without pictures, in bytes."""
        row = self._first_row("SELECT coalesce(sum(length(CAST(row AS BLOB))), 0) FROM item")
        return 0 if row is None else int(row[0])

    def shows_again(self, split: str, pictures: PictureRange) -> bool:
        """Return whether the items of a part of a split show any picture more than once."""
        query = (
            "SELECT 1 FROM item, json_each(item.row, '$.image_ids') AS shown WHERE split = ? AND picture >= ? "
            "AND picture < ? GROUP BY shown.value HAVING count(*) > 1 LIMIT 1"
        )
        return self._first_row(query, split, *pictures) is not None

    def images(self) -> Iterator[ImageRecord]:
        """Yield image records sorted by id."""
        for (record,) in self._database.execute("SELECT record FROM image ORDER BY image_id"):
            yield ImageRecord.model_validate_json(record)

    def made_by(self, operation_ids: Iterable[str]) -> int:
        """Return the number of images made by the given operations."""
        query = "SELECT count(*) FROM image WHERE operation_id = ?"
        return sum(int(row[0]) for each in operation_ids if (row := self._first_row(query, each)) is not None)

    def made_as_jpeg(self, but_by: Iterable[str]) -> int:
        """Return the number of images made as JPEG, except by the given operations."""
        query = (
            "SELECT operation_id FROM image WHERE NOT is_source AND operation_id IS NOT NULL "
            "AND json_extract(record, '$.media_type') = 'image/jpeg'"
        )
        left_out = set(but_by)
        return sum(operation_id not in left_out for (operation_id,) in self._database.execute(query))

    def content_id(self) -> str:
        """Return the content id of all added items."""
        return identity.root(leaf for (leaf,) in self._database.execute("SELECT leaf FROM item ORDER BY leaf"))

    def operation_ids(self) -> list[str]:
        """Return the ids of the operations to which items and images refer, sorted."""
        query = (
            "SELECT operation_id FROM item UNION "
            "SELECT operation_id FROM image WHERE operation_id IS NOT NULL ORDER BY operation_id"
        )
        return [operation_id for (operation_id,) in self._database.execute(query)]

    def sources(self) -> list[SourceCount]:
        """Return the counts of source images by dataset and license, sorted."""
        tally = SourceTally()
        for source in self._database.execute(
            "SELECT dataset, licence, author FROM image WHERE is_source"
        ):  # phrase: allowed
            tally.add(*source)
        return tally.counts()

    def _first_row(self, query: str, *values: str) -> tuple[Any, ...] | None:
        row: tuple[Any, ...] | None = self._database.execute(query, values).fetchone()
        return row
