"""Shapes as distance functions: the distance of a point from a shape in pixels, negative inside.

A shape grown by some pixels is the set of points up to that distance, so a mark and its halo need only one evaluation.
A distance never changes by more than the point moves, so whole cells of pixels can be skipped.

The proportion of a pixel that a shape covers is exact for boxes. For small shapes and those with sharp corners it is
the mean of samples of the pixel. For lines it follows from the distance of the pixel's center: exact along rows and
columns, and off by less than 0.05 along other directions, except at the acute angle of two lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.drawing.areas import Points, contains

Axis = NDArray[np.float64]
Indices = NDArray[np.int64]
Shares = NDArray[np.floating]
_CELL_PX, _SAMPLES = 8, 4
_MOST_PIXELS = 1 << 20
"""Largest number of pixels around several lines that are examined together."""


class Nearby(NamedTuple):
    """Pixels by row y and column x, each once, and the distances of their centers from the shape."""

    y: Indices
    x: Indices
    distance: Axis


class Shape(Protocol):
    """A shape that can be painted.

    Class attributes:
        edge_px: Distance beyond which a pixel with its center outside contains no part of the shape.
    """

    edge_px: ClassVar[float]

    def pixels_within(self, reach: float, rows: slice, columns: slice) -> Nearby:
        """Return the pixels of some rows and columns whose center is nearer to the shape than `reach`."""
        ...

    def shares(self, pixels: Nearby, growth: float) -> Shares:
        """Return the proportion of each pixel, 0 to 1, that the shape covers after growing by some pixels."""
        ...


def shares_at(distance: Shares) -> Shares:
    """Return the proportion of each pixel, 0 to 1, covered by a shape whose straight edge is at a given distance."""
    return np.asarray(np.clip(0.5 - distance, 0.0, 1.0))


class _Sampled:
    """A shape that finds its pixels cell by cell and samples those on an edge.

    A sample on an edge counts partly, so that edges have far more levels than a pixel has samples.
    """

    edge_px: ClassVar[float] = sqrt(0.5)

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points from the shape; x and y have two axes, or broadcast to two."""
        raise NotImplementedError

    def pixels_within(self, reach: float, rows: slice, columns: slice) -> Nearby:
        """Return the pixels nearer than `reach`."""
        tops, lefts = np.arange(rows.start, rows.stop, _CELL_PX), np.arange(columns.start, columns.stop, _CELL_PX)
        half = _CELL_PX / 2
        from_cells = self.distance((lefts + half)[None, :], (tops + half)[:, None])
        down, across = np.nonzero(from_cells <= reach + half * sqrt(2))
        steps = np.arange(_CELL_PX)
        y, x = np.broadcast_arrays(tops[down, None, None] + steps[:, None], lefts[across, None, None] + steps)
        y, x = y.reshape(1, -1), x.reshape(1, -1)
        distance = self.distance(x + 0.5, y + 0.5)
        near = (distance < reach) & (y < rows.stop) & (x < columns.stop)
        return Nearby(y[near], x[near], distance[near])

    def shares(self, pixels: Nearby, growth: float) -> Shares:
        """Return the proportion of each pixel that the shape covers; near an edge, from the distances of samples."""
        cover = (pixels.distance < growth).astype(np.float64)
        edge = np.abs(pixels.distance - growth) < self.edge_px
        down, across = np.divmod(np.arange(_SAMPLES**2), _SAMPLES)
        x = pixels.x[edge, None] + (across + 0.5) / _SAMPLES
        y = pixels.y[edge, None] + (down + 0.5) / _SAMPLES
        cover[edge] = shares_at((self.distance(x, y) - growth) * _SAMPLES).mean(axis=1)
        return cover


@dataclass(frozen=True)
class Ring(_Sampled):
    """A circular line of some width."""

    x: float
    y: float
    radius: float
    line: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points from the line."""
        return np.asarray(np.abs(np.sqrt((x - self.x) ** 2 + (y - self.y) ** 2) - self.radius) - self.line / 2)


@dataclass(frozen=True)
class Badge(_Sampled):
    """A rectangle with round corners; a disc if the corners' radius is half its side."""

    x: float
    y: float
    half_width: float
    half_height: float
    corner: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points from the rectangle."""
        across = np.abs(x - self.x) - (self.half_width - self.corner)
        along = np.abs(y - self.y) - (self.half_height - self.corner)
        outside = np.sqrt(np.maximum(across, 0.0) ** 2 + np.maximum(along, 0.0) ** 2)
        return np.asarray(outside + np.minimum(np.maximum(across, along), 0.0) - self.corner)


@dataclass(frozen=True)
class BoxSides(_Sampled):
    """The four sides of a rectangle, with sharp corners."""

    edge_px: ClassVar[float] = 0.5

    left: float
    top: float
    right: float
    bottom: float
    line: float

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points from the sides, each the larger of the distances along the two axes."""
        outside = np.maximum(np.maximum(self.left - x, x - self.right), np.maximum(self.top - y, y - self.bottom))
        return np.asarray(np.abs(outside) - self.line / 2)

    def shares(self, pixels: Nearby, growth: float) -> Shares:
        """Return the proportion of each pixel that is inside the outer but not the inner rectangle."""
        half = self.line / 2 + growth
        within = [
            _overlap(pixels.x, self.left - reach, self.right + reach)
            * _overlap(pixels.y, self.top - reach, self.bottom + reach)
            for reach in (half, -half)
        ]
        return np.asarray(within[0] - within[1])


@dataclass(frozen=True, eq=False)
class FilledPolygon(_Sampled):
    """A polygon with few corners, filled (even-odd)."""

    corners: Points

    def distance(self, x: Axis, y: Axis, /) -> Axis:
        """Return the distances of points from the polygon."""
        nearest = np.full(np.broadcast_shapes(x.shape, y.shape), np.inf)
        spans = np.roll(self.corners, -1, axis=0) - self.corners
        for (x0, y0), (dx, dy) in zip(self.corners.tolist(), spans.tolist(), strict=True):
            np.minimum(nearest, _squared_distance(x - x0, y - y0, dx, dy), out=nearest)
        away = np.sqrt(nearest)
        return np.asarray(np.where(contains(self.corners, x, y), -away, away))


@dataclass(frozen=True, eq=False)
class Segments:
    """Lines of some width, with round ends."""

    edge_px: ClassVar[float] = 0.5

    starts: Points
    ends: Points
    line: float

    def pixels_within(self, reach: float, rows: slice, columns: slice) -> Nearby:
        """Return the pixels nearer than `reach`, found row by row along steep lines and by columns along flat ones.

        On a line of slope 1 or less, the pixels within a distance r are at most r * sqrt(2) away in a row or column.
        """
        reach += self.line / 2
        height, width = rows.stop - rows.start, columns.stop - columns.start
        nearest = np.full((height, width), np.inf)
        begins = self.starts - (columns.start, rows.start)
        spans = self.ends - self.starts
        is_steep = np.abs(spans[:, 1]) >= np.abs(spans[:, 0])
        for field, axis, chosen in ((nearest, 1, is_steep), (nearest.T, 0, ~is_steep)):
            order = [axis, 1 - axis]
            _measure_along(field, begins[chosen][:, order], spans[chosen][:, order], reach)
        y, x = np.divmod(np.flatnonzero(nearest < reach**2), width)
        return Nearby(y + rows.start, x + columns.start, np.sqrt(nearest[y, x]) - self.line / 2)

    def shares(self, pixels: Nearby, growth: float) -> Shares:
        """Return the proportion of each pixel that the shape covers, from the distance of the pixel's center."""
        return shares_at(pixels.distance - growth)


def _measure_along(field: Axis, begins: Points, spans: Points, reach: float) -> None:
    """Lower a field of squared distances, in place, to those of some lines.

    Args:
        field: Squared distances of pixels from the nearest line so far, shape (steps, places).
        begins: Starts of the lines, shape (lines, 2): step and place.
        spans: Step and place from start to end; no line spans more places than steps.
        reach: Distance up to which pixels are considered.
    """
    beyond = begins + spans
    first = np.maximum(np.ceil(np.minimum(begins[:, 0], beyond[:, 0]) - reach - 0.5), 0).astype(np.int64)
    stop = np.minimum(np.floor(np.maximum(begins[:, 0], beyond[:, 0]) + reach + 0.5), field.shape[0]).astype(np.int64)
    lengths = np.maximum(stop - first, 0)
    places = np.arange(int(np.ceil(2 * sqrt(2) * reach)) + 1)
    parts = np.cumsum(lengths * len(places)) // _MOST_PIXELS
    for lines in np.split(np.arange(len(begins)), np.flatnonzero(np.diff(parts)) + 1):
        line = np.repeat(lines, lengths[lines])
        before = np.cumsum(lengths[lines]) - lengths[lines]
        step = np.arange(len(line)) - np.repeat(before - first[lines], lengths[lines])
        (step_span, place_span), away = spans[line].T, step + 0.5 - begins[line, 0]
        share = np.clip(np.divide(away, step_span, out=np.zeros(len(line)), where=step_span != 0), 0.0, 1.0)
        middle = begins[line, 1] + share * place_span
        place = np.floor(middle - sqrt(2) * reach - 0.5).astype(np.int64)[:, None] + places
        squared = _squared_distance(
            away[:, None], place + 0.5 - begins[line, 1:], step_span[:, None], place_span[:, None]
        )
        near = (squared < reach**2) & (place >= 0) & (place < field.shape[1])
        np.minimum.at(field, (np.broadcast_to(step[:, None], near.shape)[near], place[near]), squared[near])


def _overlap(start: Indices, low: float, high: float) -> Axis:
    """Return the lengths of the parts of pixels, given their starts, that lie between two positions on an axis."""
    return np.asarray(np.maximum(np.minimum(start + 1, high) - np.maximum(start, low), 0.0))


def _squared_distance(x: Axis, y: Axis, x_span: Axis | float, y_span: Axis | float) -> Axis:
    """Return the squared distances of points from lines that begin at 0, 0 and end at their span."""
    share = (x * x_span + y * y_span) / np.maximum(x_span**2 + y_span**2, 1e-300)
    np.clip(share, 0.0, 1.0, out=share)
    return np.asarray((x - share * x_span) ** 2 + (y - share * y_span) ** 2)
