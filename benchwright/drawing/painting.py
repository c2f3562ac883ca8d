"""Painting of shapes with anti-aliased edges, limited to the pixels near the shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Rect
from benchwright.drawing.shapes import Shape, Shares

Pixels = NDArray[np.uint8]
Color = tuple[int, int, int]
HALO_OPACITY = 0.85
_BLOCK_PX = 1024


class Coat(NamedTuple):
    """One layer of paint: a color, and the growth of the shape for this layer, in pixels."""

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
    widest = max(layer.growth for layer in layers) + shape.edge_px
    for rows, columns in _blocks(pixels, bounds):
        near = shape.pixels_within(widest, rows, columns)
        area = pixels[near.y, near.x]
        blend(area, *((opacity * shape.shares(near, growth), color) for growth, color, opacity in layers))
        pixels[near.y, near.x] = area


def _blocks(pixels: Pixels, bounds: Rect) -> Iterator[tuple[slice, slice]]:
    """Yield rows and columns of the parts of an image that a rectangle touches; the parts do not overlap."""
    height, width = pixels.shape[:2]
    left, top = max(0, int(bounds.left)), max(0, int(bounds.top))
    right, bottom = min(width, int(bounds.right) + 1), min(height, int(bounds.bottom) + 1)
    for row in range(top, bottom, _BLOCK_PX):
        for column in range(left, right, _BLOCK_PX):
            yield slice(row, min(row + _BLOCK_PX, bottom)), slice(column, min(column + _BLOCK_PX, right))


def blend(area: Pixels, *layers: tuple[Shares, Color]) -> None:
    """Paint colors over each other on an area in place, from bottom to top, rounding once.

    Args:
        area: Pixels, (..., 3).
        layers: For each layer, the proportion of every pixel that its color covers, 0 to 1, (...), and the color.
    """
    seen: Shares = np.ones_like(layers[0][0])
    colored: Shares = np.zeros((*seen.shape, 3), seen.dtype)
    for cover, color in reversed(layers):
        colored += (seen * cover)[..., None] * np.array(color, seen.dtype)
        seen = seen * (1 - cover)
    area[...] = np.rint(area * seen[..., None] + colored)
