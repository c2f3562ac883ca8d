"""What a run does about tables that are not as they were written: it makes them again, or says why nobody can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchwright.errors import DamagedError, DataError
from benchwright.pipeline.live import INGEST
from benchwright.release.manifest import MANIFEST
from benchwright.shards import StageTable
from benchwright.stages import Stage
from benchwright.store_place import has_store
from benchwright.workspace import Workspace


def mend_tables(space: Workspace, stages: Sequence[Stage], shards: Sequence[str]) -> Iterator[str]:
    """Take away the markers of shards that are damaged, so that the run makes them again; yield a line for each.

    Raises:
        DataError: What is damaged or gone cannot be made again.
    """
    for stage in (None, *stages):
        table = StageTable(space, INGEST if stage is None else stage.id)
        if stage is not None and stage.kind == "campaign":
            require_store(space, stage)
        for shard in shards:
            if (problem := next(table.problems(shard), None)) is not None:
                table.marker_path(shard).unlink()
                yield (
                    f"{inside(space, problem.path)} {problem.what}: shard {shard} of {table.stage} is made again "
                    f"{made_from(stage)}"
                )
        try:
            table.current()
        except DamagedError as error:
            error.path.unlink()
            yield f"{inside(space, error.path)} {error.what}: it is written again from the markers"


def require_store(space: Workspace, stage: Stage) -> None:
    """Refuse to go on with a campaign that people closed and whose review store is gone.

    Raises:
        DataError: The store is gone, so that people would be asked everything again.
    """
    folder = StageTable(space, stage.id).folder
    if (folder / "current.json").exists() and not has_store(space.root) and not stage.step.parameters().get("simulate"):
        raise DataError(
            f"{folder} holds what people decided, and the review store of {space.root} is gone: bring it back "
            f"(`benchwright review restore`), or delete {folder} to ask them everything again"
        )


def made_from(stage: Stage | None) -> str:
    """Say what a stage's table is made from; ingest where no stage is given."""
    if stage is None:
        return "from the image folder"
    return "from the review store" if stage.kind == "campaign" else "from its inputs"


def inside(space: Workspace, path: Path) -> str:
    """Return a path as seen from the workspace."""
    return str(path.relative_to(space.root)) if path.is_relative_to(space.root) else str(path)


def files_made(root: Path, artifacts: Mapping[str, str]) -> Iterator[str]:
    """Yield the files below what a final step made, as seen from the workspace; releases vouch for their own."""
    for name in artifacts.values():
        path = root / name
        if path.is_file():
            yield name
        elif path.is_dir() and not (path / MANIFEST).exists():
            yield from (str(file.relative_to(root)) for file in path.rglob("*") if file.is_file())
