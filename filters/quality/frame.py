"""How much of a picture is a frame: bars above and below a film, a margin around a scan, one color to the edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SPREAD = 8
"""Largest distance from the frame's color, in levels, that a pixel of a frame may have in any channel, for all but
`_EXCEPTIONS` of a line's pixels."""
_EXCEPTIONS = 0.01
_LINES = 32
"""Looked at together after the first; most pictures have no frame and are done with that."""


def frame(pixels: NDArray[np.uint8]) -> float:
    """Return the share of a picture that lies in a frame of one color along its edges, 0 to 1.

    From each side lines are taken away as long as they have the color of that side's outermost line throughout. A
    picture of one color is all frame.

    Args:
        pixels: (height, width, 3).
    """
    top, bottom = _bars(pixels)
    if top + bottom >= pixels.shape[0]:
        return 1.0
    inner = pixels[top : pixels.shape[0] - bottom]
    left, right = _bars(inner.transpose(1, 0, 2))
    if left + right >= pixels.shape[1]:
        return 1.0
    shown = inner.shape[0] * (pixels.shape[1] - left - right)
    return 1 - float(shown / (pixels.shape[0] * pixels.shape[1]))


def _bars(pixels: NDArray[np.uint8]) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end belong to a frame."""
    return _bar(pixels), _bar(pixels[::-1])


def _bar(pixels: NDArray[np.uint8]) -> int:
    color = np.round(np.median(pixels[0], axis=0)).astype(np.int16)
    start, lines = 0, 1
    while start < len(pixels):
        away = np.abs(pixels[start : start + lines] - color).max(axis=2) > _SPREAD
        other = away.mean(axis=1) > _EXCEPTIONS
        if other.any():
            return start + int(np.argmax(other))
        start, lines = start + lines, _LINES
    return len(pixels)
