"""The page of `benchwright filter text-ratio --calibrate`: one self-contained file without scripts.

For each threshold of the text-area ratio, the page shows how many pictures it would drop, and the pictures whose ratios
are closest to it.
"""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.identify import path_for
from benchwright.pages import page_pieces
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import replacing

from .calibration_charts import dropped_chart, ratio_chart
from .report import Polygon, TextReport, TextShare

CANDIDATES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_NEAR = 0.02
"""Largest distance from a threshold at which a ratio counts as close; two careful measurements may differ by this much.
"""
EXAMPLES = 4


class ThresholdEffect(NamedTuple):
    """The effect of one threshold.

    Args:
        threshold: Ratio above which a picture is dropped.
        kept: Number of kept files.
        dropped: Number of dropped files.
        close: Number of files whose ratio is within `_NEAR` of the threshold.
        below: Distinct kept pictures, nearest first.
        above: Distinct dropped pictures, nearest first.
    """

    threshold: float
    kept: int
    dropped: int
    close: int
    below: tuple[TextShare, ...]
    above: tuple[TextShare, ...]


def candidates(shares: Sequence[TextShare], thresholds: Iterable[float] | None = None) -> list[ThresholdEffect]:
    """Return the effect of each threshold, in ascending order; the order of files does not matter.

    Args:
        shares: Proportion of text in each file.
        thresholds: Thresholds, 0-1; default those of `CANDIDATES` that drop something, and the first one that drops
            nothing.
    """
    ordered = sorted(shares, key=lambda share: (share.ratio, share.path))
    ratios = [share.ratio for share in ordered]
    if thresholds is None:
        last = bisect_right(CANDIDATES, ratios[-1] if ratios else 0.0)
        thresholds = CANDIDATES[: last + 1]
    return [_candidate(ordered, ratios, threshold) for threshold in sorted(set(thresholds))]


def _candidate(ordered: Sequence[TextShare], ratios: Sequence[float], threshold: float) -> ThresholdEffect:
    kept = bisect_right(ratios, threshold)
    close = sum(abs(ratio - threshold) <= _NEAR for ratio in ratios)
    return ThresholdEffect(
        threshold, kept, len(ordered) - kept, close, _distinct(reversed(ordered[:kept])), _distinct(ordered[kept:])
    )


def _distinct(nearest_first: Iterable[TextShare]) -> tuple[TextShare, ...]:
    """Return the first few distinct pictures, skipping copies of a file."""
    distinct: dict[object, TextShare] = {}
    for share in nearest_first:
        distinct.setdefault((share.ratio, share.regions, share.left_out) if share.boxes else share.path, share)
        if len(distinct) == EXAMPLES:
            break
    return tuple(distinct.values())


_TEMPLATES = Path(__file__).parent / "templates"
_SIDE_PX = 360


class _CalibrationExample(NamedTuple):
    """A picture on the page.

    Args:
        number: Index of the picture on the page; None if it cannot be shown.
        problem: Reason why the picture cannot be shown, otherwise None.
        path: Path of the file, printable.
        ratio: Proportion of text, 0-1.
        boxes: Number of boxes of text.
        size_wh: Width and height of the picture, in pixels, to which the coordinates of the corners refer.
        regions: Corners of boxes that count, as SVG points.
        left_out: Corners of boxes that do not count, as SVG points.
    """

    number: int | None
    problem: str | None
    path: str
    ratio: float
    boxes: int
    size_wh: tuple[int, int]
    regions: tuple[str, ...]
    left_out: tuple[str, ...]


def check_page_path(path: Path) -> None:
    """Check, before any measurement, that the page can be written without overwriting anything.

    Raises:
        BenchwrightError: The file exists, its folder does not, or its name does not end in `.html`.
    """
    if path.suffix.lower() not in {".html", ".htm"}:
        raise BenchwrightError(f"{path}: the page is HTML; give it a name that ends in .html")
    if not path.parent.is_dir():
        raise BenchwrightError(f"{path}: the folder {path.parent} does not exist; make it first")
    if path.exists():
        raise BenchwrightError(f"{path} already exists; move it away or give another name")


def write_calibration(path: Path, folder: Path, report: TextReport, *, thresholds: Sequence[float] | None) -> None:
    """Write the page.

    Args:
        path: File of the page.
        folder: The measured folder, from which the pictures on the page are read again.
        report: Report of the folder.
        thresholds: Thresholds, 0-1; None for those that suit the distribution.

    Raises:
        BenchwrightError: As for `check_page_path`.
    """
    check_page_path(path)
    rated = candidates(report.images, thresholds)
    pictures = _ReducedPictures(folder)
    ratios, marked = [image.ratio for image in report.images], [candidate.threshold for candidate in rated]
    values = {
        "folder": printable(folder.resolve().name),
        "facts": _facts(report),
        "charts": [ratio_chart(ratios, marked), dropped_chart(ratios, marked)] if ratios else [],
        "without_text": sum(image.ratio == 0 for image in report.images),
        "candidates": [_shown(candidate, pictures) for candidate in rated],
        "pictures": pictures.uris,
        "unreadable": [(printable(file.path), printable(file.reason)) for file in report.unreadable],
        "near": _NEAR,
    }
    pieces = page_pieces(
        _TEMPLATES,
        "calibration.html",
        values,
        generator="benchwright filter text-ratio --calibrate",
        style="calibration.css",
    )
    with replacing(path) as draft, draft.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as page:
        page.writelines(pieces)


def _facts(report: TextReport) -> list[tuple[str, str]]:
    ratios = sorted(image.ratio for image in report.images)
    facts = [("images", f"{len(ratios):,}"), ("with text", f"{sum(ratio > 0 for ratio in ratios):,}")]
    if ratios:
        facts += [("median ratio", f"{ratios[len(ratios) // 2]:.3f}"), ("largest ratio", f"{ratios[-1]:.3f}")]
    return [*facts, ("unreadable files", f"{len(report.unreadable):,}"), ("found by", report.engine or "nobody")]


def _shown(candidate: ThresholdEffect, pictures: _ReducedPictures) -> dict[str, Any]:
    total = candidate.kept + candidate.dropped
    return {
        "name": f"{candidate.threshold:g}",
        "kept": candidate.kept,
        "dropped": candidate.dropped,
        "close": candidate.close,
        "share": candidate.dropped / total if total else 0.0,
        "below": [pictures.example(share) for share in candidate.below],
        "above": [pictures.example(share) for share in candidate.above],
    }


class _ReducedPictures:
    """Reduced pictures of a folder; each is read only once, however often it is shown."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _CalibrationExample] = {}
        self.uris: list[tuple[str, tuple[int, int]]] = []

    def example(self, share: TextShare) -> _CalibrationExample:
        if share.path not in self._known:
            self._known[share.path] = self._read(share)
        return self._known[share.path]

    def _read(self, share: TextShare) -> _CalibrationExample:
        from benchwright.drawing.previews import preview

        number, problem, size = None, None, (1, 1)
        try:
            small = preview((self._folder / path_for(share.path)).read_bytes(), max_side_px=_SIDE_PX)
        except (UnreadableImage, OSError) as error:
            problem = f"This picture can no longer be shown: {type(error).__name__}"
        else:
            data = base64.b64encode(small.data).decode("ascii")
            number, size = len(self.uris), small.full_wh
            self.uris.append((f"data:{small.media_type};base64,{data}", size))
        outlines = (tuple(map(_points, polygons)) for polygons in (share.regions, share.left_out))
        return _CalibrationExample(number, problem, printable(share.path), share.ratio, share.boxes, size, *outlines)


def _points(polygon: Polygon) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in polygon)
