"""The proportion of a picture that several polygons cover together.

Boxes of text overlap, tilt and extend beyond the edge, so the sum of their areas is meaningless. Here, every polygon is
clipped to the picture and cut along rows of pixels at native size; the union of each row's spans is measured, and the
rows are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SPANS_AT_ONCE = 1 << 18
"""Rows times polygon edges held in memory at a time: some 30 MB for any picture size."""

_Floats = NDArray[np.float64]


def union_ratio(polygons: Sequence[ArrayLike], *, width: int, height: int) -> float:
    """Return the proportion of a picture, 0 to 1, that is inside at least one polygon.

    Spans are exact along each row of pixels; rows are sampled at their centers. Rectangles on the pixel grid are
    therefore exact, and other polygons are exact to a fraction of a pixel per row. If a polygon crosses itself, points
    inside it an even number of times count as outside.

    Args:
        polygons: Polygons, each of shape (corners, 2), x and y in pixels, in either direction; may be concave and may
            leave the picture. Fewer than three corners cover nothing.
        width: Width of the picture in pixels.
        height: Height of the picture in pixels.

    Raises:
        ValueError: The picture has no pixels, or a polygon is not of that shape or not finite.
    """
    if width < 1 or height < 1:
        raise ValueError(f"a picture of {width} x {height} pixels has no area")
    shapes = [shape for shape in map(_checked, polygons) if len(shape) > 2]
    if not shapes:
        return 0.0
    first = max(0, int(np.floor(min(shape[:, 1].min() for shape in shapes))))
    last = min(height, int(np.ceil(max(shape[:, 1].max() for shape in shapes))))
    rows_at_once = max(1, _SPANS_AT_ONCE // sum(map(len, shapes)))
    covered = sum(
        _covered(shapes, first=row, last=min(last, row + rows_at_once), width=width)
        for row in range(first, last, rows_at_once)
    )
    return min(1.0, covered / (width * height))


def _checked(polygon: ArrayLike) -> _Floats:
    shape = np.asarray(polygon, dtype=np.float64)
    if shape.size == 0:
        return np.empty((0, 2))
    if shape.ndim != 2 or shape.shape[1] != 2 or not np.isfinite(shape).all():
        raise ValueError(f"a polygon must be an array of finite numbers with shape (corners, 2), not {shape.shape}")
    return shape


def _covered(shapes: Sequence[_Floats], *, first: int, last: int, width: int) -> float:
    """Return the covered area of the rows from `first` to `last`, in pixels."""
    starts, ends = map(np.concatenate, zip(*_spans(shapes, first=first, last=last, width=width), strict=True))
    # All rows are laid end to end on one line, so one sweep unites the spans of all rows.
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(np.concatenate([[0.0], ends]))[:-1]
    return float(np.maximum(0.0, ends - np.maximum(starts, reached)).sum())


def _spans(shapes: Sequence[_Floats], *, first: int, last: int, width: int) -> Iterator[tuple[_Floats, _Floats]]:
    """Yield the starts and ends of the spans of each polygon; rows are laid end to end, `width` apart."""
    for shape in shapes:
        low = min(last, max(first, int(np.floor(shape[:, 1].min()))))
        high = min(last, max(low, int(np.ceil(shape[:, 1].max()))))
        crossings = np.clip(_crossings(shape, np.arange(low, high, dtype=np.float64) + 0.5), 0.0, width)
        offset = (np.arange(low - first, high - first) * float(width))[:, None]
        yield (crossings[:, 0::2] + offset).ravel(), (crossings[:, 1::2] + offset).ravel()


def _crossings(shape: _Floats, rows: _Floats) -> _Floats:
    """Return the x coordinates where each row crosses the outline, (rows, even number), ascending, padded with
    infinity.
    """
    x0, y0 = shape.T
    x1, y1 = np.roll(shape, -1, axis=0).T
    y = rows[:, None]
    met = (y0 <= y) != (y1 <= y)
    rise = np.where(y0 == y1, 1.0, y1 - y0)
    x = np.sort(np.where(met, x0 + (y - y0) * ((x1 - x0) / rise), np.inf), axis=1)
    return x if len(shape) % 2 == 0 else np.pad(x, ((0, 0), (0, 1)), constant_values=np.inf)
