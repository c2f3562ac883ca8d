"""One pass of consecutive map stages over one shard, which decodes each image at most once.

Records are processed in chunks of source images. Every stage of the pass runs over a chunk before the next chunk
begins, and all share one image reader. A record that a stage has already processed with the same hash and settings
keeps its old outcome.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchwright.engines.base import Attempt
from benchwright.engines.usage import Meter, WorkCost
from benchwright.errors import BenchwrightError, DataError, UnreadableImage
from benchwright.machine.storage_faults import is_of_the_machine, storage_fault
from benchwright.models.batching import OutOfMemory, ran_out_of_memory
from benchwright.overrides import Override
from benchwright.pipeline.stages.outcomes import Journal, Judged, read_outcomes, record_hash, write_outcomes
from benchwright.pipeline.stages.worker_context import StageContext, WorkerContext
from benchwright.raised import RaisedError
from benchwright.steps import AnyRecord, MapStep, Outcome
from benchwright.texts.normalization import counted
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stage_input import GROUP, StageInput, load_stage_input
from benchwright.workspace.stages import Stage

logger = logging.getLogger(__name__)

TRANSIENT = frozenset(
    {
        "changed",
        "endpoint_busy",
        "endpoint_connection",
        "endpoint_timeout",
        "out_of_memory",
        "step_error",
        "unreadable",
    }
)
"""Failures that may not recur in another run or after a step is fixed; each run tries these records again."""

ROOTS_PER_CHUNK = 32
PIXELS_PER_CHUNK = 12_000_000


@dataclass
class _Running:
    """State of one stage during a pass over one shard."""

    stage: Stage
    context: StageContext
    known: Mapping[str, Judged]
    journal: Journal
    overrides: Mapping[str, Override]
    judged: list[Judged] = field(default_factory=list)
    raised: RaisedError | None = None
    """The first exception that the step raised on a record."""


@dataclass(frozen=True)
class MapJob:
    """A job that runs consecutive map stages over one shard.

    Args:
        shard: Name of the shard.
        stages: Ids of the stages, in order.
        size: Approximate number of records in the shard.
    """

    shard: str
    stages: tuple[str, ...]
    size: int

    @property
    def name(self) -> str:
        """Return the job's name for logs, one line."""
        return f"{'+'.join(self.stages)} shard {self.shard}"

    def run(self, worker: WorkerContext, attempt: Attempt) -> dict[str, Any]:
        """Run the pass and write every stage's shard; return its counts of records and decodes, and its costs.

        `seconds` and `stages` hold, by stage, the wall-clock time and the whole cost of the stage's own work; the rest
        of the job's cost is for reading and writing tables. `raised` holds, by stage, the first exception that the step
        raised on a record, with its message.
        """
        stages = [stage for stage in worker.stages if stage.id in self.stages]
        worker.close_others(stages)
        first = worker.upstream(stages[0], self.shard)
        reads = [full for stage in stages for full in stage.reads.values()]
        stage_input = load_stage_input(worker.workspace, first, reads)
        running = [self._start(worker, stage, stage_input) for stage in stages]
        decoded, remade, ran = worker.reader.decodes, len(worker.remade), 0
        costs = dict.fromkeys(self.stages, WorkCost())
        for number, chunk in enumerate(_chunks(stage_input, stages)):
            if number:
                worker.drop_caches()  # seldom needed again; only the last chunk's may be used by the next pass
            for running_stage in running:
                with Meter(peak_anew=True) as meter:
                    ran += _run_chunk(running_stage, stage_input, chunk, attempt)
                    costs[running_stage.stage.id] += meter.usage()
        for running_stage in running:
            table = StageTable(worker.workspace, running_stage.stage.id)
            write_outcomes(
                table,
                running_stage.stage,
                self.shard,
                running_stage.judged,
                fingerprint=worker.fingerprint(running_stage.stage, self.shard),
                config=worker.config(running_stage.stage),
                overrides=worker.overrides.digest(running_stage.stage, self.shard),
            )
            running_stage.journal.remove()
        return {
            "ran": ran,
            "decoded": worker.reader.decodes - decoded,
            "seconds": {stage_id: cost.wall_s for stage_id, cost in costs.items()},
            "stages": {stage_id: cost.to_json() for stage_id, cost in costs.items()},
            "remade": worker.remade[remade:],
            "raised": {each.stage.id: str(each.raised) for each in running if each.raised is not None},
        }

    def _start(self, worker: WorkerContext, stage: Stage, stage_input: StageInput) -> _Running:
        config = worker.config(stage)
        journal = Journal(worker.workspace.journal / stage.id / f"{self.shard}.jsonl", config)
        table = StageTable(worker.workspace, stage.id)
        marker = table.marker(self.shard)
        known = read_outcomes(table, stage, marker) if marker and marker.config == config else {}
        known = {record_id: judged for record_id, judged in known.items() if judged.outcome.reason not in TRANSIENT}
        context, overrides = StageContext(worker, stage, stage_input), worker.overrides.about(stage)
        return _Running(stage, context, known | journal.load(), journal, overrides)


def _chunks(stage_input: StageInput, stages: Sequence[Stage]) -> Iterator[list[str]]:
    """Yield chunks of source image ids, each small enough for its decoded pixels to fit into the reader's cache."""
    roots = set(stage_input.images) if any(stage.consumes == "images" for stage in stages) else set()
    roots |= {item.root_image_id for item in stage_input.items.values()}
    chunk: list[str] = []
    pixels = 0
    for root in sorted(roots):
        picture = stage_input.pictures.get(root)
        pixels += picture.width * picture.height if picture else 0
        chunk.append(root)
        if len(chunk) >= ROOTS_PER_CHUNK or pixels >= PIXELS_PER_CHUNK:
            yield chunk
            chunk, pixels = [], 0
    if chunk:
        yield chunk


def _run_chunk(running: _Running, stage_input: StageInput, roots: Sequence[str], attempt: Attempt) -> int:
    """Run one stage over one chunk and apply its verdicts to `stage_input`; return the number of records processed."""
    stage, wanted = running.stage, set(roots)
    records: list[AnyRecord] = (
        [stage_input.images[root] for root in roots if root in stage_input.images]
        if stage.consumes == "images"
        else sorted(
            (i for i in stage_input.items.values() if i.root_image_id in wanted), key=lambda item: item.record_id
        )
    )
    hashes = {record.record_id: record_hash(record, running.context.values(record.record_id)) for record in records}
    recalled: dict[str, Judged] = {
        record_id: known
        for record_id, hashed in hashes.items()
        if (known := running.known.get(record_id)) is not None and known.record_hash == hashed
    }
    todo = [record for record in records if record.record_id not in recalled]
    for record, outcome in _outcomes(running, todo, attempt):
        judged = Judged(record.record_id, hashes[record.record_id], outcome)
        recalled[record.record_id] = judged
        if attempt.singly or stage.costly:
            running.journal.append(judged)
    for record in records:
        judged = replace(recalled[record.record_id], override=running.overrides.get(record.record_id))
        running.judged.append(judged)
        _apply(stage_input, stage, judged)
    return len(todo)


def _apply(stage_input: StageInput, stage: Stage, judged: Judged) -> None:
    outcome = judged.outcome
    if stage.removes(judged.said.verdict):
        stage_input.remove(stage.consumes, judged.record_id)
    elif (key := outcome.values.get(GROUP)) is not None:
        stage_input.add_group(stage.consumes, judged.record_id, str(key))
    for name, value in outcome.values.items():
        stage_input.values.setdefault(f"{stage.id}.{name}", {})[judged.record_id] = value
    stage_input.pictures |= {image.image_id: image for image in outcome.images}
    if "images" in stage.makes:
        stage_input.images |= {image.image_id: image for image in outcome.images}
    stage_input.add_items(outcome.items)


def _outcomes(running: _Running, records: Sequence[AnyRecord], attempt: Attempt) -> Iterator[tuple[AnyRecord, Outcome]]:
    """Yield the outcome of each record, computed in batches if the step supports them, otherwise one at a time."""
    stage = running.stage
    batched = isinstance(stage.step, MapStep) and type(stage.step).many is not MapStep.many and stage.role == "whole"
    most = stage.step.together() if isinstance(stage.step, MapStep) else None
    if batched and most is not None and len(records) > most:
        for first in range(0, len(records), most):
            yield from _outcomes(running, records[first : first + most], attempt)
        return
    if batched and not attempt.singly and len(records) > 1:
        attempt.at((stage.id, records[0].record_id))
        try:
            outcomes = list(stage.many(records, running.context))
        except BenchwrightError as error:
            if not isinstance(error, DataError | OutOfMemory):
                raise
        except Exception as error:
            _raise_if_of_the_machine(error)
            logger.warning(
                "%s: a batch of %d raised an exception; continuing one at a time", stage.id, len(records), exc_info=True
            )
        else:
            if len(outcomes) != len(records):
                raise ValueError(
                    f"{stage.id}.many returned {len(outcomes)} outcomes for {counted(len(records), 'record')}"
                )
            yield from zip(records, outcomes, strict=True)
            return
    for record in records:
        place = (stage.id, record.record_id)
        if place in attempt.blamed:
            yield record, Outcome("failed", "worker_died", evidence={"how": attempt.blamed[place]})
            continue
        if stage.role != "judge":  # a judge is arithmetic on a few numbers: a message for each record would cost more
            attempt.at(place)
        yield record, _one(running, record)


def _one(running: _Running, record: AnyRecord) -> Outcome:
    """Run a step on one record; record its faults as its outcome, and raise faults that the user must fix."""
    try:
        return running.stage.one(record, running.context)
    except UnreadableImage as error:
        return Outcome("failed", error.reason, evidence={"detail": error.detail})
    except DataError:
        logger.warning(
            "%s: the file of image %s has changed since ingest", running.stage.id, record.record_id, exc_info=True
        )
        return Outcome("failed", "changed")
    except (MemoryError, OutOfMemory):
        return Outcome("failed", "out_of_memory")
    except BenchwrightError:
        raise
    except OSError as error:
        _raise_if_of_the_machine(error)
        return Outcome("failed", "unreadable", evidence={"detail": type(error).__name__})
    except Exception as error:  # noqa: BLE001 - a step may raise anything
        _raise_if_of_the_machine(error)
        return _defect(running, record, error)


def _raise_if_of_the_machine(error: Exception) -> None:
    """Raise faults of the machine, such as a full disk, which end the run because the record is not at fault."""
    if is_of_the_machine(error) and (fault := storage_fault(error)) is not None:
        raise fault from error


def _defect(running: _Running, record: AnyRecord, error: Exception) -> Outcome:
    """Return the outcome of a record on which a step raised an unexpected exception."""
    if ran_out_of_memory(error):  # a device's own error, such as torch's
        return Outcome("failed", "out_of_memory")
    # The message may hold addresses or paths, which differ from run to run, so it goes only to the log.
    logger.warning("%s failed on %s", running.stage.id, record.record_id, exc_info=error)
    raised = RaisedError.of(error)
    running.raised = running.raised or raised
    return Outcome("failed", "step_error", evidence={"error": raised.kind, "at": raised.at})
