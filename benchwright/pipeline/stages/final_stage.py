"""Execution of final steps, which see the whole workspace and write a release or results into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.errors import DamagedError
from benchwright.pipeline.stages.damage import files_made
from benchwright.pipeline.stages.view import View
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.steps import FinalContext, FinalStep
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.takedowns import withdrawn_images


class FinishedFinal(NamedTuple):
    """The artifacts of a final step, by name and path relative to the workspace, and whether this run made them."""

    artifacts: Mapping[str, str]
    ran: bool


def run_final(worker: WorkerContext, stage: Stage, shards: Sequence[str], context: FinalContext) -> FinishedFinal:
    """Run a final step unless it and its artifacts are up to date.

    Args:
        worker: Context of the main process.
        stage: The stage.
        shards: Names of all shards.
        context: The step's resources besides the view.
    """
    assert isinstance(stage.step, FinalStep)
    space = worker.workspace
    before = worker.stages[: worker.stages.index(stage)]
    view = View(worker, before, shards, context.recipe, withdrawn=withdrawn_images(space.root))
    fingerprint = digest([worker.config(stage), view.fingerprint, context.recipe, context.artifacts])
    folder = StageTable(space, stage.id).folder
    known: Mapping[str, Any] = {}
    with suppress(FileNotFoundError, DamagedError):
        known = read_sealed(folder / "final.json")
    made: Mapping[str, str] = known.get("artifacts", {})
    if known.get("fingerprint") == fingerprint and all((space.root / path).exists() for path in made.values()):
        return FinishedFinal(made, ran=False)
    made = stage.step.finish(view, context)
    folder.mkdir(parents=True, exist_ok=True)
    files = {name: space.checked.digest(space.root / name) for name in sorted(files_made(space.root, made))}
    document = {"fingerprint": fingerprint, "artifacts": dict(made), "files": files}
    write_sealed(folder / "final.json", document, tmp=space.tmp)
    return FinishedFinal(made, ran=True)
