"""Boxes as x0, y0, x1, y1 in continuous pixels: their overlap, and wrong boxes near the right one.

A box with noise on its sides reveals that it is wrong: its proportions are less usual, it is cut off at the border, and
it lies farther from the middle. `exchangeable_boxes` draws two boxes and the part of the picture that shows them so
that exchanging the boxes changes no statistic of their sizes, proportions and positions.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from .rings import SizeWH

Box = tuple[float, float, float, float]
_TRIES = 200
MOST_DEVIATIONS = 3.0
"""Largest displacement of a side of a noised box, in standard deviations."""


_LEAST_ROOM, _MOST_ROOM = 0.05, 1.5
"""Margin shown around two exchangeable boxes, on each side, as a fraction of their longer mean side."""

_LEAST_REDUCTION = 0.85
"""Smallest factor of the random reduction of a view of two boxes."""


class BoxNoise(NamedTuple):
    """Limits of the noise on a box.

    Args:
        deviation: Standard deviation of each side's displacement, as a fraction of the box's width or height.
        min_iou: Smallest intersection over union with the right box.
        max_iou: Largest intersection over union; above it, people could not distinguish the two boxes.
    """

    deviation: float
    min_iou: float
    max_iou: float


class ViewSizes(NamedTuple):
    """Sizes of a view of two boxes, in pixels.

    Args:
        max_side_px: Longest side of the view.
        min_view_px: Smallest shorter side of the view; smaller ones are enlarged.
        max_enlargement: Largest factor of that enlargement, 1 or more.
        min_box_px: Smallest side of either box in the view, before the enlargement.
    """

    max_side_px: int
    min_view_px: int
    max_enlargement: float
    min_box_px: float


class BoxView(NamedTuple):
    """Two boxes in the part of a picture that shows them.

    Args:
        right: The stated box, in pixels of the view.
        wrong: The other box.
        scaled_wh: Size of the whole picture at the view's scale.
        corner: Upper left corner of the view in that scaled picture.
        size_wh: Size of the view.
        twin: View of the same size with the boxes at the same positions, in which the other one is the stated box; None
            if not requested.
    """

    right: Box
    wrong: Box
    scaled_wh: SizeWH
    corner: tuple[float, float]
    size_wh: SizeWH
    twin: BoxView | None = None


class _Difference(NamedTuple):
    """The difference between two boxes of equal proportions, regardless of their order.

    Args:
        growth: Natural logarithm of the larger one's size over the smaller one's, 0 or more.
        shift: Distance of their centers in x and in y, 0 or more, as a fraction of the geometric mean of the boxes'
            widths and of their heights.
    """

    growth: float
    shift: tuple[float, float]

    def wrong_box(self, box: Box, signs: tuple[int, int, int]) -> Box:
        """Return the box that differs from the given one by this difference, larger or smaller and toward the given
        sides.
        """
        x0, y0, x1, y1 = box
        grown = float(np.exp(signs[2] * self.growth))
        width, height = (x1 - x0) * grown, (y1 - y0) * grown
        mean = float(np.exp(signs[2] * self.growth / 2))
        x = (x0 + x1) / 2 + signs[0] * self.shift[0] * mean * (x1 - x0)
        y = (y0 + y1) / 2 + signs[1] * self.shift[1] * mean * (y1 - y0)
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def exchangeable_boxes(
    box: Box, size_wh: SizeWH, noise: BoxNoise, sizes: ViewSizes, *, rng: np.random.Generator
) -> BoxView | str:
    """Return a wrong box and a view of both in which only the picture's content identifies the right one.

    Both boxes have the same proportions. First, the differences in size and position are drawn. The view, with both
    boxes in its middle, is chosen to lie within the picture whichever box is larger and to whichever sides they are
    apart. Only then does chance decide these three. The view's size does not depend on them.

    Args:
        box: The right box, in pixels of the picture.
        size_wh: Size of the picture.
        noise: Limits of the noise.
        sizes: Sizes of the view.
        rng: Random generator.

    Returns:
        The view, or the reason for none: `no_distinct_box` if no try is within the noise's limits, `no_room_around` if
        the box lies too near a border, `too_small` if the smaller box or the view would be too small.
    """
    reason = "no_distinct_box"
    for _ in range(_TRIES):
        moves = np.abs(np.clip(rng.standard_normal(3), -MOST_DEVIATIONS, MOST_DEVIATIONS)) * noise.deviation
        # Four independent side moves change a box's size by the root of 2 times as much, and its center by that less.
        difference = _Difference(float(moves[0] * 2**0.5), (float(moves[1] / 2**0.5), float(moves[2] / 2**0.5)))
        if not noise.min_iou <= iou(box, difference.wrong_box(box, (1, 1, 1))) <= noise.max_iou:
            continue
        room = _room_around(box, difference, size_wh)
        if min(room) < _LEAST_ROOM:
            reason = "no_room_around"
            continue
        first, second, third = (rng.integers(2, size=3) * 2 - 1).tolist()
        signs = first, second, third
        # A separate scale, because sides stated in whole pixels would stay whole at the picture's scale.
        reduction = float(rng.uniform(_LEAST_REDUCTION, 1))
        view = _view_of(box, difference, signs, room, size_wh, sizes, reduction=reduction)
        across, down, larger = (-sign for sign in signs)
        twin = _view_of(box, difference, (across, down, larger), room, size_wh, sizes, reduction=reduction)
        if view is None or twin is None:
            return "too_small"
        # The places differ by the rounding of sizes to whole pixels; the boxes are drawn at the first view's.
        return view._replace(twin=twin._replace(right=view.wrong, wrong=view.right, size_wh=view.size_wh))
    return reason


def _room_around(box: Box, difference: _Difference, size_wh: SizeWH) -> tuple[float, float]:
    """Return the margin that can be shown around both boxes in x and in y, whichever box is larger and wherever the
    wrong one is, as a fraction of the longer mean side of the boxes; at most `_MOST_ROOM`.
    """
    room = [_MOST_ROOM, _MOST_ROOM]
    for signs in product((-1, 1), (-1, 1), (-1, 1)):
        wrong = difference.wrong_box(box, signs)
        unit = _mean_side(box, wrong)
        for axis, (low, high) in enumerate(_spans(_union(box, wrong))):
            room[axis] = min(room[axis], low / unit, (size_wh[axis] - high) / unit)
    return room[0], room[1]


def _view_of(
    box: Box,
    difference: _Difference,
    signs: tuple[int, int, int],
    room: tuple[float, float],
    size_wh: SizeWH,
    wanted: ViewSizes,
    *,
    reduction: float,
) -> BoxView | None:
    """Return the view; None if the view would need too much enlargement or the smaller box is too small."""
    wrong = difference.wrong_box(box, signs)
    unit = _mean_side(box, wrong)
    spans = _spans(_union(box, wrong))
    sides = [high - low + 2 * share * unit for (low, high), share in zip(spans, room, strict=True)]
    # The shown mean side is that of the right box times the growth's root: the same whichever box is larger.
    smallest_unit = max(box[2] - box[0], box[3] - box[1]) * float(np.exp(-difference.growth / 2))
    enlargement = wanted.min_view_px * reduction / _LEAST_REDUCTION * unit / (min(sides) * smallest_unit)
    most = reduction * wanted.max_side_px / max(sides)
    # Reduce by the smallest unit that random growth of the sides could give, so neither side is left out more often.
    if enlargement > wanted.max_enlargement or most * min(sides) < wanted.min_view_px:
        return None
    scale = min(max(reduction, enlargement) * smallest_unit / unit, most)
    scaled = max(1, round(scale * size_wh[0])), max(1, round(scale * size_wh[1]))
    view = max(1, int(scale * sides[0] + 1e-6)), max(1, int(scale * sides[1] + 1e-6))
    scales = scaled[0] / size_wh[0], scaled[1] / size_wh[1]
    x, y = (
        round(float((low + high) / 2 * factor - side / 2), 2)
        for (low, high), factor, side in zip(spans, scales, view, strict=True)
    )

    def placed(each: Box) -> Box:
        x0, x1 = (round(float(side * scales[0] - x), 2) for side in (each[0], each[2]))
        y0, y1 = (round(float(side * scales[1] - y), 2) for side in (each[1], each[3]))
        return x0, y0, x1, y1

    shown = BoxView(placed(box), placed(wrong), scaled, (x, y), view)
    # An enlarged view shows no more than before.
    least = wanted.min_box_px * max(1.0, scale * unit / smallest_unit)
    smallest = min(high - low for each in (shown.right, shown.wrong) for low, high in _spans(each))
    return None if smallest < least else shown


def _spans(box: Box) -> tuple[tuple[float, float], tuple[float, float]]:
    return (box[0], box[2]), (box[1], box[3])


def _union(first: Box, second: Box) -> Box:
    """Return the smallest box that contains both boxes."""
    return min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]), max(first[3], second[3])


def _mean_side(first: Box, second: Box) -> float:
    """Return the geometric mean of the longer sides of two boxes of equal proportions."""
    longer = (max(box[2] - box[0], box[3] - box[1]) for box in (first, second))
    return float(np.sqrt(np.prod(list(longer))))


def iou(first: Box, second: Box) -> float:
    """Return the intersection of two boxes over their union, 0-1; 0 if both are empty."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    common = max(0.0, width) * max(0.0, height)
    union = area(first) + area(second) - common
    return common / union if union > 0 else 0.0


def area(box: Box) -> float:
    """Return a box's area in square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])


def noised_box(box: Box, size_wh: tuple[int, int], noise: BoxNoise, rng: np.random.Generator) -> Box | None:
    """Return a box with Gaussian noise added to every side, kept within the picture and the limits of the noise.

    Sides are rounded to a hundredth of a pixel. The result is None if no try is within the limits, as for a box that
    fills its picture.
    """
    width, height = box[2] - box[0], box[3] - box[1]
    unit = np.array([width, height, width, height]) * noise.deviation
    for _ in range(_TRIES):
        moves = np.clip(rng.standard_normal(4), -MOST_DEVIATIONS, MOST_DEVIATIONS) * unit
        moved = np.clip(np.array(box) + moves, 0, [*size_wh, *size_wh])
        x0, y0, x1, y1 = (round(float(side), 2) for side in moved)
        if x1 > x0 and y1 > y0 and noise.min_iou <= iou(box, (x0, y0, x1, y1)) <= noise.max_iou:
            return x0, y0, x1, y1
    return None
