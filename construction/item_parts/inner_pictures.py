"""What of a picture lies within its margins and frames, and where lettering runs in it.

White borders of scans, frames of photographs and the outer line of a comic end with the picture. A part that touches
the picture's border shows them, and tells by them where it lies, whatever it shows. Lettering that runs across a cut
is read on instead of compared.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_UNIFORM_SHARE, _UNIFORM_LEVELS = 0.95, 16
"""A line is uniform where this share of its pixels lies within so many levels of its median."""
_MOST_TRIMMED = 0.25
"""Largest share of a side that is trimmed at one end."""
_ROUNDS = 2
"""Passes over the four sides: the second sees lines that the first made shorter."""
_LEAST_LETTER_PX, _MOST_LETTER = 6, 0.12
"""Height of a line of lettering: least, in pixels, and most, as a fraction of the picture's shorter side."""
_LEAST_ASPECT = 2.0
_LEAST_STROKES, _MOST_LEVELS = 4, 0.3


class InnerBox(NamedTuple):
    """A part of a picture in whole pixels, from its upper left corner."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size_wh(self) -> tuple[int, int]:
        """Return its width and height."""
        return self.right - self.left, self.bottom - self.top

    def of(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return that part of a picture's pixels."""
        return pixels[self.top : self.bottom, self.left : self.right]


def within_frames(pixels: NDArray[np.uint8], margin: float) -> InnerBox:
    """Return what of a picture lies within uniform margins and frames, and off its border.

    Lines of one colour are trimmed from each side until one is not, up to a quarter of the picture's side; then a
    share of what is left goes at each side, since frames are seldom quite straight or of one colour.

    Args:
        pixels: Picture, (height, width, 3).
        margin: Share of each side that goes after trimming, 0 to below 0.5.
    """
    height, width = pixels.shape[:2]
    levels = pixels.astype(np.int16)
    top, bottom, left, right = 0, height, 0, width
    for _ in range(_ROUNDS):
        while top < _MOST_TRIMMED * height and _is_uniform(levels[top, left:right]):
            top += 1
        while bottom > height - _MOST_TRIMMED * height and _is_uniform(levels[bottom - 1, left:right]):
            bottom -= 1
        while left < _MOST_TRIMMED * width and _is_uniform(levels[top:bottom, left]):
            left += 1
        while right > width - _MOST_TRIMMED * width and _is_uniform(levels[top:bottom, right - 1]):
            right -= 1
    across, down = int(margin * (right - left)), int(margin * (bottom - top))
    return InnerBox(left + across, top + down, right - across, bottom - down)


def _is_uniform(line: NDArray[np.int16]) -> bool:
    away = np.abs(line - np.median(line, axis=0)).max(axis=1)
    return bool(np.mean(away <= _UNIFORM_LEVELS) >= _UNIFORM_SHARE)


def lines_of_lettering(pixels: NDArray[np.uint8]) -> list[InnerBox]:
    """Return rectangles that look like lines of lettering: rows of many upright strokes in two colours.

    A cheap test without a model of text. It misses single letters, hand lettering at a slant and text on a busy ground,
    and takes fences, bookshelves and combs for lettering.

    Args:
        pixels: Picture, (height, width, 3).
    """
    import cv2

    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    strokes = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    _, marked = cv2.threshold(strokes, 60, 255, cv2.THRESH_BINARY)
    joined = cv2.morphologyEx(marked, cv2.MORPH_CLOSE, np.ones((1, 11), np.uint8))
    joined = cv2.morphologyEx(joined, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, _, boxes, _ = cv2.connectedComponentsWithStats(joined)
    most = _MOST_LETTER * min(grey.shape)
    found = []
    for left, top, width, height, area in boxes[1:].tolist():
        if not (
            _LEAST_LETTER_PX <= height <= most and width >= _LEAST_ASPECT * height and area >= 0.45 * width * height
        ):
            continue
        part = grey[top : top + height, left : left + width]
        if _looks_written(part):
            found.append(InnerBox(left, top, left + width, top + height))
    return found


def _looks_written(grey: NDArray[np.uint8]) -> bool:
    """Return whether a part has two main levels of grey and as many strokes as letters would give it."""
    import cv2

    split, ink = cv2.threshold(grey, 0, 1, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark, light = grey[grey <= split], grey[grey > split]
    if not len(dark) or not len(light) or float(light.mean()) - float(dark.mean()) < 60:
        return False
    spread = (float(dark.std()) * len(dark) + float(light.std()) * len(light)) / grey.size
    if spread > _MOST_LEVELS * (float(light.mean()) - float(dark.mean())):
        return False
    middle = ink[grey.shape[0] // 4 : max(grey.shape[0] // 4 + 1, 3 * grey.shape[0] // 4)]
    strokes = np.abs(np.diff(middle.astype(np.int8), axis=1)).sum(axis=1).mean() / 2
    letters = grey.shape[1] / grey.shape[0]
    return bool(strokes >= max(_LEAST_STROKES, 0.7 * letters))
