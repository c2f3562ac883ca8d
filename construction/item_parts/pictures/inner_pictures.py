"""The part of a picture within its margins and frames, and the positions of lettering in it.

White borders of scans, frames of photographs and the outer line of a comic end with the picture. A part at the
picture's border shows them and so reveals its position, whatever its content. Where a cut divides lettering, a solver
can read on instead of comparing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_UNIFORM_SHARE, _UNIFORM_LEVELS = 0.95, 16
"""A line is uniform if this proportion of its pixels lies within this many levels of its median."""
_LOOKED_AT, _LINES_AT_ONCE = 128, 16
"""Approximate number of examined pixels per line, and number of lines examined together."""
_MOST_TRIMMED = 0.25
"""Largest fraction of a side to trim at one end."""
_ROUNDS = 2
"""Number of passes over the four sides; in the second pass, lines are shorter because of the first."""
_PARTS = (0.92, 0.84, 0.76, 0.68, 0.6)
"""Sides of the parts of a picture to try besides the whole, as fractions of the picture's sides."""
Place = tuple[float, float]
"""Where a part lies, across and down: fractions, 0-1, of the room that it leaves."""
NEAR_PLACES: tuple[Place, ...] = ((0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5))
FURTHER_PLACES: tuple[Place, ...] = (
    (0.5, 0), (0, 0.5), (1, 0.5), (0.5, 1), (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75),
)  # fmt: skip
_LEAST_LETTER_PX, _MOST_LETTER = 6, 0.12
"""Height of a line of lettering: smallest, in pixels, and largest, as a fraction of the picture's shorter side."""
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
        """Return the part's width and height."""
        return self.right - self.left, self.bottom - self.top

    def of(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the pixels of this part of a picture."""
        return pixels[self.top : self.bottom, self.left : self.right]


def within_frames(pixels: NDArray[np.uint8], margin: float) -> InnerBox:
    """Return the part of a picture within uniform margins and frames, with a further strip removed at each side.

    Lines of one color are trimmed from each side up to the first line that is not uniform, at most a quarter of the
    picture's side. Then a fraction of the rest is removed at each side, because frames are seldom quite straight or of
    one color.

    Args:
        pixels: Picture, (height, width, 3).
        margin: Fraction of each side to remove after trimming, from 0 to below 0.5.
    """
    height, width = pixels.shape[:2]
    most_y, most_x = int(_MOST_TRIMMED * height), int(_MOST_TRIMMED * width)
    top, bottom, left, right = 0, height, 0, width
    for _ in range(_ROUNDS):
        before = top, bottom, left, right
        top += _uniform_lines(pixels[top:most_y, left:right])
        bottom -= _uniform_lines(pixels[height - most_y : bottom, left:right][::-1])
        left += _uniform_lines(pixels[top:bottom, left:most_x].swapaxes(0, 1))
        right -= _uniform_lines(pixels[top:bottom, width - most_x : right][:, ::-1].swapaxes(0, 1))
        if before == (top, bottom, left, right):
            break
    across, down = int(margin * (right - left)), int(margin * (bottom - top))
    return InnerBox(left + across, top + down, right - across, bottom - down)


def sized_parts_of(
    whole: InnerBox, rng: np.random.Generator, places: Sequence[Place] = NEAR_PLACES
) -> list[tuple[float, InnerBox]]:
    """Return a part and smaller parts of it, by default at its corners and in its middle, each with its side as a
    fraction of the whole's: larger ones first, and parts of equal size in random order.
    """
    width, height = whole.size_wh
    parts = [(1.0, whole)]
    for share in _PARTS:
        size_wh = int(share * width), int(share * height)
        spare_x, spare_y = width - size_wh[0], height - size_wh[1]
        for number in rng.permutation(len(places)).tolist():
            across, down = places[number]
            left, top = whole.left + int(across * spare_x), whole.top + int(down * spare_y)
            parts.append((share, InnerBox(left, top, left + size_wh[0], top + size_wh[1])))
    return parts


def _uniform_lines(lines: NDArray[np.uint8]) -> int:
    """Return the number of uniform lines before the first line that is not uniform, judged by a sample of the pixels of
    each line, (lines, pixels, 3).
    """
    step = max(1, lines.shape[1] // _LOOKED_AT)
    for first in range(0, len(lines), _LINES_AT_ONCE):
        levels = lines[first : first + _LINES_AT_ONCE, ::step].astype(np.int16)
        middle = np.partition(levels, levels.shape[1] // 2, axis=1)[:, levels.shape[1] // 2]
        is_near = (np.abs(levels - middle[:, None]) <= _UNIFORM_LEVELS).all(axis=2)
        is_other = is_near.mean(axis=1) < _UNIFORM_SHARE
        if is_other.any():
            return first + int(is_other.argmax())
    return len(lines)


def lines_of_lettering(pixels: NDArray[np.uint8]) -> list[InnerBox]:
    """Return rectangles that look like lines of lettering: rows of many upright strokes in two colors.

    A cheap test without a text model. It misses single letters, slanted hand lettering and text on a busy ground, and
    mistakes fences, bookshelves and combs for lettering.

    Args:
        pixels: Picture, (height, width, 3).
    """
    import cv2

    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
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
    """Return whether a part has two main gray levels and as many strokes as letters would have."""
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
