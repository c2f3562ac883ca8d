"""The context of a worker (stages, opened steps, image reader), and the context that it gives to a step."""

from __future__ import annotations

import gc
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.images.decode import ImageReader, pixel_hash
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import path_for
from benchwright.images.made_files import encode_made
from benchwright.images.made_pictures import MadeRule, made_form
from benchwright.models.devices import free_memory
from benchwright.pipeline.stages.overrides import Overrides
from benchwright.records import ImageRecord, item_id_for
from benchwright.seeds import generator_for
from benchwright.workspace.shards import Marker, StageTable, shard_of
from benchwright.workspace.stage_input import INGEST, StageInput, input_digest
from benchwright.workspace.stages import Stage
from benchwright.workspace.tables import image_records
from benchwright.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from benchwright.engines.card_client import CardClient
    from benchwright.models.endpoints.reply_store import ReplyStore

_SHARDS_OF_IMAGES_KEPT = 16
"""Number of tables of source images that a worker caches, each some MB; partner images are in many shards."""


@dataclass
class WorkerContext:
    """The state that a worker keeps between jobs: stages, opened steps, and the image reader.

    Args:
        workspace: Workspace with tables and objects.
        images: The image folder.
        stages: All stages of the recipe, in order.
        seed: The run's seed.
        shard_count: A power of two.
        limits: Limits of an image file.
        made: Rule for storing the pictures that steps make.
        overrides: Curators' overrides of step verdicts.
        restore: Function that makes an image's lost or damaged file again (`damage.make_again`); if None, such a file
            is an error.
    """

    workspace: Workspace
    images: Path
    stages: Sequence[Stage]
    seed: int
    shard_count: int
    limits: Limits
    made: MadeRule = "by_content"
    overrides: Overrides = field(default_factory=Overrides)
    restore: Callable[[WorkerContext, ImageRecord], None] | None = None
    card: str | None = None
    """Address of the process with the models that this machine's workers share; None if there is none."""
    remade: list[str] = field(default_factory=list)
    """Ids of images whose lost or damaged file this worker has made again."""
    _opened: dict[str, Any] = field(default_factory=dict)
    _markers: dict[tuple[str, str], Marker] = field(default_factory=dict)
    _source_images: OrderedDict[str, tuple[dict[str, int], pa.Table]] = field(default_factory=OrderedDict)

    @property
    def cache_dir(self) -> Path:
        """Return a folder for files that steps can recreate."""
        return self.workspace.cache

    @cached_property
    def replies(self) -> ReplyStore:
        """Return the store of the replies that steps got from models; opened once per worker."""
        from benchwright.models.endpoints.reply_store import ReplyStore

        return ReplyStore(self.workspace.step_replies, tmp=self.workspace.tmp)

    @cached_property
    def reader(self) -> ImageReader:
        """Return the image reader of this worker; every call returns the same reader."""
        restore = self.restore
        again = None if restore is None else lambda record: restore(self, record)
        return ImageReader(self.locate, limits=self.limits, make_again=again)

    def for_workers(self) -> WorkerContext:
        """Return a context with the stages up to the last one that workers run, so that workers need fewer imports."""
        last = max((k for k, stage in enumerate(self.stages) if stage.kind == "map"), default=-1)
        return replace(self, stages=self.stages[: last + 1])

    def at_card(self, address: str) -> WorkerContext:
        """Return a context for a worker that uses shared models in the process at an address."""
        return replace(self, card=address)

    @cached_property
    def _card_client(self) -> CardClient | None:
        """Return this worker's connection to the process with the shared models; None if there is no such process."""
        from benchwright.engines.card_client import CardClient

        return None if self.card is None else CardClient(self.card)

    def drop_caches(self) -> None:
        """Drop decoded pictures, which can be decoded again."""
        self.reader.drop()

    def locate(self, record: ImageRecord) -> Path:
        """Return the file of an image: in the image folder if it is a source, else in the object store."""
        stored = self.workspace.objects.path(record.image_id)
        if record.source is None or stored.exists():
            return stored
        return self.images / path_for(record.source.uri)

    def opened(self, stage: Stage) -> Any:
        """Return the result of a stage's `open`, which is called once per worker."""
        if stage.id not in self._opened:
            self._opened[stage.id] = self._open(stage)
        return self._opened[stage.id]

    def _open(self, stage: Stage) -> Any:
        if not stage.shares_model or (client := self._card_client) is None:
            return stage.open(self)
        from benchwright.models.picture_batches import SharedPictures

        return stage.open(self, SharedPictures(client, stage.id, client.open(stage.id)))

    def shared_model(self, name: str) -> Any:
        """Return the model of a stage that all workers share (`engines.card_process.ModelHost`)."""
        if name not in self._opened:
            self._opened[name] = next(stage for stage in self.stages if stage.id == name).open_shared(self)
        return self._opened[name]

    def keep_only(self, names: Sequence[str]) -> None:
        """Drop the models of all stages except the given ones (`engines.card_process.ModelHost`)."""
        self.close_others([stage for stage in self.stages if stage.id in names])

    def close_others(self, stages: Sequence[Stage]) -> None:
        """Drop the opened objects of all other stages, whose models are no longer needed after their phase."""
        kept = {stage.id for stage in stages}
        if others := [stage_id for stage_id in self._opened if stage_id not in kept]:
            for stage_id in others:
                del self._opened[stage_id]
            if self._card_client is not None:
                self._card_client.keep_only(sorted(kept))
            gc.collect()  # models refer to themselves
            free_memory()

    def upstream(self, stage: Stage, shard: str) -> list[tuple[Stage | None, Marker]]:
        """Return this shard's markers for ingest (as None) and for every stage before `stage`."""
        return self.upstream_of(self.stages[: self.stages.index(stage)], shard)

    def upstream_of(self, stages: Sequence[Stage], shard: str) -> list[tuple[Stage | None, Marker]]:
        """Return this shard's markers for ingest (as None) and for some stages."""
        before: list[Stage | None] = [None, *(stage for stage in stages if stage.kind != "final")]
        return [(stage, self._marker(stage.id if stage else INGEST, shard)) for stage in before]

    def _marker(self, stage_id: str, shard: str) -> Marker:
        if (known := self._markers.get((stage_id, shard))) is not None:
            return known
        table = StageTable(self.workspace, stage_id)
        marker = table.marker(shard)
        if marker is None:
            table.look_again()
            marker = table.marker(shard)
        if marker is None:
            raise DataError(f"shard {shard} of {stage_id} is missing; run the recipe again")
        self._markers[stage_id, shard] = marker
        return marker

    def forget(self, stage_id: str, shard: str) -> None:
        """Drop the cached marker of a shard that has been written, so that the next call reads it again."""
        self._markers.pop((stage_id, shard), None)

    def config(self, stage: Stage) -> str:
        """Return the digest of everything besides the record that determines an outcome."""
        return digest([stage.config, self.seed])

    def fingerprint(self, stage: Stage, shard: str) -> str:
        """Return the fingerprint of a shard's output: a digest of settings, seed and content of the input."""
        return digest([self.config(stage), input_digest(stage, self.upstream(stage, shard))])

    def source_image(self, image_id: str) -> ImageRecord | None:
        """Return the record of a source image from its own shard; None if unknown."""
        table = StageTable(self.workspace, INGEST)
        marker = table.marker(shard_of(image_id, self.shard_count))
        file = marker.files.get("images") if marker else None
        if marker is None or file is None:
            return None
        content = str(file["sha256"])
        if content not in self._source_images:
            rows = table.read(marker, "images")
            assert rows is not None
            ids = rows.column("image_id").to_pylist()
            self._source_images[content] = ({known: row for row, known in enumerate(ids)}, rows)
        self._source_images.move_to_end(content)
        while len(self._source_images) > _SHARDS_OF_IMAGES_KEPT:
            self._source_images.popitem(last=False)
        row_of, rows = self._source_images[content]
        # A record is costly to make, so only the requested one is made.
        row = row_of.get(image_id)
        return next(image_records(rows.slice(row, 1))) if row is not None else None


class StageContext:
    """Context of one stage during a pass; implements `benchwright.steps.Context`."""

    def __init__(self, worker: WorkerContext, stage: Stage, stage_input: StageInput) -> None:
        self._worker = worker
        self._stage = stage
        self._stage_input = stage_input
        self.images = worker.reader
        self.seed = worker.seed
        self.operation_id = stage.step.operation(worker.seed).operation_id
        self._identity = {name: stage.step.parameters()[name] for name in stage.step.identity}

    @property
    def opened(self) -> Any:
        """Return what the step's `open` returned in this worker."""
        return self._worker.opened(self._stage)

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        """Return a random generator that depends only on run seed, step and record."""
        return generator_for(self.seed, self._stage.step.name, record_id, *more)

    def item_id(self, *parents: str, ordinal: int = 0) -> str:
        """Return the id for an item that this step makes from these parents."""
        return item_id_for(self._stage.step.name, self.seed, self._identity, parents, ordinal)

    def values(self, record_id: str) -> dict[str, Any]:
        """Return all values that the stage reads for a record, by the names that the step uses."""
        return {name: self._stage_input.values.get(full, {}).get(record_id) for name, full in self._stage.reads.items()}

    def value(self, record_id: str, name: str) -> Any:
        """Return a value of an earlier stage; None if that stage gave none."""
        return self._stage_input.values.get(self._stage.reads[name], {}).get(record_id)

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of any source image, or of an image made from the same source image."""
        record = self._stage_input.pictures.get(image_id) or self._worker.source_image(image_id)
        if record is None:
            raise DataError(f"no image {image_id} derives from the record's source image")
        return record

    def store_image(self, pixels: NDArray[np.uint8], *, parents: Sequence[ImageRecord]) -> ImageRecord:
        """Encode and store a made image, (height, width, 3) RGB; return its record."""
        step = self._stage.step
        is_visual = step.picture_fidelity == "visual" and not step.pixels_compared
        data, media_type = encode_made(pixels, made_form(self._worker.made, is_visual=is_visual))
        image_id = self._worker.workspace.objects.put(data)
        return ImageRecord(
            image_id=image_id,
            width=pixels.shape[1],
            height=pixels.shape[0],
            media_type=media_type,
            size_bytes=len(data),
            derived_from=tuple(parent.image_id for parent in parents),
            operation_id=self.operation_id,
            pixel_hash=None if media_type == "image/jpeg" else pixel_hash(pixels),
            root_image_id=parents[0].root_image_id,
        )
