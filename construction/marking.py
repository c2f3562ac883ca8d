"""Which points a correspondence item marks: a reference, and four options that people can tell apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .points import Points, contrast, corners, is_inside, likeness
from .views import Matrix, map_points

OPTIONS = 4
MOST_CORNERS = 80
MOST_REFERENCES = 16
"""References tried in one pair of views before it counts as ambiguous."""
MIN_CONTRAST = 12.0
"""Grey levels (standard deviation) around a point below which it is hard to recognise."""

# As fractions of a view's shorter side: rings and labels must fit, and stay clear of each other.
_MARGIN = 0.08
_SEPARATION = 0.15
_CORNER_SPACING = 0.04
_SURROUNDINGS = 0.04

Point = tuple[float, float]


class MarkedPoints(NamedTuple):
    """What an item marks, to a hundredth of a pixel.

    Args:
        reference: In view 1.
        right: The reference in view 2.
        wrong: Other points, in view 2.
        likeness: How like the reference each wrong point is in view 1, -1 to 1.
    """

    reference: Point
    right: Point
    wrong: tuple[Point, ...]
    likeness: tuple[float, ...]


class NotEnough(NamedTuple):
    """Why nothing can be marked: `too_few_points` or `ambiguous`, and how many points both views show."""

    reason: str
    points: int


def recognisable_points(grey: NDArray[np.uint8]) -> Points:
    """Return corners well inside a view whose surroundings have contrast, strongest first."""
    side = min(grey.shape)
    found = corners(grey, most=MOST_CORNERS, spacing_px=_CORNER_SPACING * side)
    found = found[is_inside(found, (grey.shape[1], grey.shape[0]), margin_px=_MARGIN * side)]
    clear = [contrast(grey, point, radius_px=round(_SURROUNDINGS * side)) >= MIN_CONTRAST for point in found]
    kept: Points = found[np.array(clear, dtype=bool)]
    return kept


def mark_points(
    grey: NDArray[np.uint8],
    found: Points,
    homography: Matrix,
    *,
    max_likeness: float,
    rng: np.random.Generator,
) -> MarkedPoints | NotEnough:
    """Choose, by chance, a reference and three points unlike it and apart from each other in view 2.

    Args:
        grey: View 1, (height, width); view 2 has the same size.
        found: Points of view 1 to choose from.
        homography: From view 1 to view 2.
        max_likeness: Largest likeness of a wrong point to the reference.
        rng: Where chance comes from.
    """
    side = min(grey.shape)
    mapped = np.round(map_points(homography, found), 2)
    visible = np.flatnonzero(is_inside(mapped, (grey.shape[1], grey.shape[0]), margin_px=_MARGIN * side))
    if len(visible) < OPTIONS:
        return NotEnough("too_few_points", len(visible))
    for reference in rng.permutation(visible)[:MOST_REFERENCES].tolist():
        wrong: dict[int, float] = {}
        for other in rng.permutation(visible).tolist():
            away = mapped[[reference, *wrong]] - mapped[other]
            if np.hypot(away[:, 0], away[:, 1]).min() < _SEPARATION * side:
                continue
            alike = likeness(grey, found[reference], found[other], radius_px=round(_SURROUNDINGS * side))
            if alike <= max_likeness:
                wrong[other] = round(alike, 4)
            if len(wrong) == OPTIONS - 1:
                points = tuple(_point(mapped[one]) for one in wrong)
                return MarkedPoints(_point(found[reference]), _point(mapped[reference]), points, tuple(wrong.values()))
    return NotEnough("ambiguous", len(visible))


def _point(xy: NDArray[np.float64]) -> Point:
    return float(xy[0]), float(xy[1])
