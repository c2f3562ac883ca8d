"""On which side of a part's outline the color of a pixel near it belongs, by the colors found nearby on both sides.

A mean of one side mixes a hand with the wall behind it, and the mix may look like the part. So a pixel is compared with
single colors: those a short way inside the outline and those a short way outside, in all directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...item_parts.cutting_out import Mask

Lab = NDArray[np.float32]

_LIGHT = 0.5
"""Weight of Oklab's lightness against its two axes of color: shade changes within a part, hue hardly does."""
_DIRECTIONS, _STEPS = 16, (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
"""Directions in which samples lie, and their distances in widths of the rim."""
_NOTHING_NEAR = 9.0


class Sides(NamedTuple):
    """How far a pixel's color is from the nearest color on both sides; large where a side has no sample nearby."""

    to_inside: NDArray[np.float32]
    to_outside: NDArray[np.float32]


def sides(lab: Lab, judged: Mask, inside: Mask, outside: Mask, *, band: float) -> Sides:
    """Return how far the colors of pixels are from those nearby on both sides of an outline.

    Args:
        lab: (height, width, 3) Oklab.
        judged: (height, width): pixels to compare; elsewhere, both distances are large.
        inside: Pixels that are purely the part's.
        outside: Pixels that are purely its neighbors'.
        band: Half-width of the rim, in pixels, at least 0.5.
    """
    rows, columns = np.nonzero(judged)
    scaled = lab * np.array([_LIGHT, 1, 1], np.float32)
    own = scaled[rows, columns]
    nearest = [np.full(len(rows), _NOTHING_NEAR, np.float32) for _ in range(2)]
    height, width = judged.shape
    for down, across in _steps(band):
        there = np.clip(rows + down, 0, height - 1), np.clip(columns + across, 0, width - 1)
        apart = np.sqrt(((scaled[there] - own) ** 2).sum(axis=1))
        for side, found in zip((inside, outside), nearest, strict=True):
            np.minimum(found, np.where(side[there], apart, _NOTHING_NEAR), out=found)
    filled = []
    for found in nearest:
        grid = np.full(judged.shape, _NOTHING_NEAR, np.float32)
        grid[rows, columns] = found
        filled.append(grid)
    return Sides(*filled)


def _steps(band: float) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the samples, in rows and columns."""
    angles = np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS
    offsets = {
        (round(step * band * float(np.sin(angle))), round(step * band * float(np.cos(angle))))
        for step in _STEPS
        for angle in angles
    }
    yield from sorted(offsets - {(0, 0)})
