"""How much of a picture shows anything at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CELL_PX = 16
_LEAST_RANGE = 12
"""Levels between the darkest and the lightest pixel of a cell, in any channel, from which it shows something; noise of
JPEG and of scanners stays below."""


def filled(pixels: NDArray[np.uint8]) -> float:
    """Return the share of a picture's cells of 16 x 16 pixels that are not of one color, 0 to 1.

    Args:
        pixels: (height, width, 3).
    """
    height, width = (max(1, side // _CELL_PX) for side in pixels.shape[:2])
    rows, columns = (np.linspace(0, side, count, endpoint=False).astype(int) for side, count in
                     zip(pixels.shape[:2], (height, width), strict=True))  # fmt: skip
    # Whole rows first, strip by strip: `reduceat` along them would take ten times as long.
    strips = np.split(pixels, rows[1:])
    darkest, lightest = (
        reduce.reduceat(np.stack([reduce.reduce(strip, axis=0) for strip in strips]), columns, axis=1)
        for reduce in (np.minimum, np.maximum)
    )
    ranges = (lightest.astype(np.int16) - darkest).max(axis=2)
    return float((ranges >= _LEAST_RANGE).mean())
