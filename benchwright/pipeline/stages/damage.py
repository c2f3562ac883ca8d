"""Repair of damaged tables and pictures during a run, or an error that explains why repair is impossible.

The run makes shards of damaged tables again. It also restores lost or damaged pictures: it copies source images again,
and draws made images again by running the step on the same record with the same seed. The id shows whether the picture
is the same. Anything that cannot be made again is reported and never replaced by something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError, DamagedError, DataError, UnreadableImage
from benchwright.images.identify import path_for
from benchwright.pipeline.stages.worker_context import StageContext, WorkerContext
from benchwright.records import ImageRecord
from benchwright.release.format.manifest import MANIFEST
from benchwright.workspace.photographs import collected_photographs
from benchwright.workspace.shards import StageTable, shard_of
from benchwright.workspace.stage_input import INGEST, load_stage_input
from benchwright.workspace.stages import Stage
from benchwright.workspace.store_place import has_store
from benchwright.workspace.workspace import Workspace


def make_again(worker: WorkerContext, record: ImageRecord) -> None:
    """Restore an image's file in the object store, if it belongs there.

    Raises:
        DataError: The file cannot be restored.
    """
    if record.source is not None:
        is_stored = worker.workspace.objects.path(record.image_id).exists()
        if not is_stored and not worker.workspace.copies_sources():
            return  # never copied, and the reader has already tried the image folder
        _copy_again(worker, record)
    else:
        _run_again(worker, record)
    worker.remade.append(record.image_id)


def _copy_again(worker: WorkerContext, record: ImageRecord) -> None:
    """Copy a source image again from its unchanged original file."""
    assert record.source is not None
    stored = worker.workspace.objects.path(record.image_id)
    state = "damaged" if stored.exists() else "missing"
    origin = _origin(worker, record.image_id, record.source.uri)
    if origin is None:
        raise DataError(
            f"{stored} is {state}, and {record.source.uri!r} has changed in {worker.images}: restore the picture "
            f"there, or the workspace's copy from a backup"
        )
    worker.workspace.objects.put(origin.read_bytes())


def _origin(worker: WorkerContext, image_id: str, uri: str) -> Path | None:
    collected = collected_photographs(worker.workspace.root).path(image_id)
    for path in (collected, worker.images / path_for(uri)):
        try:
            if file_digest(path) == image_id:
                return path
        except OSError:
            continue
    return None


def _run_again(worker: WorkerContext, record: ImageRecord) -> None:
    """Run the step that made an image again, on the record from which the image was made."""
    stage = _maker(worker, record)
    shard = shard_of(record.root_image_id, worker.shard_count)
    made_by = _made_by(StageTable(worker.workspace, stage.id), shard, record.image_id)
    stage_input = load_stage_input(worker.workspace, worker.upstream(stage, shard), list(stage.reads.values()))
    origin = stage_input.images.get(made_by) if stage.consumes == "images" else stage_input.items.get(made_by)
    if origin is None:
        raise DataError(f"{stage.id} made it from {made_by[:12]}, which is missing; run the recipe again")
    try:
        stage.one(origin, StageContext(worker, stage, stage_input))
    except UnreadableImage:
        raise
    except (BenchwrightError, OSError) as error:
        raise DataError(f"{stage.id} cannot make it again: {error}") from error
    path = worker.workspace.objects.path(record.image_id)
    if not path.exists() or file_digest(path) != record.image_id:
        raise DataError(
            f"{stage.id} now makes a different picture (its libraries or device have changed): delete "
            f"{StageTable(worker.workspace, stage.id).folder} and run the recipe again, which makes new items"
        )


def _maker(worker: WorkerContext, record: ImageRecord) -> Stage:
    for stage in worker.stages:
        if stage.kind == "map" and stage.step.operation(worker.seed).operation_id == record.operation_id:
            return stage
    raise DataError("no step of this recipe, as now configured, made it; run the recipe again")


def _made_by(table: StageTable, shard: str, image_id: str) -> str:
    marker = table.marker(shard)
    rows = table.read(marker, "images", ["image_id", "made_by"]) if marker else None
    place = -1 if rows is None else rows.column("image_id").index(image_id).as_py()
    if rows is None or place < 0:
        raise DataError(f"{table.stage} does not record its origin; run the recipe again")
    return str(rows.column("made_by")[place].as_py())


def mend_tables(space: Workspace, stages: Sequence[Stage], shards: Sequence[str]) -> Iterator[str]:
    """Remove the markers of damaged shards, so that the run recreates those shards; yield a line for each.

    Raises:
        DataError: A damaged or missing table cannot be made again.
    """
    for stage in (None, *stages):
        table = StageTable(space, INGEST if stage is None else stage.id)
        if stage is not None and stage.kind == "campaign":
            require_store(space, stage)
        for shard in shards:
            if (problem := next(table.problems(shard), None)) is not None:
                table.marker_path(shard).unlink()
                yield (
                    f"{inside(space, problem.path)} {problem.what}: the run makes shard {shard} of {table.stage} again "
                    f"{made_from(stage)}"
                )
        try:
            table.current()
        except DamagedError as error:
            error.path.unlink()
            yield f"{inside(space, error.path)} {error.what}: rewritten from the markers"


def require_store(space: Workspace, stage: Stage) -> None:
    """Refuse to continue with a closed campaign whose review store is missing.

    Raises:
        DataError: The store is missing, so a run would ask annotators everything again.
    """
    folder = StageTable(space, stage.id).folder
    if (folder / "current.json").exists() and not has_store(space.root) and not stage.step.parameters().get("simulate"):
        raise DataError(
            f"{folder} contains annotators' decisions, but the review store of {space.root} is missing: restore it "
            f"(`benchwright review restore`), or delete {folder} to ask annotators everything again"
        )


def made_from(stage: Stage | None) -> str:
    """Return a phrase that names the origin of a stage's table; None denotes ingest."""
    if stage is None:
        return "from the image folder"
    return "from the review store" if stage.kind == "campaign" else "from its inputs"


def inside(space: Workspace, path: Path) -> str:
    """Return a path relative to the workspace."""
    return str(path.relative_to(space.root)) if path.is_relative_to(space.root) else str(path)


def files_made(root: Path, artifacts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files that a final step made, relative to the workspace; a release has its own manifest."""
    for name in artifacts.values():
        path = root / name
        if path.is_file():
            yield name
        elif path.is_dir() and not (path / MANIFEST).exists():
            yield from (str(file.relative_to(root)) for file in path.rglob("*") if file.is_file())
