"""Painting of shapes with anti-aliased edges, tile by tile, only near the shape.

Each pixel has `SUB` x `SUB` samples, and a sample on an edge counts partly, so edges have far more levels than there
are samples. Pixels whose middle is farther from every edge than any of their samples can be are covered wholly or not
at all, and need no samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Rect
from benchwright.drawing.shapes import Axis, Shape

Pixels = NDArray[np.uint8]
Indices = NDArray[np.int64]
Color = tuple[int, int, int]
SUB = 4
"""Number of samples per pixel and axis."""
HALO_OPACITY = 0.85
_MEAN = np.full(SUB * SUB, SUB**-2)
_BLOCK_PX, _CELL_PX = 480, 8
_HALF_DIAGONAL = sqrt(0.5)
_SAMPLE_REACH_PX = _HALF_DIAGONAL * (1 - 1 / SUB) + 0.5 / SUB + 1e-6
"""Distance of a pixel's middle from an edge from which on all its samples count wholly, or not at all."""


class Coat(NamedTuple):
    """One layer of paint: a colour, and the pixels by which the shape is grown."""

    growth: float
    color: Color
    opacity: float


def coats(*, halo: float, color: Color, contrast: Color) -> tuple[Coat, Coat]:
    """Return a mark's two layers, its halo below."""
    return Coat(halo, contrast, HALO_OPACITY), Coat(0.0, color, 1.0)


def paint(pixels: Pixels, shape: Shape, bounds: Rect, layers: Sequence[Coat]) -> None:
    """Paint a shape on an image in place.

    Args:
        pixels: Image, (height, width, 3) RGB.
        shape: Shape to paint.
        bounds: Rectangle around the shape with its widest layer.
        layers: Layers from bottom to top.
    """
    widest = max(layer.growth for layer in layers) + _SAMPLE_REACH_PX
    for rows, columns, part in _tiles_near(shape, _touched(pixels, bounds), _BLOCK_PX, widest):
        y, x, distance = _pixels_near(part, rows, columns, widest)
        away = np.abs(distance[:, None] - np.array([layer.growth for layer in layers])).min(axis=1)
        edge = away < _SAMPLE_REACH_PX
        sampled = part.distance(*_samples(x[edge], y[edge]))
        area = pixels[y, x]
        for growth, color, opacity in layers:
            cover = (distance < growth).astype(np.float64)
            cover[edge] = np.clip(0.5 - (sampled - growth) * SUB, 0.0, 1.0) @ _MEAN
            blend(area, opacity * cover, color)
        pixels[y, x] = area


def _touched(pixels: Pixels, bounds: Rect) -> tuple[slice, slice]:
    """Return the rows and columns of an image that a rectangle touches."""
    height, width = pixels.shape[:2]
    return (
        slice(max(0, int(bounds.top)), min(height, int(bounds.bottom) + 1)),
        slice(max(0, int(bounds.left)), min(width, int(bounds.right) + 1)),
    )


def _tiles_near(
    shape: Shape, window: tuple[slice, slice], side: int, growth: float
) -> Iterator[tuple[slice, slice, Shape]]:
    """Yield the tiles of a window near a grown shape, each with the part of the shape near it; tiles do not overlap."""
    for top in range(window[0].start, window[0].stop, side):
        for left in range(window[1].start, window[1].stop, side):
            rows, columns = slice(top, min(top + side, window[0].stop)), slice(left, min(left + side, window[1].stop))
            middle = (columns.start + columns.stop) / 2, (rows.start + rows.stop) / 2
            part = shape.near(*middle, growth + side * _HALF_DIAGONAL)
            if part is None:
                continue
            if side > part.tile_px:
                yield from _tiles_near(part, (rows, columns), part.tile_px, growth)
            else:
                yield rows, columns, part


def _pixels_near(shape: Shape, rows: slice, columns: slice, reach: float) -> tuple[Indices, Indices, Axis]:
    """Return the rows and columns of the pixels within `reach` of a shape, and their distances."""
    tops, lefts = np.arange(rows.start, rows.stop, _CELL_PX), np.arange(columns.start, columns.stop, _CELL_PX)
    half = _CELL_PX / 2
    from_cells = shape.distance((lefts + half)[None, :], (tops + half)[:, None])
    down, across = np.nonzero(from_cells <= reach + _CELL_PX * _HALF_DIAGONAL)
    steps = np.arange(_CELL_PX)
    y, x = np.broadcast_arrays(tops[down, None, None] + steps[:, None], lefts[across, None, None] + steps)
    y, x = y.reshape(1, -1), x.reshape(1, -1)
    distance = shape.distance(x + 0.5, y + 0.5)
    near = (distance < reach) & (y < rows.stop) & (x < columns.stop)
    return y[near], x[near], distance[near]


def _samples(x: Indices, y: Indices) -> tuple[Axis, Axis]:
    """Return the coordinates, x and y, of the samples of some pixels, as (pixels, samples)."""
    down, across = np.divmod(np.arange(SUB * SUB), SUB)
    return x[:, None] + (across + 0.5) / SUB, y[:, None] + (down + 0.5) / SUB


def blend(area: Pixels, cover: NDArray[np.floating], color: Color) -> None:
    """Paint a colour on an area in place, by the share (0 to 1) of each pixel that it covers."""
    share = cover[..., None]
    area[...] = np.rint(area * (1 - share) + np.array(color) * share).astype(np.uint8)
