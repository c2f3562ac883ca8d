"""The parts of a record that a card shows: a thumbnail, its name, and its question if it is an item."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.drawing.previews import fitted, kept_preview
from benchwright.errors import UnreadableImage
from benchwright.images.decode import ImageReader
from benchwright.images.identify import path_for
from benchwright.records import ImageRecord, Item
from benchwright.steps import Stream
from benchwright.workspace.item_cache import ItemCache
from benchwright.workspace.shards import StageTable, shard_of
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.tables import image_records, items_of
from benchwright.workspace.workspace import Workspace

_SIDE_PX = 320
"""Longest side of a picture on the page, in pixels."""


class Thumbnail(NamedTuple):
    """A picture on the page; `problem` states why it is missing."""

    uri: str
    width: int
    height: int
    problem: str | None = None


class ShownRecord(NamedTuple):
    """A record on the page.

    Args:
        record_id: Id of the image or item.
        name: Path of a source image; otherwise the id.
        question: Question of an item; None for an image.
        image: Picture of the record; the first one of an item.
    """

    record_id: str
    name: str
    question: str | None
    image: ImageRecord | None


@dataclass
class Showing:
    """Lookup of records by id, and of their thumbnails, each of which is created only once."""

    space: Workspace
    cache: ItemCache
    images_folder: Path
    stages: tuple[str, ...]
    shard_count: int

    def records(self, stream: Stream, ids: Iterable[str]) -> dict[str, ShownRecord]:
        """Return the workspace's records with these ids, reading each affected shard once."""
        wanted = set(ids)
        if stream == "images":
            images = {record.image_id: record for record in self._images([INGEST], wanted, wanted)}
            return {
                image_id: ShownRecord(image_id, record.source.uri if record.source else image_id, None, record)
                for image_id, record in images.items()
            }
        items = {item.item_id: item for item in self._items(wanted)}
        first = {item.images[0].image_id for item in items.values() if item.images}
        roots = {item.root_image_id for item in items.values()}
        pictures = {record.image_id: record for record in self._images([INGEST, *self.stages], first, roots)}
        return {
            item_id: ShownRecord(
                item_id, item_id, item.question, pictures.get(item.images[0].image_id) if item.images else None
            )
            for item_id, item in items.items()
        }

    def thumbnail(self, record: ImageRecord) -> Thumbnail:
        """Return an image's thumbnail, from the workspace's cache if present."""
        try:
            small = kept_preview(
                self.cache, record.image_id, lambda: self._reader.file_bytes(record), max_side_px=_SIDE_PX
            )
        except UnreadableImage as error:
            width, height = fitted(record.width, record.height, max_side_px=_SIDE_PX)
            return Thumbnail("", width, height, f"no picture: {error.reason}")
        text = base64.b64encode(small.data).decode("ascii")
        return Thumbnail(f"data:{small.media_type};base64,{text}", small.width, small.height)

    @cached_property
    def _reader(self) -> ImageReader:
        return ImageReader(self._file)

    def _file(self, record: ImageRecord) -> Path:
        stored = self.space.objects.path(record.image_id)
        if record.source is None or stored.exists():
            return stored
        return self.images_folder / path_for(record.source.uri)

    def _images(self, stages: Iterable[str], wanted: set[str], roots: set[str]) -> Iterator[ImageRecord]:
        shards = {shard_of(root, self.shard_count) for root in roots}
        for stage in stages:
            table = StageTable(self.space, stage)
            for marker in table.current():
                if marker.shard in shards and (rows := table.read(marker, "images")) is not None:
                    yield from image_records(_having(rows, "image_id", wanted))

    def _items(self, wanted: set[str]) -> Iterator[Item]:
        for stage in self.stages:
            table = StageTable(self.space, stage)
            for marker in table.current():
                ids = table.read(marker, "items", ["item_id"])
                if ids is not None and not wanted.isdisjoint(ids["item_id"].to_pylist()):
                    rows = table.read(marker, "items", ["item_id", "record"])
                    yield from items_of(_having(rows, "item_id", wanted))


def _having(rows: Any, column: str, wanted: set[str]) -> Any:
    return rows.filter(pc.is_in(rows[column], pa.array(sorted(wanted), pa.string())))


def partners_in(evidence: Mapping[str, Any]) -> list[str]:
    """Return the similar records named by evidence: `of`, then `like`, then `partners`, nearest first."""
    named = [evidence.get("of"), *_listed(evidence.get("like")), *_listed(evidence.get("partners"))]
    return list(dict.fromkeys(image_id for image_id in map(_id_in, named) if isinstance(image_id, str)))


def _id_in(named: Any) -> Any:
    if not isinstance(named, Mapping):
        return named
    return next((named[key] for key in ("record_id", "image_id", "item_id", "of") if key in named), None)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []
