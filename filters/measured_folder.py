"""What a filter measures of a folder's files, as the engine runs it in a recipe, told file by file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.steps import Filter

Row = dict[str, Any]
"""An outcome of a stage: `record_id`, `verdict`, `reason`, `evidence` and the values that the filter declares."""


class UnreadableFile(NamedTuple):
    """A file that is no image we can read, and why; the path is relative to the folder."""

    path: str
    reason: str


class MeasuredFile(NamedTuple):
    """A file that could be read: its path below the folder, what was measured, and what was judged."""

    path: str
    measured: Row
    judged: Row


class MeasuredFolder(NamedTuple):
    """The files of a folder, each kind sorted by path; equal files are each listed."""

    files: tuple[MeasuredFile, ...]
    unreadable: tuple[UnreadableFile, ...]


def measure_folder(
    step: Filter, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> MeasuredFolder:
    """Run a filter over every image of a folder, in a temporary workspace.

    Args:
        step: Over images, without anything before it.
        folder: Searched with all its subfolders.
        workers: Processes; as many as there are processors if None.
        progress: Who wants to know how far it is.

    Raises:
        PrerequisiteError: What the filter needs is not installed.
    """
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        done = run_steps([step], images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        measured = {row["record_id"]: row for row in done.outcomes(f"{step.name}.measure")}
        judged = {row["record_id"]: row for row in done.outcomes(f"{step.name}.judge")}
        files: list[MeasuredFile] = []
        unreadable: list[UnreadableFile] = []
        for file in done.files():
            row = measured.get(file["image_id"])
            if row is None or row["verdict"] == "failed":
                unreadable.append(UnreadableFile(file["uri"], str((row or file)["reason"])))
            else:
                files.append(MeasuredFile(file["uri"], row, judged[file["image_id"]]))
    return MeasuredFolder(tuple(sorted(files, key=lambda one: one.path)), tuple(sorted(unreadable)))
