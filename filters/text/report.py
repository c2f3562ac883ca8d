"""Report on the proportion of text in the files of a folder, measured by the same step as in a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..measured_folder import Row, UnreadableFile, measure_folder
from .text_ratio import Backend, TextRatio

if TYPE_CHECKING:
    from benchwright.progress import Progress

Polygon = tuple[tuple[float, float], ...]


class TextShare(NamedTuple):
    """The text in one readable file.

    Args:
        path: Path relative to the folder.
        ratio: Proportion of the picture that text covers, 0-1.
        boxes: Number of boxes of text.
        regions: Corners of these boxes, in pixels of the picture.
        left_out: Corners of boxes that the detector proposed but the reader could not read.
        unread: Number of boxes among `regions` that count as lines although the reader does not support their script.
    """

    path: str
    ratio: float
    boxes: int
    regions: tuple[Polygon, ...]
    left_out: tuple[Polygon, ...]
    unread: int = 0


class TextReport(NamedTuple):
    """The text in a folder's files, sorted by path; equal files are listed separately. `engine` is empty if there are
    no images.
    """

    images: tuple[TextShare, ...]
    unreadable: tuple[UnreadableFile, ...]
    engine: str = ""


def measure_text(
    folder: Path, *, backend: Backend = "rapidocr", workers: int | None = None, progress: Progress | None = None
) -> TextReport:
    """Measure the proportion of text in every image of a folder, in a temporary workspace.

    Args:
        folder: Folder of images, searched with all its subfolders.
        backend: OCR engine; default `rapidocr`.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.

    Raises:
        PrerequisiteError: A requirement of the backend is not installed.
    """
    measured = measure_folder(TextRatio(backend=backend), folder, workers=workers, progress=progress)
    engine = next((file.measured["engine"] for file in measured.files if file.measured["engine"]), "")
    return TextReport(tuple(_share(file.path, file.measured) for file in measured.files), measured.unreadable, engine)


def _share(path: str, row: Row) -> TextShare:
    regions, left_out = (
        tuple(tuple((x, y) for x, y in region["polygon"]) for region in row["evidence"].get(kind, ()))
        for kind in ("regions", "left_out")
    )
    unread = sum(region.get("unread", False) for region in row["evidence"].get("regions", ()))
    return TextShare(path, row["ratio"], row["boxes"], regions, left_out, unread)
