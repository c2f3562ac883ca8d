"""Painting of shapes with anti-aliased edges, tile by tile, only near the shape.

Each pixel has `SUB` x `SUB` samples, and a sample on an edge counts partly, so edges have far more levels than there
are samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Rect
from benchwright.drawing.shapes import Axis, Shape

Pixels = NDArray[np.uint8]
Color = tuple[int, int, int]
SUB = 4
"""Number of samples per pixel and axis."""
HALO_OPACITY = 0.85
_TILE_PX, _BLOCK_PX = 48, 480


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
    widest = max(layer.growth for layer in layers) + 1 / SUB
    for rows, columns, part in _tiles_near(shape, _touched(pixels, bounds), _BLOCK_PX, widest):
        distance = part.distance(_samples(columns).reshape(1, -1), _samples(rows).reshape(-1, 1))
        area = pixels[rows, columns]
        for growth, color, opacity in layers:
            samples = np.clip(0.5 - (distance - growth) * SUB, 0.0, 1.0)
            blend(area, opacity * samples.reshape(area.shape[0], SUB, area.shape[1], SUB).mean(axis=(1, 3)), color)


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
            part = shape.near(*middle, growth + side * 0.7072)
            if part is None:
                continue
            if side > _TILE_PX:
                yield from _tiles_near(part, (rows, columns), _TILE_PX, growth)
            else:
                yield rows, columns, part


def _samples(pixels: slice) -> Axis:
    """Return the coordinates of the samples of a row or column of pixels."""
    return np.arange(pixels.start * SUB, pixels.stop * SUB) / SUB + 0.5 / SUB


def blend(area: Pixels, cover: NDArray[np.floating], color: Color) -> None:
    """Paint a colour on an area in place, by the share (0 to 1) of each pixel that it covers."""
    share = cover[..., None]
    area[...] = np.rint(area * (1 - share) + np.array(color) * share).astype(np.uint8)
