"""Application of a filter to the files of a folder, as in a recipe, which returns the values of each file."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import UNSUPPORTED_FORMAT
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.steps import Filter

Row = dict[str, Any]
"""The outcome of a stage: `record_id`, `verdict`, `reason`, `evidence` and the values that the filter declares."""


class UnreadableFile(NamedTuple):
    """A file that cannot be read as an image.

    Args:
        path: Its path below the folder.
        reason: Code of the reason.
        advice: What to do; empty if the reason says enough.
    """

    path: str
    reason: str
    advice: str = ""

    @classmethod
    def of(cls, file: Mapping[str, Any]) -> UnreadableFile:
        """Return a file that was refused on import, given its row in the `files` table."""
        advice = ""
        if file["reason"] == UNSUPPORTED_FORMAT:
            advice = str(file["detail"] or "").removeprefix(f"{file['uri']!r}: ")
        return cls(file["uri"], str(file["reason"]), advice)

    def document(self) -> dict[str, str]:
        """Return the file as JSON values, as printed with `--json`: path, reason, and advice if any."""
        return {"path": self.path, "reason": self.reason} | ({"advice": self.advice} if self.advice else {})

    @property
    def told(self) -> str:
        """Return the reason and the advice in one line."""
        return f"{self.reason} ({printable(self.advice)})" if self.advice else printable(self.reason)


class MeasuredFile(NamedTuple):
    """A readable file: its path below the folder, the measured values, and the verdict."""

    path: str
    measured: Row
    judged: Row


class MeasuredFolder(NamedTuple):
    """The files of a folder, each kind sorted by path; equal files are listed separately."""

    files: tuple[MeasuredFile, ...]
    unreadable: tuple[UnreadableFile, ...]


def measure_folder(
    step: Filter, folder: Path, *, workers: int | None = None, progress: Progress | None = None
) -> MeasuredFolder:
    """Run a filter over every image of a folder, in a temporary workspace.

    Args:
        step: Image filter that reads no values of other steps.
        folder: Folder of images, searched with all its subfolders.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.

    Raises:
        PrerequisiteError: A requirement of the filter is not installed.
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
                unreadable.append(
                    UnreadableFile.of(file) if row is None else UnreadableFile(file["uri"], row["reason"])
                )
            else:
                files.append(MeasuredFile(file["uri"], row, judged[file["image_id"]]))
    return MeasuredFolder(tuple(sorted(files, key=lambda file: file.path)), tuple(sorted(unreadable)))
