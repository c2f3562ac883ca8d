"""Long pictures, cut into windows that a text detector can look at without shrinking the letters away.

A comic strip of 800 x 9,000 pixels, shrunk to the detector's size, shows no letter any more. Windows overlap, so
that what one cuts off another sees whole; each owns what is centred in its own part, so nothing counts twice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

LONGEST = 2.5
"""Ratio of the sides from which on a picture is cut."""
_LENGTH, _OVERLAP = 1.5, 0.5
"""Of a window, in units of the picture's shorter side."""
_MOST = 48


class Window(NamedTuple):
    """A part of a picture in pixels: what is looked at, and between which places it owns what it finds.

    Args:
        left: First column.
        top: First row.
        right: One past the last column.
        bottom: One past the last row.
        owns_from: Along the longer side of the picture, where its own part begins.
        owns_to: Where it ends; the last window's own part reaches beyond the picture.
    """

    left: int
    top: int
    right: int
    bottom: int
    owns_from: float
    owns_to: float


def windows(*, width: int, height: int, side_px: int) -> list[Window]:
    """Return the windows of a picture, in order: one, or several along its longer side.

    Args:
        width: Of the picture in pixels.
        height: Of the picture in pixels.
        side_px: Longer side at which the detector looks; shorter windows would win nothing.
    """
    short, long = sorted((width, height))
    if long <= max(LONGEST * short, side_px):
        return [Window(0, 0, width, height, 0.0, float("inf"))]
    length = max(round(_LENGTH * short), side_px)
    overlap = min(round(_OVERLAP * short), length // 2)
    count = min(_MOST, -(-(long - overlap) // (length - overlap)))
    length = -(-(long + (count - 1) * overlap) // count)
    starts = [number * (long - length) // max(1, count - 1) for number in range(count)]
    middles = [(start + before + length) / 2 for before, start in pairwise(starts)]
    owned = zip([0.0, *middles], [*middles, float("inf")], strict=True)
    return [
        Window(start, 0, start + length, height, *own) if width > height
        else Window(0, start, width, start + length, *own)
        for start, own in zip(starts, owned, strict=True)
    ]  # fmt: skip
