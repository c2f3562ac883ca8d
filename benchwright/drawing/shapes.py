"""Shapes as distance functions: the distance of a point from a shape in pixels, negative inside.

A shape grown by some pixels is the set of points up to that distance, so a mark and its halo need only one evaluation.
A distance never changes faster than the point moves, so that painting can skip tiles that are too far away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Points, contains

Axis = NDArray[np.float64]


class Shape(Protocol):
    """A shape that can be painted.

    Class attributes:
        tile_px: Side of the tiles for each of which the part of the shape near it is painted.
    """

    tile_px: ClassVar[int]

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points; x and y have, or broadcast to, two axes."""
        ...

    def near(self, x: float, y: float, reach: float, /) -> Shape | None:
        """Return the part of the shape within `reach` of a point; None where there is none."""
        ...


class _Whole:
    """A shape that is always painted as a whole."""

    tile_px: ClassVar[int] = 480

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances."""
        raise NotImplementedError

    def near(self, x: float, y: float, reach: float, /) -> Shape | None:
        """Return the shape; None where it is not within `reach`."""
        return self if self.distance(np.array([[x]]), np.array([[y]]))[0, 0] <= reach else None


@dataclass(frozen=True)
class Ring(_Whole):
    """A circular line of some width."""

    x: float
    y: float
    radius: float
    line: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances."""
        return np.asarray(np.abs(np.sqrt((x - self.x) ** 2 + (y - self.y) ** 2) - self.radius) - self.line / 2)


@dataclass(frozen=True)
class Badge(_Whole):
    """A rectangle with round corners; a disc if the corners' radius is half of its sides."""

    x: float
    y: float
    half_width: float
    half_height: float
    corner: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances."""
        across = np.abs(x - self.x) - (self.half_width - self.corner)
        along = np.abs(y - self.y) - (self.half_height - self.corner)
        outside = np.sqrt(np.maximum(across, 0.0) ** 2 + np.maximum(along, 0.0) ** 2)
        return np.asarray(outside + np.minimum(np.maximum(across, along), 0.0) - self.corner)


@dataclass(frozen=True)
class BoxSides(_Whole):
    """The four sides of a rectangle, with sharp corners."""

    left: float
    top: float
    right: float
    bottom: float
    line: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances, each the larger of those along both axes."""
        outside = np.maximum(np.maximum(self.left - x, x - self.right), np.maximum(self.top - y, y - self.bottom))
        return np.asarray(np.abs(outside) - self.line / 2)


@dataclass(frozen=True, eq=False)
class Segments:
    """Lines of some width, with round ends."""

    tile_px: ClassVar[int] = 96

    starts: Points
    ends: Points
    line: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances to the nearest line."""
        nearest = np.full(np.broadcast_shapes(x.shape, y.shape), np.inf)
        for (x0, y0), (dx, dy) in zip(self.starts.tolist(), (self.ends - self.starts).tolist(), strict=True):
            across, along = x - x0, y - y0
            share = (across * dx + along * dy) / max(dx**2 + dy**2, 1e-300)
            np.clip(share, 0.0, 1.0, out=share)
            np.minimum(nearest, (across - share * dx) ** 2 + (along - share * dy) ** 2, out=nearest)
        return np.asarray(np.sqrt(nearest) - self.line / 2)

    def near(self, x: float, y: float, reach: float, /) -> Shape | None:
        """Return the lines within `reach` of a point; None where there are none."""
        from_start, spans = np.array([x, y]) - self.starts, self.ends - self.starts
        share = (from_start * spans).sum(axis=1) / np.maximum((spans**2).sum(axis=1), 1e-300)
        away = from_start - np.clip(share, 0.0, 1.0)[:, None] * spans
        close = (away**2).sum(axis=1) <= (reach + self.line / 2) ** 2
        return Segments(self.starts[close], self.ends[close], self.line) if close.any() else None


@dataclass(frozen=True, eq=False)
class FilledPolygon(_Whole):
    """A polygon of few corners, filled (even-odd)."""

    corners: Points

    @cached_property
    def _sides(self) -> Segments:
        return Segments(self.corners, np.roll(self.corners, -1, axis=0), 0.0)

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return distances."""
        away = self._sides.distance(x, y)
        return np.where(contains(self.corners, x, y), -away, away)
