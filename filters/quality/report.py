"""The quality of a folder's pictures, found by the same step as in a recipe, told file by file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..measured_folder import Row, UnreadableFile, measure_folder
from .faults import FAULTS
from .step import Quality

if TYPE_CHECKING:
    from benchwright.progress import Progress


class QualityOfFile(NamedTuple):
    """One file that could be read.

    Args:
        path: Relative to the folder.
        faults: Reason codes, those that the step's defaults give.
        values: As measured, by name.
    """

    path: str
    faults: tuple[str, ...]
    values: Mapping[str, float | None]


class QualityReport(NamedTuple):
    """What was found in a folder, sorted by path; equal files are each listed."""

    images: tuple[QualityOfFile, ...]
    unreadable: tuple[UnreadableFile, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """Return how many files have each fault, in the order of the step; zero is told too."""
        found = Counter(reason for one in self.images for reason in one.faults)
        return {fault.reason: found[fault.reason] for fault in FAULTS}

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "images": [{"path": one.path, "faults": list(one.faults), **one.values} for one in self.images],
            "unreadable": [file._asdict() for file in self.unreadable],
            "reasons": self.reasons,
        }


def measure_quality(folder: Path, *, workers: int | None = None, progress: Progress | None = None) -> QualityReport:
    """Measure every image of a folder, in a temporary workspace.

    Args:
        folder: Searched with all its subfolders.
        workers: Processes; as many as there are processors if None.
        progress: Who wants to know how far it is.
    """
    step = Quality()
    found = measure_folder(step, folder, workers=workers, progress=progress)
    images = tuple(
        QualityOfFile(file.path, _faults(file.judged), {name: file.measured[name] for name in step.values})
        for file in found.files
    )
    return QualityReport(images, found.unreadable)


def _faults(judged: Row) -> tuple[str, ...]:
    """Return the reason codes in the order of the step."""
    named = (judged["evidence"] or {}).get("faults", ())
    return tuple(fault.reason for fault in FAULTS if fault.reason in named)
