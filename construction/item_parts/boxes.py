"""Boxes as x0, y0, x1, y1 in continuous pixels: their overlap, and wrong boxes near a right one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Box = tuple[float, float, float, float]
TRIES = 200
MOST_DEVIATIONS = 3.0
"""Largest move of a side of a noised box, in standard deviations."""


class BoxNoise(NamedTuple):
    """Limits of the noise on a box.

    Args:
        deviation: Standard deviation of each side's move, as a fraction of the box's width or height.
        min_iou: Smallest intersection over union with the right box.
        max_iou: Largest intersection over union; above, people could not distinguish the two boxes.
    """

    deviation: float
    min_iou: float
    max_iou: float


def iou(first: Box, second: Box) -> float:
    """Return the intersection of two boxes over their union, 0-1; 0 where both are empty."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    common = max(0.0, width) * max(0.0, height)
    union = area(first) + area(second) - common
    return common / union if union > 0 else 0.0


def area(box: Box) -> float:
    """Return a box's area in square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])


def noised_box(box: Box, size_wh: tuple[int, int], noise: BoxNoise, rng: np.random.Generator) -> Box | None:
    """Return a box with Gaussian noise on every side, within the picture and within the noise's limits.

    Sides are rounded to a hundredth of a pixel. None where no try is within the limits, as for a box that fills its
    picture.
    """
    width, height = box[2] - box[0], box[3] - box[1]
    unit = np.array([width, height, width, height]) * noise.deviation
    for _ in range(TRIES):
        moves = np.clip(rng.standard_normal(4), -MOST_DEVIATIONS, MOST_DEVIATIONS) * unit
        moved = np.clip(np.array(box) + moves, 0, [*size_wh, *size_wh])
        x0, y0, x1, y1 = (round(float(side), 2) for side in moved)
        if x1 > x0 and y1 > y0 and noise.min_iou <= iou(box, (x0, y0, x1, y1)) <= noise.max_iou:
            return x0, y0, x1, y1
    return None
