"""Areas that labels must not cover: rectangles, discs, polygons, and sets of these, in image coordinates (pixels)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Points of shape (n, 2): x and y."""


class Rect(NamedTuple):
    """A rectangle in image coordinates, pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rect) -> bool:
        """Return whether two rectangles share more than an edge or a corner."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def grown(self, by: float) -> Rect:
        """Return the rectangle with every side moved outwards."""
        return Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def inside(self, width: int, height: int) -> bool:
        """Return whether the rectangle lies entirely within an image of a given size."""
        return self.left >= 0 and self.top >= 0 and self.right <= width and self.bottom <= height

    def gap_to(self, other: Rect) -> float:
        """Return the distance between two rectangles; 0 if they touch."""
        across = max(other.left - self.right, self.left - other.right, 0.0)
        return float(np.hypot(across, max(other.top - self.bottom, self.top - other.bottom, 0.0)))


class Area(Protocol):
    """An area that a label must not cover."""

    def meets(self, rect: Rect, /) -> bool:
        """Return whether a rectangle covers any part of the area."""
        ...


@dataclass(frozen=True)
class Disc:
    """A disc."""

    x: float
    y: float
    radius: float

    def meets(self, rect: Rect, /) -> bool:
        """Return whether a rectangle covers any part of the disc."""
        across = max(rect.left - self.x, self.x - rect.right, 0.0)
        along = max(rect.top - self.y, self.y - rect.bottom, 0.0)
        return across**2 + along**2 < self.radius**2


@dataclass(frozen=True)
class PolygonArea:
    """A filled polygon (even-odd rule), extended by a margin on every side."""

    points: tuple[tuple[float, float], ...]
    margin: float

    def meets(self, other: Rect, /) -> bool:
        """Return whether a rectangle covers any part of the polygon; slightly too strict at the margin's corners."""
        rect, corners = other.grown(self.margin), self._corners
        if not rect.meets(self._bounds):
            return False
        if crosses(corners, np.roll(corners, -1, axis=0) - corners, rect):
            return True
        middle = np.array([[(rect.left + rect.right) / 2]]), np.array([[(rect.top + rect.bottom) / 2]])
        return bool(contains(corners, *middle).any())

    @cached_property
    def _corners(self) -> Points:
        return np.array(self.points)

    @cached_property
    def _bounds(self) -> Rect:
        return Rect(*self._corners.min(axis=0).tolist(), *self._corners.max(axis=0).tolist())


@dataclass(frozen=True)
class Areas:
    """Several areas treated as one."""

    parts: tuple[Area, ...]

    def meets(self, rect: Rect, /) -> bool:
        """Return whether a rectangle covers any of the areas."""
        return any(part.meets(rect) for part in self.parts)


def contains(corners: Points, x: Points, y: Points) -> NDArray[np.bool_]:
    """Return which points lie in a polygon (even-odd rule); x and y broadcast to the shape of the result."""
    inside = np.zeros(np.broadcast_shapes(x.shape, y.shape), bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:
            inside ^= ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return inside


def crosses(starts: Points, spans: Points, rect: Rect) -> bool:
    """Return whether any of several line segments passes through a rectangle."""
    low, high = np.array([rect.left, rect.top]), np.array([rect.right, rect.bottom])
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (low - starts) / spans, (high - starts) / spans
    within = (low < starts) & (starts < high)
    still = spans == 0
    enters = np.where(still, np.where(within, -np.inf, np.inf), np.minimum(first, second))
    leaves = np.where(still, np.where(within, np.inf, -np.inf), np.maximum(first, second))
    return bool((np.maximum(enters.max(axis=1), 0.0) < np.minimum(leaves.min(axis=1), 1.0)).any()) or bool(
        within.all(axis=1).any()
    )
