"""One pass over one shard: consecutive map stages, each image decoded at most once.

Records are taken in chunks of source images. Every stage of the pass runs over a chunk before the next chunk is
touched, and all share one image reader. A record whose hash a stage has met before, under equal settings, keeps
its old outcome and is not run.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest
from benchwright.engines.jobs import Attempt
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.images import ImageReader, Limits, encode_png, pixel_hash
from benchwright.pipeline.live import GROUP, INGEST, Live, input_digest, load_live
from benchwright.pipeline.outcomes import Journal, Judged, read_outcomes, record_hash, write_outcomes
from benchwright.records import ImageRecord, item_id_for
from benchwright.seeds import generator_for
from benchwright.shards import Marker, StageTable, shard_of
from benchwright.stages import Stage
from benchwright.steps import AnyRecord, MapStep, Outcome
from benchwright.tables import image_records
from benchwright.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

TRANSIENT = frozenset({"changed", "out_of_memory", "unreadable"})
"""Failures that another run may not meet; they are tried again each time."""

ROOTS_PER_CHUNK = 32
PIXELS_PER_CHUNK = 64_000_000


@dataclass
class Surroundings:
    """What one worker keeps between jobs: the plan, opened steps, the image reader.

    Args:
        workspace: Where tables and objects are.
        images: The image folder.
        stages: All stages of the recipe, in order.
        seed: The run's seed.
        shard_count: A power of two.
    """

    workspace: Workspace
    images: Path
    stages: Sequence[Stage]
    seed: int
    shard_count: int
    limits: Limits
    _opened: dict[str, Any] = field(default_factory=dict)
    _markers: dict[tuple[str, str], Marker] = field(default_factory=dict)

    @property
    def cache_dir(self) -> Path:
        """Return a folder that steps may keep what can be made again in."""
        return self.workspace.cache

    @cached_property
    def reader(self) -> ImageReader:
        """Return the one image reader of this worker."""
        return ImageReader(self.locate, limits=self.limits)

    def locate(self, record: ImageRecord) -> Path:
        """Return the file of an image: in the image folder if it is a source, else in the object store."""
        stored = self.workspace.objects.path(record.image_id)
        if record.source is None or stored.exists():
            return stored
        from benchwright.identify import path_for

        return self.images / path_for(record.source.uri)

    def opened(self, stage: Stage) -> Any:
        """Open a stage's models, once a worker."""
        if stage.id not in self._opened:
            self._opened[stage.id] = stage.open(self)
        return self._opened[stage.id]

    def upstream(self, stage: Stage, shard: str) -> list[tuple[Stage | None, Marker]]:
        """Return this shard's markers of ingest and of every stage before `stage`."""
        return self.upstream_of(self.stages[: self.stages.index(stage)], shard)

    def upstream_of(self, stages: Sequence[Stage], shard: str) -> list[tuple[Stage | None, Marker]]:
        """Return this shard's markers of ingest (as None) and of some stages."""
        before: list[Stage | None] = [None, *(stage for stage in stages if stage.kind != "final")]
        return [(stage, self._marker(stage.id if stage else INGEST, shard)) for stage in before]

    def _marker(self, stage_id: str, shard: str) -> Marker:
        marker = self._markers.get((stage_id, shard)) or StageTable(self.workspace, stage_id).marker(shard)
        if marker is None:
            raise DataError(f"shard {shard} of {stage_id} is not there; run the recipe again")
        self._markers[stage_id, shard] = marker
        return marker

    def forget(self, stage_id: str, shard: str) -> None:
        """Read a marker again next time, because its shard was written."""
        self._markers.pop((stage_id, shard), None)

    def config(self, stage: Stage) -> str:
        """Return the digest of all that decides an outcome beside the record."""
        return digest([stage.config, self.seed])

    def fingerprint(self, stage: Stage, shard: str) -> str:
        """Return what the shard's output belongs to: settings, seed and the content of the input."""
        return digest([self.config(stage), input_digest(stage, self.upstream(stage, shard))])

    def source_image(self, image_id: str) -> ImageRecord | None:
        """Look a source image up in its own shard."""
        table = StageTable(self.workspace, INGEST)
        marker = table.marker(shard_of(image_id, self.shard_count))
        rows = table.read(marker, "images") if marker else None
        return next((record for record in image_records(rows) if record.image_id == image_id), None) if rows else None


class StageContext:
    """What one stage may use while a pass runs it (`benchwright.steps.Context`)."""

    def __init__(self, around: Surroundings, stage: Stage, live: Live) -> None:
        self._around = around
        self._stage = stage
        self._live = live
        self.images = around.reader
        self.seed = around.seed
        self.operation_id = stage.step.operation(around.seed).operation_id
        self._identity = {name: stage.step.parameters()[name] for name in stage.step.identity}

    @property
    def opened(self) -> Any:
        return self._around.opened(self._stage)

    def rng(self, record_id: str, *more: str | int) -> np.random.Generator:
        return generator_for(self.seed, self._stage.step.name, record_id, *more)

    def item_id(self, *parents: str, ordinal: int = 0) -> str:
        return item_id_for(self._stage.step.name, self.seed, self._identity, parents, ordinal)

    def values(self, record_id: str) -> dict[str, Any]:
        """Return all values that the stage reads of a record, as the step names them."""
        return {name: self._live.values.get(full, {}).get(record_id) for name, full in self._stage.reads.items()}

    def value(self, record_id: str, name: str) -> Any:
        return self._live.values.get(self._stage.reads[name], {}).get(record_id)

    def image(self, image_id: str) -> ImageRecord:
        record = self._live.pictures.get(image_id) or self._around.source_image(image_id)
        if record is None:
            raise DataError(f"no image {image_id} goes back to the record's source image")
        return record

    def store_image(self, pixels: NDArray[np.uint8], *, parents: Sequence[ImageRecord]) -> ImageRecord:
        data = encode_png(pixels)
        image_id = self._around.workspace.objects.put(data)
        return ImageRecord(
            image_id=image_id,
            width=pixels.shape[1],
            height=pixels.shape[0],
            media_type="image/png",
            size_bytes=len(data),
            derived_from=tuple(parent.image_id for parent in parents),
            operation_id=self.operation_id,
            pixel_hash=pixel_hash(pixels),
            root_image_id=parents[0].root_image_id,
        )


@dataclass
class _Running:
    """One stage while the pass goes over a shard."""

    stage: Stage
    context: StageContext
    known: Mapping[str, Judged]
    journal: Journal
    judged: list[Judged] = field(default_factory=list)


@dataclass(frozen=True)
class Pass:
    """The job: run some consecutive map stages over one shard.

    Args:
        shard: Name of the shard.
        stages: Ids of the stages, in order.
        size: Records in the shard, about.
    """

    shard: str
    stages: tuple[str, ...]
    size: int

    @property
    def name(self) -> str:
        """Return one line for logs."""
        return f"{'+'.join(self.stages)} shard {self.shard}"

    def run(self, worker: Surroundings, attempt: Attempt) -> dict[str, Any]:
        """Run the pass and write every stage's shard; return how many records ran, full decodes, seconds a stage."""
        stages = [stage for stage in worker.stages if stage.id in self.stages]
        first = worker.upstream(stages[0], self.shard)
        reads = [full for stage in stages for full in stage.reads.values()]
        live = load_live(worker.workspace, first, reads)
        running = [self._start(worker, stage, live) for stage in stages]
        decoded, ran = worker.reader.decodes, 0
        seconds = dict.fromkeys(self.stages, 0.0)
        for chunk in _chunks(live, stages):
            for one in running:
                started = time.perf_counter()
                ran += _run_chunk(one, live, chunk, attempt)
                seconds[one.stage.id] += time.perf_counter() - started
        for one in running:
            table = StageTable(worker.workspace, one.stage.id)
            write_outcomes(
                table, one.stage, self.shard, one.judged,
                fingerprint=worker.fingerprint(one.stage, self.shard), config=worker.config(one.stage),
            )  # fmt: skip
            one.journal.remove()
        return {"ran": ran, "decoded": worker.reader.decodes - decoded, "seconds": seconds}

    def _start(self, worker: Surroundings, stage: Stage, live: Live) -> _Running:
        config = worker.config(stage)
        journal = Journal(worker.workspace.journal / stage.id / f"{self.shard}.jsonl", config)
        table = StageTable(worker.workspace, stage.id)
        marker = table.marker(self.shard)
        known = read_outcomes(table, stage, marker) if marker and marker.config == config else {}
        known = {record_id: one for record_id, one in known.items() if one.outcome.reason not in TRANSIENT}
        return _Running(stage, StageContext(worker, stage, live), known | journal.load(), journal)


def _chunks(live: Live, stages: Sequence[Stage]) -> Iterator[list[str]]:
    """Yield source image ids, a few at a time, so that a chunk's decoded pixels fit into the reader's cache."""
    roots = set(live.images) if any(stage.consumes == "images" for stage in stages) else set()
    roots |= {item.root_image_id for item in live.items.values()}
    chunk: list[str] = []
    pixels = 0
    for root in sorted(roots):
        picture = live.pictures.get(root)
        pixels += picture.width * picture.height if picture else 0
        chunk.append(root)
        if len(chunk) >= ROOTS_PER_CHUNK or pixels >= PIXELS_PER_CHUNK:
            yield chunk
            chunk, pixels = [], 0
    if chunk:
        yield chunk


def _run_chunk(one: _Running, live: Live, roots: Sequence[str], attempt: Attempt) -> int:
    """Run one stage over one chunk, apply its verdicts to `live`; return how many records were really run."""
    stage, wanted = one.stage, set(roots)
    records: list[AnyRecord] = (
        [live.images[root] for root in roots if root in live.images]
        if stage.consumes == "images"
        else sorted((i for i in live.items.values() if i.root_image_id in wanted), key=lambda item: item.item_id)
    )
    hashes = {record.record_id: record_hash(record, one.context.values(record.record_id)) for record in records}
    found: dict[str, Judged] = {
        record_id: known
        for record_id, hashed in hashes.items()
        if (known := one.known.get(record_id)) is not None and known.record_hash == hashed
    }
    todo = [record for record in records if record.record_id not in found]
    for record, outcome in _outcomes(one, todo, attempt):
        judged = Judged(record.record_id, hashes[record.record_id], outcome)
        found[record.record_id] = judged
        if attempt.singly or (isinstance(stage.step, MapStep) and stage.step.costly):
            one.journal.append(judged)
    for record in records:
        judged = found[record.record_id]
        one.judged.append(judged)
        _apply(live, stage, judged)
    return len(todo)


def _apply(live: Live, stage: Stage, judged: Judged) -> None:
    outcome = judged.outcome
    if stage.removes(outcome.verdict):
        live.remove(stage.consumes, judged.record_id)
    elif (key := outcome.values.get(GROUP)) is not None:
        live.add_group(stage.consumes, judged.record_id, str(key))
    for name, value in outcome.values.items():
        live.values.setdefault(f"{stage.id}.{name}", {})[judged.record_id] = value
    live.pictures |= {image.image_id: image for image in outcome.images}
    if "images" in stage.makes:
        live.images |= {image.image_id: image for image in outcome.images}
    live.items |= {item.item_id: item for item in outcome.items}


def _outcomes(
    one: _Running, records: Sequence[AnyRecord], attempt: Attempt
) -> Iterator[tuple[AnyRecord, Outcome]]:
    """Yield each record's outcome, by batch where the step knows how, else one at a time."""
    stage = one.stage
    batched = isinstance(stage.step, MapStep) and type(stage.step).many is not MapStep.many and stage.role == "whole"
    if batched and not attempt.singly and len(records) > 1:
        attempt.at((stage.id, records[0].record_id))
        try:
            outcomes = list(stage.many(records, one.context))
        except BenchwrightError as error:
            if not isinstance(error, DataError):
                raise
        except Exception:
            logger.warning("%s: a batch of %d raised; going on one at a time", stage.id, len(records), exc_info=True)
        else:
            if len(outcomes) != len(records):
                raise ValueError(f"{stage.id}.many returned {len(outcomes)} outcomes for {len(records)} records")
            yield from zip(records, outcomes, strict=True)
            return
    for record in records:
        place = (stage.id, record.record_id)
        if place in attempt.blamed:
            yield record, Outcome("failed", "worker_died", evidence={"how": attempt.blamed[place]})
            continue
        if stage.role != "judge":  # pure arithmetic on a few numbers: a message each would cost more
            attempt.at(place)
        yield record, _one(one, record)


def _one(one: _Running, record: AnyRecord) -> Outcome:
    """Run a step on one record; what goes wrong with the record is its outcome, what the user must mend is raised."""
    try:
        return one.stage.one(record, one.context)
    except UnreadableImage as error:
        return Outcome("failed", error.reason, evidence={"detail": error.detail})
    except DataError:
        logger.warning("%s: the file of image %s is not what was taken in", one.stage.id, record.record_id, exc_info=True)
        return Outcome("failed", "changed")
    except BenchwrightError:
        raise
    except MemoryError:
        return Outcome("failed", "out_of_memory")
    except OSError as error:
        return Outcome("failed", "unreadable", evidence={"detail": type(error).__name__})
    except Exception as error:
        # The message may hold addresses or paths, which would differ from run to run: it goes to the log only.
        logger.warning("%s failed on %s", one.stage.id, record.record_id, exc_info=True)
        return Outcome("failed", "step_error", evidence={"error": type(error).__name__})
