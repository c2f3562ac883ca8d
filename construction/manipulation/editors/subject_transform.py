"""Random moves of a subject before its background is replaced: MVP-Bench translates and rescales it (sections 4.1 and
2.2).

The paper gives no ranges. A subject that the frame cuts off stays at that edge, because the cut would otherwise be
visible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...item_parts.cutting_out import Mask, bounds
from ..masks.base import Pixels
from .windows import scaled

_AT_EDGE_PX = 2


class Move(NamedTuple):
    """A move of a subject.

    Args:
        scale: Factor of the subject's size.
        from_xyxy: Box of the subject in the source, in whole pixels.
        to_xy: Top left corner of its box in the picture; parts of the box may lie outside the picture.
    """

    scale: float
    from_xyxy: tuple[int, int, int, int]
    to_xy: tuple[int, int]

    @property
    def size_wh(self) -> tuple[int, int]:
        """Return the size of its box in the picture."""
        x0, y0, x1, y1 = self.from_xyxy
        return max(1, round((x1 - x0) * self.scale)), max(1, round((y1 - y0) * self.scale))

    @property
    def stays(self) -> bool:
        """Return whether the subject keeps its position and size."""
        return self.scale == 1 and self.to_xy == self.from_xyxy[:2]


def draw_move(
    mask: Mask,
    rng: np.random.Generator,
    *,
    max_shift: float,
    min_scale: float,
    max_scale: float,
    horizon: float | None = None,
) -> Move:
    """Return a random move of the masked subject.

    Args:
        mask: Mask of the subject, not empty.
        rng: Random generator of the pair.
        max_shift: Largest shift of the box's middle, as a fraction of the picture's width or height.
        min_scale: Smallest factor of its size; a subject that leaves the picture on opposite sides keeps its size and
            place.
        max_scale: Largest factor of its size.
        horizon: Row of the horizon, as a fraction of the height. A subject that stands below it within the picture
            moves up or down as its size requires, and by `max_shift` only sideways. None knows of no ground.
    """
    height, width = mask.shape
    x0, y0, x1, y1 = (int(side) for side in bounds(mask))
    scale = round(float(rng.uniform(min_scale, max_scale)), 3)
    across, along = rng.uniform(-max_shift, max_shift, 2)
    spans = ((x0, x1, width, across), (y0, y1, height, along))
    if any(low <= _AT_EDGE_PX and high >= length - _AT_EDGE_PX for low, high, length, _ in spans):
        scale = 1.0
    level = None if horizon is None else horizon * height
    stands = level is not None and level < y1 < height - _AT_EDGE_PX and y0 > _AT_EDGE_PX and scale != 1
    if level is not None and stands:
        scale = min(scale, float(np.floor(1000 * _most_on_ground(level, y0, y1, height))) / 1000)
    move = Move(scale, (x0, y0, x1, y1), (0, 0))
    placed = (
        _place(low, high, length, share * length, side)
        for (low, high, length, share), side in zip(spans, move.size_wh, strict=True)
    )
    left, top = placed
    if level is not None and stands:
        top = min(max(0, round(level + (y1 - level) * scale) - move.size_wh[1]), height - move.size_wh[1])
    return move._replace(to_xy=(left, top))


def _most_on_ground(level: float, top: int, bottom: int, height: int) -> float:
    """Return the largest scale factor at which a subject standing on the ground is still within the picture.

    On level ground, sizes are in proportion to the distance of the foot from the horizon, in rows (Hoiem, Efros and
    Hebert 2008, doi:10.1007/s11263-008-0137-5), so that all rows of the subject move away from the horizon by the same
    factor.
    """
    above = level / (level - top) if top < level else np.inf
    return max(1.0, min(above, (height - level) / (bottom - level)))


def _place(low: int, high: int, length: int, shift: float, side: int) -> int:
    """Return the start of the box's side: at the edges that it touched, otherwise shifted within the picture."""
    at_start, at_end = low <= _AT_EDGE_PX, high >= length - _AT_EDGE_PX
    if at_start:
        return low
    if at_end:
        return high - side
    start = round((low + high - side) / 2 + shift)
    return min(max(0, start), max(0, length - side))


def moved(picture: Pixels, mask: Mask, move: Move) -> tuple[Pixels, Mask]:
    """Return the picture with its subject moved, and the subject's new mask; the picture itself if the subject stays.

    The subject covers its new position, and its old position stays unchanged: an editor paints over all but the mask.
    Pixels under the mask are the source's, scaled if the move scales.
    """
    if move.stays:
        return picture, mask
    x0, y0, x1, y1 = move.from_xyxy
    part, shape = scaled(picture[y0:y1, x0:x1], move.size_wh), mask[y0:y1, x0:x1]
    if move.scale != 1:
        shape = scaled(shape.astype(np.uint8) * 255, move.size_wh) > 127
    target, origin = _overlap(move, mask.shape)
    result, placed = np.array(picture), np.zeros(mask.shape, np.bool_)
    placed[target] = shape[origin]
    result[placed] = part[origin][shape[origin]]
    return result, placed


def _overlap(move: Move, shape: tuple[int, ...]) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the part of the picture that the moved box fills, and the matching part of the box."""
    target, origin = [], []
    for start, side, length in zip(reversed(move.to_xy), reversed(move.size_wh), shape, strict=True):
        low, high = max(0, start), min(length, start + side)
        target.append(slice(low, high))
        origin.append(slice(low - start, high - start))
    return (target[0], target[1]), (origin[0], origin[1])
