"""How much text the files of a folder show, found by the same step as in a recipe, told file by file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..measured_folder import Row, UnreadableFile, measure_folder
from .text_ratio import Backend, TextRatio

if TYPE_CHECKING:
    from benchwright.progress import Progress

Polygon = tuple[tuple[float, float], ...]


class TextShare(NamedTuple):
    """One file that could be read.

    Args:
        path: Relative to the folder.
        ratio: Share of the picture that text covers, 0 to 1.
        boxes: Number of boxes of text.
        regions: Their corners, in pixels of the picture.
        left_out: Corners of boxes that the detector proposed and nobody could read.
    """

    path: str
    ratio: float
    boxes: int
    regions: tuple[Polygon, ...]
    left_out: tuple[Polygon, ...]


class TextReport(NamedTuple):
    """What was found in a folder, sorted by path; equal files are each listed. `engine` is empty without images."""

    images: tuple[TextShare, ...]
    unreadable: tuple[UnreadableFile, ...]
    engine: str = ""


def measure_text(
    folder: Path, *, backend: Backend = "rapidocr", workers: int | None = None, progress: Progress | None = None
) -> TextReport:
    """Measure the share of text of every image of a folder, in a temporary workspace.

    Args:
        folder: Searched with all its subfolders.
        backend: Who looks.
        workers: Processes; as many as there are processors if None.
        progress: Who wants to know how far it is.

    Raises:
        PrerequisiteError: What the backend needs is not installed.
    """
    found = measure_folder(TextRatio(backend=backend), folder, workers=workers, progress=progress)
    engine = next((file.measured["engine"] for file in found.files if file.measured["engine"]), "")
    return TextReport(tuple(_share(file.path, file.measured) for file in found.files), found.unreadable, engine)


def _share(path: str, row: Row) -> TextShare:
    regions, left_out = (
        tuple(tuple((x, y) for x, y in region["polygon"]) for region in row["evidence"].get(kind, ()))
        for kind in ("regions", "left_out")
    )
    return TextShare(path, row["ratio"], row["boxes"], regions, left_out)
