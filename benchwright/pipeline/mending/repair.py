"""Repair of a damaged workspace: it recreates only what the recipe that ran last can make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from benchwright.engines.base import Attempt, Done, Job
from benchwright.errors import BenchwrightError, DamagedError
from benchwright.pipeline.ingest import ingest
from benchwright.pipeline.mending.check import Problem, images_of, marked_as_repaired, problems_of, table_problems
from benchwright.pipeline.run import worker_context_of
from benchwright.pipeline.stages.damage import make_again, require_store
from benchwright.pipeline.stages.gather_stage import run_campaign, run_gather
from benchwright.pipeline.stages.map_stage import MapJob
from benchwright.pipeline.stages.overrides import Overrides, snapshot_of, snapshot_problems, take_in
from benchwright.pipeline.stages.runlog import WRITTEN_AGAIN
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.workspace.atomic import write_bytes
from benchwright.workspace.photographs import photographs_of
from benchwright.workspace.sealed import read_sealed
from benchwright.workspace.shards import StageTable, shard_names
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.store_place import has_store
from benchwright.workspace.tables import image_records
from benchwright.workspace.workspace import Workspace


def repair(space: Workspace, problems: Sequence[Problem]) -> list[Problem]:
    """Recreate damaged parts if possible, check everything once more, and return all problems with their state.

    Args:
        space: The workspace, locked.
        problems: Problems that `problems_of` found.
    """
    damage = [problem for problem in problems if not problem.is_note]
    if not damage:
        return list(problems)
    reasons = [
        f"{name}: {reason}" for name, reason in (*_mend(damage), *_repair(space, {problem.path for problem in damage}))
    ]
    left = marked_as_repaired(problems, problems_of(space))
    return [problem if problem.repaired else _with_reason(problem, reasons) for problem in left]


def _with_reason(problem: Problem, reasons: Sequence[str]) -> Problem:
    for reason in reasons:
        name, _, why = reason.partition(": ")
        if problem.path == name or problem.path.startswith(f"tables/{name}/"):
            return Problem(problem.path, f"{problem.what}; cannot be made again: {why}")
    return problem


def _mend(problems: Sequence[Problem]) -> Iterator[tuple[str, str]]:
    """Repair the files that rooms keep; yield the path of each file that cannot be repaired, and the reason."""
    for problem in problems:
        if problem.mend is not None:
            try:
                problem.mend()
            except (BenchwrightError, OSError) as error:
                yield problem.path, str(error)


def _repair(space: Workspace, paths: set[str]) -> Iterator[tuple[str, str]]:
    """Repair the workspace part by part; yield the path or stage, and the reason, of each unrepairable part."""
    _forget_memories(space, paths)
    if has_store(space.root) and next(snapshot_problems(space), None) is not None:
        try:
            take_in(space, shard_count=int(space.settings()["shards"]))
        except BenchwrightError as error:
            yield "overrides", str(error)
    try:
        worker = worker_context_of(space)
        worker.overrides = Overrides.of(snapshot_of(space), shard_count=worker.shard_count)
    except (BenchwrightError, KeyError) as error:
        yield "workspace.json", str(error)
        return
    shards = shard_names(worker.shard_count)
    for stage in (None, *worker.stages):
        name = INGEST if stage is None else stage.id
        if not any(path.startswith(f"tables/{name}/") for path in paths):
            continue
        try:
            _repair_table(space, worker, stage, shards)
        except (BenchwrightError, OSError) as error:
            yield name, str(error)
    yield from _repair_pictures(space, worker)


def _forget_memories(space: Workspace, paths: set[str]) -> None:
    """Remove damaged caches, journals and files that the next run rewrites, because they only save work."""
    for path in paths:
        if path.startswith(("cache/", "journal/")) or path in WRITTEN_AGAIN:
            (space.root / path).unlink(missing_ok=True)


def _repair_table(space: Workspace, worker: WorkerContext, stage: Stage | None, shards: Sequence[str]) -> None:
    table = StageTable(space, INGEST if stage is None else stage.id)
    if stage is not None and stage.kind == "final":
        with suppress(FileNotFoundError):
            _unlink_if_damaged(table.folder / "final.json")
        return
    if stage is not None and stage.kind == "campaign":
        require_store(space, stage)
    damaged = [shard for shard in shards if table.marker_path(shard).exists() and any(table.problems(shard))]
    missing = [shard for shard in shards if not table.marker_path(shard).exists()]
    before = {table.marker_path(shard): table.marker_path(shard).read_bytes() for shard in damaged}
    try:
        for shard in damaged:
            table.marker_path(shard).unlink()
            worker.forget(table.stage, shard)
        _make_again(space, worker, stage, shards, [*damaged, *missing])
    except BaseException:
        for path, data in before.items():  # other files that the marker names may be undamaged
            if not path.exists():
                write_bytes(path, data, tmp=space.tmp)
        raise
    if stage is None:
        return
    for shard in shards:
        worker.forget(table.stage, shard)
    operation = stage.step.operation(worker.seed)
    table.publish(shards, operation.model_dump(mode="json") | {"operation_id": operation.operation_id})


def _make_again(
    space: Workspace, worker: WorkerContext, stage: Stage | None, shards: Sequence[str], wanted: Sequence[str]
) -> None:
    """Run one stage for the requested shards; a stage of None denotes ingest."""
    if stage is None:
        ingest(
            space,
            worker.images,
            limits=worker.limits,
            shard_count=worker.shard_count,
            run_jobs=_in_this_process(worker),
            brought=photographs_of(space.root),
        )
        return
    if stage.kind == "map":
        for shard in wanted:
            MapJob(shard, (stage.id,), 0).run(worker, _attempt())
    elif stage.kind == "gather":
        run_gather(worker, stage, shards)
    else:
        run_campaign(worker, stage, shards)


def _unlink_if_damaged(path: Path) -> None:
    try:
        read_sealed(path)
    except DamagedError:
        path.unlink()


def _repair_pictures(space: Workspace, worker: WorkerContext) -> Iterator[tuple[str, str]]:
    """Remake the damaged pictures to which tables refer, and remove those to which no table refers."""
    wanted, is_copied = set(), space.copies_sources()
    for stage, marker, rows in images_of(space):
        wanted |= {row["image_id"] for row in rows}
        is_stored = {row["image_id"]: row["source_uri"] is None or is_copied for row in rows}
        wrong = {image_id for image_id, stored in is_stored.items() if _is_wrong(space, image_id, is_stored=stored)}
        table = StageTable(space, stage).read(marker, "images") if wrong else None
        for record in image_records(table) if table is not None else ():
            if record.image_id in wrong:
                try:
                    make_again(worker, record)
                except BenchwrightError as error:
                    yield str(space.objects.path(record.image_id).relative_to(space.root)), str(error)
    if next(table_problems(space, afresh=False), None) is not None:
        return  # the needed pictures are unknown
    for path in space.objects.root.glob("??/*"):
        name = path.parent.name + path.name
        if name not in wanted and space.checked.wrong(path, name) is not None:
            path.unlink()


def _is_wrong(space: Workspace, image_id: str, *, is_stored: bool) -> bool:
    path = space.objects.path(image_id)
    return (is_stored or path.exists()) and space.checked.wrong(path, image_id) is not None


def _in_this_process(worker: WorkerContext) -> Callable[[Sequence[Job]], Iterator[Done]]:
    def run(jobs: Sequence[Job]) -> Iterator[Done]:
        for job in jobs:
            yield Done(job, job.run(worker, _attempt()), 0.0, 1)

    return run


def _attempt() -> Attempt:
    return Attempt(at=lambda _place: None)
