"""Report on the quality of a folder's pictures, measured by the same step as in a recipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.diagnostics.pictures.faults import FAULTS

from ..measured_folder import Row, UnreadableFile, measure_folder
from .step import Quality

if TYPE_CHECKING:
    from benchwright.progress import Progress


class QualityOfFile(NamedTuple):
    """The quality of one readable file.

    Args:
        path: Path relative to the folder.
        faults: Reason codes of its faults, given the step's default bounds.
        values: Measured values by name.
    """

    path: str
    faults: tuple[str, ...]
    values: Mapping[str, float | None]


class QualityReport(NamedTuple):
    """The files of a folder, sorted by path; equal files are listed separately."""

    images: tuple[QualityOfFile, ...]
    unreadable: tuple[UnreadableFile, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """Return the number of files with each fault, including faults that no file has, in the order of the step."""
        counts = Counter(reason for image in self.images for reason in image.faults)
        return {fault.reason: counts[fault.reason] for fault in FAULTS}

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "images": [{"path": image.path, "faults": list(image.faults), **image.values} for image in self.images],
            "unreadable": [file.document() for file in self.unreadable],
            "reasons": self.reasons,
        }


def measure_quality(folder: Path, *, workers: int | None = None, progress: Progress | None = None) -> QualityReport:
    """Measure every image of a folder, in a temporary workspace.

    Args:
        folder: Folder of images, searched with all its subfolders.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.
    """
    step = Quality()
    measured = measure_folder(step, folder, workers=workers, progress=progress)
    images = tuple(
        QualityOfFile(file.path, _faults(file.judged), {name: file.measured[name] for name in step.values})
        for file in measured.files
    )
    return QualityReport(images, measured.unreadable)


def _faults(judged: Row) -> tuple[str, ...]:
    """Return the reason codes of the faults, in the order of the step."""
    named = (judged["evidence"] or {}).get("faults", ())
    return tuple(fault.reason for fault in FAULTS if fault.reason in named)
