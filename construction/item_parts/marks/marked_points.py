"""Points marked by correspondence items: one in the first view, and four in the second that people can distinguish."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..pictures.views import Matrix, map_points
from .points import Points, contrast, corners, is_inside, similarity
from .rings import SizeWH

OPTIONS = 4
_MOST_CORNERS = 80
_MOST_REFERENCES = 16
"""Number of reference points to try in a pair of views before the pair counts as ambiguous."""
_MIN_CONTRAST = 12.0
"""Standard deviation of gray levels around a point below which the point is hard to recognize."""

# As fractions of a view's shorter side: rings and labels must fit, and stay clear of each other.
_MARGIN = 0.08
_SEPARATION = 0.15
_CORNER_SPACING = 0.04
_SURROUNDINGS = 0.04
_SEEN_AGAIN = 0.015
"""Largest distance at which a point in view 2 counts as the same interest point."""

Point = tuple[float, float]


class MarkedPoints(NamedTuple):
    """The marks of an item, rounded to a hundredth of a pixel.

    Args:
        reference: Reference point in view 1.
        right: The point that corresponds to the reference, in view 2.
        wrong: Other points, in view 2.
        similarities: Similarity of each wrong point to the reference in view 1, -1 to 1.
    """

    reference: Point
    right: Point
    wrong: tuple[Point, ...]
    similarities: tuple[float, ...]


class ExchangeablePoints(NamedTuple):
    """Points that an item marks, each of which could have been the reference, with the first view's position.

    Args:
        marked: The points.
        corner: Upper left corner of the first view, in pixels of its picture.
        twin: The same four points in the same order, with the first wrong one as the reference at the same place of its
            view, and the upper left corner of that view.
    """

    marked: MarkedPoints
    corner: Point
    twin: tuple[MarkedPoints, Point]


class NotEnough(NamedTuple):
    """The reason why no points could be marked, `too_few_points` or `ambiguous`, and the number of points that both
    views show.
    """

    reason: str
    points: int


def recognizable_points(gray: NDArray[np.uint8]) -> Points:
    """Return corners well inside a view with contrast around them, strongest first."""
    side = min(gray.shape)
    points = corners(gray, most=_MOST_CORNERS, spacing_px=_CORNER_SPACING * side)
    points = points[is_inside(points, (gray.shape[1], gray.shape[0]), margin_px=_MARGIN * side)]
    clear = [contrast(gray, point, radius_px=round(_SURROUNDINGS * side)) >= _MIN_CONTRAST for point in points]
    kept: Points = points[np.array(clear, dtype=bool)]
    return kept


def seen_again(found: Points, homography: Matrix, second_gray: NDArray[np.uint8]) -> Points:
    """Return the points of view 1 whose positions in view 2 are also recognizable points.

    Args:
        found: Points of view 1.
        homography: Homography from view 1 to view 2.
        second_gray: View 2, (height, width).
    """
    others = recognizable_points(second_gray)
    if not len(found) or not len(others):
        return found[:0]
    away = map_points(homography, found)[:, None] - others[None]
    is_near = np.hypot(away[..., 0], away[..., 1]).min(axis=1) <= _SEEN_AGAIN * min(second_gray.shape)
    kept: Points = found[is_near]
    return kept


def mark_points(
    gray: NDArray[np.uint8],
    found: Points,
    homography: Matrix,
    *,
    max_likeness: float,
    rng: np.random.Generator,
    second_wh: SizeWH | None = None,
) -> MarkedPoints | NotEnough:
    """Choose at random a reference and three points in view 2 that are dissimilar to the reference and apart from each
    other.

    Args:
        gray: View 1, (height, width).
        found: Points of view 1 to choose from.
        homography: Homography from view 1 to view 2.
        max_likeness: Largest similarity of a wrong point to the reference.
        rng: Random generator.
        second_wh: Size of view 2; None for that of view 1.
    """
    side = min(gray.shape)
    second_wh = second_wh or (gray.shape[1], gray.shape[0])
    second_side = min(second_wh)
    mapped = np.round(map_points(homography, found), 2)
    visible = np.flatnonzero(is_inside(mapped, second_wh, margin_px=_MARGIN * second_side))
    if len(visible) < OPTIONS:
        return NotEnough("too_few_points", len(visible))
    for reference in rng.permutation(visible)[:_MOST_REFERENCES].tolist():
        wrong: dict[int, float] = {}
        for candidate in rng.permutation(visible).tolist():
            away = mapped[[reference, *wrong]] - mapped[candidate]
            if np.hypot(away[:, 0], away[:, 1]).min() < _SEPARATION * second_side:
                continue
            alike = similarity(gray, found[reference], found[candidate], radius_px=round(_SURROUNDINGS * side))
            if alike <= max_likeness:
                wrong[candidate] = round(alike, 4)
            if len(wrong) == OPTIONS - 1:
                points = tuple(_point(mapped[chosen]) for chosen in wrong)
                return MarkedPoints(_point(found[reference]), _point(mapped[reference]), points, tuple(wrong.values()))
    return NotEnough("ambiguous", len(visible))


def exchangeable_points(
    gray: NDArray[np.uint8],
    candidates: Points,
    homography: Matrix,
    *,
    first_wh: SizeWH,
    second_wh: SizeWH,
    max_likeness: float,
    rng: np.random.Generator,
) -> ExchangeablePoints | NotEnough:
    """Choose four points and the position of one of them in the first view such that no position reveals the chosen
    point.

    The first view is a part of its picture. The points and the reference's position in that view are chosen so that the
    view could show any of the four there; the last draw decides which. The reference's position and the four options
    are therefore independent of the right option, whatever the homography.

    Args:
        gray: Picture of which the first view shows a part, (height, width).
        candidates: Points of that picture to choose from.
        homography: Homography from the picture to view 2.
        first_wh: Size of view 1, at the picture's scale.
        second_wh: Size of view 2.
        max_likeness: Largest similarity of any two of the four points.
        rng: Random generator.
    """
    radius_px = round(_SURROUNDINGS * min(first_wh))
    spare = np.array([gray.shape[1] - first_wh[0], gray.shape[0] - first_wh[1]])
    margin = _MARGIN * min(first_wh)
    mapped = np.round(map_points(homography, candidates), 2)
    visible = np.flatnonzero(is_inside(mapped, second_wh, margin_px=_MARGIN * min(second_wh)))
    if len(visible) < OPTIONS:
        return NotEnough("too_few_points", len(visible))

    def places(numbers: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lowest and the highest position in view 1 at which each of these points could be shown."""
        points = candidates[numbers]
        return np.maximum(points.max(axis=0) - spare, margin), np.minimum(
            points.min(axis=0), np.array(first_wh) - margin
        )

    for start in rng.permutation(visible)[:_MOST_REFERENCES].tolist():
        chosen: list[int] = [start]
        for number in rng.permutation(visible).tolist():
            away = mapped[chosen] - mapped[number]
            lowest, highest = places([*chosen, number])
            if np.hypot(away[:, 0], away[:, 1]).min() < _SEPARATION * min(second_wh) or (lowest > highest).any():
                continue
            if all(_alike(gray, candidates, number, other, radius_px) <= max_likeness for other in chosen):
                chosen.append(number)
            if len(chosen) == OPTIONS:
                lowest, highest = places(chosen)
                place = np.round(rng.uniform(lowest, highest), 2)
                right, *others = rng.permutation(chosen).tolist()

                def shown(right: int, others: list[int], place: NDArray[np.float64]) -> tuple[MarkedPoints, Point]:
                    similarities = (round(_alike(gray, candidates, right, other, radius_px), 4) for other in others)
                    wrong = tuple(_point(mapped[other]) for other in others)
                    marked = MarkedPoints(_point(place), _point(mapped[right]), wrong, tuple(similarities))
                    return marked, _point(np.round(candidates[right] - place, 2))

                twin = shown(others[0], [right, *others[1:]], place)
                return ExchangeablePoints(*shown(right, others, place), twin)
    return NotEnough("ambiguous", len(visible))


def _alike(gray: NDArray[np.uint8], points: Points, number: int, other: int, radius_px: int) -> float:
    """Return the similarity of two points, the same for both orders."""
    first, second = points[number], points[other]
    return max(
        similarity(gray, first, second, radius_px=radius_px), similarity(gray, second, first, radius_px=radius_px)
    )


def gray_of(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return RGB pixels, (height, width, 3), as a gray picture, (height, width)."""
    import cv2

    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), dtype=np.uint8)


def _point(xy: NDArray[np.float64]) -> Point:
    return float(xy[0]), float(xy[1])
