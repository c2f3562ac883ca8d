"""A `benchwright.steps.Context` over one folder, with everything that a map step needs, but without an engine.

Pixels become files and are read back by the real image reader, so that a step works as in a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchwright.canonical import file_digest
from benchwright.images import pixel_hash
from benchwright.images.decode import ImageReader
from benchwright.images.formats.walking import Limits
from benchwright.records import ImageRecord, Source, item_id_for
from benchwright.seeds import generator_for
from benchwright.steps import MapStep, Outcome

OPERATION = "0" * 32
MEDIA_TYPES = {"png": "image/png", "bmp": "image/bmp", "webp": "image/webp", "jpg": "image/jpeg"}


class CountedReader:
    """The real reader, counting what is asked of it."""

    def __init__(self, reader: ImageReader) -> None:
        self._reader = reader
        self.asked = 0

    def rgb(self, record: ImageRecord) -> Any:
        self.asked += 1
        return self._reader.rgb(record)

    def reduced_rgb(self, record: ImageRecord, *, at_least_px: int) -> Any:
        self.asked += 1
        return self._reader.reduced_rgb(record, at_least_px=at_least_px)

    def luma(self, record: ImageRecord, *, at_least_px: int) -> Any:
        self.asked += 1
        return self._reader.luma(record, at_least_px=at_least_px)


class StepContext:
    """Implements `benchwright.steps.Context` in one folder."""

    def __init__(self, folder: Path, *, seed: int = 3, values: Mapping[tuple[str, str], Any] | None = None) -> None:
        self.folder = folder
        self.seed = seed
        self.images: Any = CountedReader(ImageReader(self.path, limits=Limits()))
        self.opened: Any = None
        self.operation_id = OPERATION
        self.stored: dict[str, np.ndarray] = {}
        self.store_calls = 0
        self._values = dict(values or {})
        self._paths: dict[str, Path] = {}
        self._records: dict[str, ImageRecord] = {}

    def path(self, record: ImageRecord) -> Path:
        return self._paths[record.image_id]

    def add(self, pixels: np.ndarray, name: str = "photo.png", **saving: Any) -> ImageRecord:
        """Write pixels as a file of the format that the name says, PNG with little effort."""
        path = self.folder / name
        saving = {"compress_level": 1, **saving} if path.suffix == ".png" else saving
        Image.fromarray(pixels).save(path, **saving)
        return self.add_file(path)

    def add_file(self, path: Path, **changes: Any) -> ImageRecord:
        with Image.open(path) as image:
            width, height = image.size
        image_id = file_digest(path)
        self._paths[image_id] = path
        self._records[image_id] = ImageRecord(
            image_id=image_id,
            width=width,
            height=height,
            media_type=MEDIA_TYPES[path.suffix.lstrip(".")],
            size_bytes=path.stat().st_size,
            source=Source(uri=path.name),
            root_image_id=image_id,
        ).model_copy(update=changes)
        return self._records[image_id]

    def run(self, step: MapStep, record: ImageRecord) -> Outcome:
        """Open a step and run it on one record."""
        self.opened = step.open(self)
        return step.one(record, self)

    @property
    def cache_dir(self) -> Path:
        return self.folder

    @property
    def replies(self) -> None:
        """No store: each test's server sees every request."""
        return None

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        return generator_for(self.seed, "step", record_id, *more)

    def item_id(self, *parents: str, ordinal: int = 0) -> str:
        return item_id_for("step", self.seed, {}, parents, ordinal)

    def value(self, record_id: str, name: str) -> Any:
        return self._values.get((record_id, name))

    def image(self, image_id: str) -> ImageRecord:
        return self._records[image_id]

    def store_image(self, pixels: np.ndarray, *, parents: Sequence[ImageRecord]) -> ImageRecord:
        self.store_calls += 1
        made = pixel_hash(pixels)
        self.stored[made] = np.array(pixels)
        return ImageRecord(
            image_id=made,
            width=pixels.shape[1],
            height=pixels.shape[0],
            media_type="image/png",
            size_bytes=1,
            derived_from=tuple(parent.image_id for parent in parents),
            operation_id=self.operation_id,
            pixel_hash=made,
            root_image_id=parents[0].root_image_id,
        )
