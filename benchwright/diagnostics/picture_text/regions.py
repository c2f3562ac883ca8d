"""The regions of a picture that are accepted as text: the detector's proposals without the illegible ones.

The detector proposes boxes with a confidence. The reader checks two kinds of boxes:

- **giant** ones: on drawings and logos the detector takes a face, or the whole picture, for one word, often with
  the highest confidence;
- **unsure** ones: about half are lines in a speech bubble, the others are eyes or twigs.

Such a box counts if the reader recognizes letters or digits. On the 35 dev images of II-Bench and some 200 others, this
keeps the giant lines of text and drops the giant boxes around drawings, some of them words drawn as pictures.

The reader knows the letters of some scripts only (`scripts.SCRIPTS`), whereas the detector finds lines in any. So a
giant box with a high detector confidence counts unread if it has the shape of a line. Of 36 illegible giant boxes
around drawings in the same images, 35 are less than 3 times as long as high, and the longer one contains letters.

Long pictures are cut into windows, so that letters stay legible at the detector's size: a comic strip of 800 x 9,000
pixels, shrunk to that size, shows no letters. Windows overlap, so that text at the edge of one is complete in another;
each owns the boxes centered in its own part, so no box counts twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from .area import union_ratio
from .base import STRIDE, Pixels, RegionRules, TextEngine, TextReading

_LONGEST = 2.5
"""Aspect ratio above which a picture is cut into windows."""
_LINE = 3.0
"""Smallest length of an illegible box, in units of its height, at which it counts as a line of text."""
_LENGTH, _OVERLAP = 1.5, 0.5
"""Length and overlap of windows, in units of the picture's shorter side."""
_MOST = 48


class TextWindow(NamedTuple):
    """A part of a picture, in pixels, and the range in which it owns the boxes found.

    Args:
        left: First column.
        top: First row.
        right: First column after the last.
        bottom: First row after the last.
        owns_from: Beginning of the range that it owns, along the longer side of the picture.
        owns_to: End of that range; infinite for the last window.
    """

    left: int
    top: int
    right: int
    bottom: int
    owns_from: float
    owns_to: float


def windows(*, width: int, height: int, side_px: int) -> list[TextWindow]:
    """Return the windows of a picture, in order: one, or several along its longer side.

    Args:
        width: Width of the picture in pixels.
        height: Height of the picture in pixels.
        side_px: Longer side of the detector's pictures; no window is shorter.
    """
    short, long = sorted((width, height))
    if long <= max(_LONGEST * short, side_px):
        return [TextWindow(0, 0, width, height, 0.0, float("inf"))]
    length = max(round(_LENGTH * short), side_px)
    overlap = min(round(_OVERLAP * short), length // 2)
    count = min(_MOST, -(-(long - overlap) // (length - overlap)))
    length = -(-(long + (count - 1) * overlap) // count)
    starts = [number * (long - length) // max(1, count - 1) for number in range(count)]
    middles = [(start + before + length) / 2 for before, start in pairwise(starts)]
    owned = zip([0.0, *middles], [*middles, float("inf")], strict=True)
    return [
        TextWindow(start, 0, start + length, height, *own)
        if width > height
        else TextWindow(0, start, width, start + length, *own)
        for start, own in zip(starts, owned, strict=True)
    ]


_LINE_PX = 48
"""Height in pixels of a reader's lines: larger boxes are cut from the reduced picture, others from the full-size
picture."""


class TextBox(NamedTuple):
    """A box proposed by the detector.

    Args:
        polygon: Corners (x, y) in pixels of the picture, clockwise.
        confidence: Confidence of the detector, 0-1.
        text: Text from the reader; None if the box was not read.
        legibility: Confidence of the reader, 0-1; None if the box was not read.
        is_text: Whether the box is accepted as text.
        is_unread: Whether it counts by its shape, as a line in letters unknown to the reader.
    """

    polygon: tuple[tuple[float, float], ...]
    confidence: float
    text: str | None = None
    legibility: float | None = None
    is_text: bool = True
    is_unread: bool = False


class TextFinder:
    """An OCR engine with the rules for its proposals; not thread-safe.

    Attributes:
        looked_at: Number of pictures searched so far.
        engine: The OCR engine.
    """

    def __init__(self, rules: RegionRules, engine: TextEngine) -> None:
        self.looked_at = 0
        self.engine = engine
        self._rules = rules

    def find(self, pixels: Pixels) -> list[TextBox]:
        """Return the detector's proposals for a picture of shape (height, width, 3), RGB, from top to bottom."""
        self.looked_at += 1
        height, width = pixels.shape[:2]
        regions = [
            region
            for window in windows(width=width, height=height, side_px=self._rules.side_px)
            for region in self._find(pixels, window)
        ]
        return sorted(regions, key=lambda region: (region.polygon[0][1], region.polygon))

    def _find(self, pixels: Pixels, window: TextWindow) -> list[TextBox]:
        """Return a window's own regions, reading the doubtful ones together."""
        part = np.ascontiguousarray(pixels[window.top : window.bottom, window.left : window.right, ::-1])
        shown, scale = _shrunk(part, side_px=self._rules.side_px)
        proposed = list(self._proposed(shown, scale, window, size=pixels.shape))
        doubtful = [number for number, (region, _) in enumerate(proposed) if self._is_doubtful(region, pixels.shape)]
        readings = self.engine.read([_line(part, shown, proposed[number][1], scale) for number in doubtful])
        regions = [region for region, _ in proposed]
        for number, reading in zip(doubtful, readings, strict=True):
            regions[number] = self._judged(regions[number], reading)
        return regions

    def _proposed(
        self, shown: Pixels, scale: float, window: TextWindow, *, size: Sequence[int]
    ) -> Iterator[tuple[TextBox, NDArray[np.float32]]]:
        """Yield a window's own regions, each with its corners in the detector's picture."""
        origin, along = np.array([window.left, window.top]), int(size[0] > size[1])
        for proposal in self.engine.detect(_padded(shown)):
            corners = np.asarray(cv2.convexHull(proposal.corners), np.float32).reshape(-1, 2)
            polygon = corners / scale + origin
            if window.owns_from <= polygon[:, along].mean() < window.owns_to:
                yield TextBox(tuple((float(x), float(y)) for x, y in polygon), proposal.confidence), corners

    def _is_doubtful(self, region: TextBox, size: Sequence[int]) -> bool:
        if region.confidence < self._rules.sure:
            return True
        return union_ratio([region.polygon], width=size[1], height=size[0]) > self._rules.giant_box

    def _judged(self, region: TextBox, reading: TextReading) -> TextBox:
        is_read = reading.legibility >= self._rules.legible and is_legible_text(reading.text)
        is_unread = not is_read and region.confidence >= self._rules.sure and _is_line(region.polygon)
        return region._replace(
            text=reading.text, legibility=reading.legibility, is_text=is_read or is_unread, is_unread=is_unread
        )


def is_legible_text(text: str) -> bool:
    """Return whether a reading differs from what mere circles and strokes are read as (`8`, `0.0`, `l`)."""
    characters = [character for character in text.casefold() if character.isalnum()]
    return len(characters) >= 3 or len(set(characters)) >= 2


def _is_line(polygon: tuple[tuple[float, float], ...]) -> bool:
    """Return whether a box is as long as a line of words; vertical lines, as in Japanese, count as well."""
    short, long = sorted(cv2.minAreaRect(np.asarray(polygon, np.float32))[1])
    return long >= _LINE * short > 0


def _shrunk(part: Pixels, *, side_px: int) -> tuple[Pixels, float]:
    """Return a part whose longer side is at most `side_px`, and the factor by which it was scaled."""
    height, width = part.shape[:2]
    scale = min(1.0, side_px / max(height, width))
    if scale == 1.0:
        return part, scale
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def _padded(shown: Pixels) -> Pixels:
    """Repeat the last row and column up to the detector's stride, so that the detector does not stretch the picture."""
    height, width = shown.shape[:2]
    below, right = -height % STRIDE, -width % STRIDE
    return np.asarray(cv2.copyMakeBorder(shown, 0, below, 0, right, cv2.BORDER_REPLICATE), np.uint8)


def _line(part: Pixels, shown: Pixels, corners: NDArray[np.float32], scale: float) -> Pixels:
    """Return a box as a line of text, cut from the picture at the scale that is closer to the reader's."""
    high = min(cv2.minAreaRect(corners)[1])
    return _straightened(shown, corners) if high >= _LINE_PX else _straightened(part, corners / np.float32(scale))


def _straightened(picture: Pixels, corners: NDArray[np.float32]) -> Pixels:
    """Return a tilted box as a horizontal line; a tall box is rotated, as in rapidocr."""
    box = cv2.boxPoints(cv2.minAreaRect(corners))
    by_x = box[np.argsort(box[:, 0], kind="stable")]
    (left_top, left_bottom), (right_top, right_bottom) = (
        pair[np.argsort(pair[:, 1], kind="stable")] for pair in (by_x[:2], by_x[2:])
    )
    width = max(1, round(float(np.linalg.norm(right_top - left_top))))
    height = max(1, round(float(np.linalg.norm(left_bottom - left_top))))
    source = np.array([left_top, right_top, right_bottom, left_bottom], np.float32)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, target)
    flat = cv2.warpPerspective(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.ascontiguousarray(np.rot90(flat) if height >= 1.5 * width else flat, np.uint8)
