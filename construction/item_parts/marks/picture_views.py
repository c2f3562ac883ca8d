"""Views of one picture whose geometry reveals nothing: two points that are level and mirrored, or one of several points
at a position where each of the others could be as well.

A view is a rectangle of the picture, slightly rotated if it levels two points, and drawn once from the picture's own
pixels. Coordinates are continuous, pixel centers at +0.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import atan2, cos, degrees, dist, hypot, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..pictures.scaling import shrink
from ..pictures.views import Matrix, map_points, warp
from .rings import Point, SizeWH

VIEWS = "views"
"""Key of a plan that holds the views of its pictures, in order; null for a picture shown whole."""
_NOT_LEVEL, _OFF_CENTRE = "not_level", "off_centre"


class PictureView(NamedTuple):
    """A view of a picture.

    Args:
        size_wh: Size of the view, in pixels.
        matrix: Map from the picture to the view, for columns x, y, 1.
    """

    size_wh: SizeWH
    matrix: tuple[tuple[float, ...], ...]

    def document(self) -> dict[str, Any]:
        """Return the view as JSON values."""
        return {"size_wh": list(self.size_wh), "matrix": [list(row) for row in self.matrix]}

    def at(self, point: Point) -> Point:
        """Return a point of the picture in pixels of the view, rounded to a hundredth of a pixel."""
        x, y = map_points(np.array(self.matrix), np.array([point], dtype=np.float64))[0].tolist()
        return round(x, 2), round(y, 2)

    def mirrored(self) -> PictureView:
        """Return the view with left and right exchanged."""
        width = float(self.size_wh[0])
        across, down, last = self.matrix
        turned = tuple(width * ones - entry for entry, ones in zip(across, last, strict=True))
        return PictureView(self.size_wh, (turned, down, last))

    def across(self, point: Point) -> Point:
        """Return the point of the view that takes a point's position when left and right are exchanged."""
        return round(self.size_wh[0] - point[0], 2), point[1]


class LevelView(NamedTuple):
    """The largest part of a picture around two points in which they are level and at equal distances from the middle.

    Args:
        middle: Middle of both points.
        tilt: Angle by which to turn the picture back, in radians; positive if the right point is lower.
        distance: Distance of the points, in pixels.
        half_width: Extent of the view to the left and right of the middle, in pixels.
        above: Extent above the points, in pixels.
        below: Extent below the points, in pixels.
    """

    middle: Point
    tilt: float
    distance: float
    half_width: float
    above: float
    below: float


def tilt_deg(first: Point, second: Point) -> float:
    """Return the angle between the line through two points and the horizontal, 0-90 degrees."""
    return degrees(atan2(abs(second[1] - first[1]), abs(second[0] - first[0])))


def level_view(
    first: Point, second: Point, size_wh: SizeWH, *, max_tilt_deg: float, min_view: float
) -> LevelView | str:
    """Return the largest view in which two points lie level and mirrored, or the reason for none: `not_level` if the
    line through them is steeper than `max_tilt_deg`, `off_centre` if the view would show less than `min_view` of the
    picture's width or height.

    Args:
        first: A point of the picture, in pixels.
        second: The other point.
        size_wh: Size of the picture.
        max_tilt_deg: Largest angle between the line through both and the horizontal, in degrees.
        min_view: Smallest width and height of the view, as fractions of those of the picture.
    """
    (x0, y0), (x1, y1) = sorted((first, second))
    width, height = size_wh
    tilt = atan2(y1 - y0, x1 - x0)
    if abs(degrees(tilt)) > max_tilt_deg:
        return _NOT_LEVEL
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    lean = abs(sin(tilt))
    to_side, to_end = min(middle[0], width - middle[0]), max(middle[1], height - middle[1])
    half_width = (to_side - to_end * lean) / cos(tilt)
    above, below = ((end - half_width * lean) / cos(tilt) for end in (middle[1], height - middle[1]))
    view = LevelView(middle, tilt, dist(first, second), half_width, above, below)
    return view if is_large(view, size_wh, min_view) else _OFF_CENTRE


def upright_view(first: Point, second: Point, size_wh: SizeWH, *, min_view: float) -> LevelView | str:
    """Return the largest unrotated view with the middle of two points in the middle of its width, or `off_centre` if it
    would show less than `min_view` of the picture's width or height.

    Args:
        first: A point of the picture, in pixels.
        second: The other point.
        size_wh: Size of the picture.
        min_view: Smallest width and height of the view, as fractions of those of the picture.
    """
    x, y = (first[0] + second[0]) / 2, (first[1] + second[1]) / 2
    width, height = size_wh
    view = LevelView((x, y), 0.0, dist(first, second), min(x, width - x), y, height - y)
    return view if is_large(view, size_wh, min_view) else _OFF_CENTRE


def is_large(view: LevelView, size_wh: SizeWH, min_view: float) -> bool:
    """Return whether a view shows both points and at least `min_view` of a picture's width and height."""
    return (
        2 * view.half_width >= max(view.distance, min_view * size_wh[0])
        and min(view.above, view.below) > 0
        and view.above + view.below >= min_view * size_wh[1]
    )


def matched_views(first: LevelView, second: LevelView) -> tuple[LevelView, LevelView]:
    """Return the common part of two views as one rectangle: its size and the points' positions in it are the same for
    both when each is scaled to the same distance between its points.
    """
    shorter = min(first.distance, second.distance)
    scales = (shorter / first.distance, shorter / second.distance)
    reach = [
        min(values[0] * scales[0], values[1] * scales[1]) for values in zip(first[3:], second[3:], strict=True)
    ]  # half width, above, below
    views = [
        view._replace(half_width=reach[0] / scale, above=reach[1] / scale, below=reach[2] / scale)
        for view, scale in zip((first, second), scales, strict=True)
    ]
    return views[0], views[1]


def drawn_level(view: LevelView, *, is_mirrored: bool, scale: float) -> PictureView:
    """Return the picture view obtained by drawing a level view at a given scale.

    Args:
        view: The view.
        is_mirrored: Whether left and right change places, about the middle of both points.
        scale: Pixels of the view per pixel of the picture.
    """
    # Whole pixels, with the middle of the points in the middle of the width. 1e-6: rounding of floats.
    size_wh = (
        max(1, int(2 * view.half_width * scale + 1e-6)),
        max(1, int((view.above + view.below) * scale + 1e-6)),
    )
    side = -1.0 if is_mirrored else 1.0
    turned = np.array([(side * cos(view.tilt), side * sin(view.tilt)), (-sin(view.tilt), cos(view.tilt))]) * scale
    shift = np.array([size_wh[0] / 2, view.above * scale]) - turned @ np.array(view.middle)
    return _view(size_wh, np.column_stack([turned, shift]))


class EqualView(NamedTuple):
    """A rectangle that fits into a picture with any of several points at the same position in the rectangle.

    Args:
        size_wh: Size of the rectangle, in whole pixels of the picture.
        place: Position of the point in it, in pixels.
    """

    size_wh: SizeWH
    place: Point


def equal_view(points: Sequence[Point], size_wh: SizeWH) -> EqualView:
    """Return the largest rectangle that fits into a picture with each of the points at the same position in the
    rectangle; its width or height is below 1 if the points are spread too far.
    """
    sides, place = [], []
    for axis in (0, 1):
        values = [point[axis] for point in points]
        spread = max(values) - min(values)
        side = int(size_wh[axis] - spread)
        sides.append(side)
        place.append(min(values) * side / (size_wh[axis] - spread) if side > 0 else 0.0)
    return EqualView((sides[0], sides[1]), (place[0], place[1]))


def drawn_equal(view: EqualView, point: Point, *, max_side_px: float) -> PictureView:
    """Return an equal view around one of the points in its drawn form, scaled down if it exceeds `max_side_px`."""
    scale = min(1.0, max_side_px / max(view.size_wh))
    shown_wh = (max(1, int(view.size_wh[0] * scale + 1e-9)), max(1, int(view.size_wh[1] * scale + 1e-9)))
    factors = np.array(shown_wh) / np.array(view.size_wh)
    corner = np.array(point) - np.array(view.place)
    return _view(shown_wh, np.column_stack([np.diag(factors), -corner * factors]))


def whole_view(size_wh: SizeWH, shown_wh: SizeWH, *, is_mirrored: bool) -> PictureView:
    """Return a whole picture as a view, drawn like any other, so that only its content reveals whether left and right
    have been exchanged.
    """
    across, down = shown_wh[0] / size_wh[0], shown_wh[1] / size_wh[1]
    row = (-across, 0.0, float(shown_wh[0])) if is_mirrored else (across, 0.0, 0.0)
    return _view(shown_wh, np.array([row, (0.0, down, 0.0)]))


def view_of(plan: Mapping[str, Any], number: int) -> PictureView | None:
    """Return the view that a plan states for a picture, or None for a picture shown whole."""
    views = plan.get(VIEWS)
    if not views or views[number] is None:
        return None
    size_wh, matrix = views[number]["size_wh"], views[number]["matrix"]
    return PictureView((size_wh[0], size_wh[1]), tuple(tuple(row) for row in matrix))


def drawn_view(pixels: NDArray[np.uint8], view: PictureView) -> NDArray[np.uint8]:
    """Return the pixels of a view, (height, width, 3); areas are averaged if it is smaller than the picture."""
    matrix: Matrix = np.array(view.matrix)
    scale = min(1.0, hypot(matrix[0, 0], matrix[1, 0]))
    height, width = pixels.shape[:2]
    working_wh = (max(1, round(width * scale)), max(1, round(height * scale)))
    to_picture = np.diag([width / working_wh[0], height / working_wh[1], 1.0])
    return warp(shrink(pixels, working_wh), matrix @ to_picture, view.size_wh)


def _view(size_wh: SizeWH, rows: NDArray[np.float64]) -> PictureView:
    matrix = np.vstack([rows, (0.0, 0.0, 1.0)])
    return PictureView(size_wh, tuple(tuple(float(f"{entry:.10g}") for entry in row) for row in matrix))
