"""Pairs of points, one clearly closer than the other, found in a map of the nearness of each point of a picture.

Depth is locally flat around both points, so that no mark lies on an edge. In photographs, lower points are usually
closer; pairs are therefore grouped by arrangement, and callers can take each arrangement equally often.
"""

from __future__ import annotations

from math import dist, radians, tan
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
NearnessMap = NDArray[np.float64]
"""Rows by columns, with larger values for nearer points and NaN for unknown ones; limits are in the same units."""
Arrangement = Literal["lower", "upper", "left", "right"]
"""Position of the closer point: below or above the farther one, or level with it on one side."""

_DRAWN = 400
_LEVEL = tan(radians(0.5))
_CENTRED = 0.125


class DepthPair(NamedTuple):
    """Two points, in pixels of the picture, and the difference of their nearness in the map's units."""

    closer: Point
    farther: Point
    difference: float


class PairLimits(NamedTuple):
    """Limits for a pair.

    Args:
        margin: Smallest difference of nearness.
        flatness: Largest difference of nearness around a point.
        flat_radius: Half the side of the square around a point for `flatness`, as a fraction of the shorter side.
        min_distance: Smallest distance of the two points, as a fraction of the shorter side.
        border: Smallest distance of a point from the border, as a fraction of the shorter side.
    """

    margin: float = 0.2
    flatness: float = 0.05
    flat_radius: float = 0.03
    min_distance: float = 0.2
    border: float = 0.08


def depth_pairs(
    nearness: NearnessMap,
    size_wh: tuple[int, int],
    limits: PairLimits,
    rng: np.random.Generator,
    *,
    wanted: frozenset[Arrangement] = frozenset({"lower", "upper"}),
) -> dict[Arrangement, DepthPair]:
    """Return a pair of each requested arrangement that occurs among randomly drawn points.

    A level pair is tilted by at most half a degree, with its middle near that of the picture; it also counts as lower
    or upper.

    Args:
        nearness: The map, of the picture's shape or scaled.
        size_wh: Size of the picture, in pixels.
        limits: Limits for a pair.
        rng: Generator of the picture.
        wanted: Arrangements to search for.
    """
    rows, columns = nearness.shape
    across, down = size_wh[0] / columns, size_wh[1] / rows
    side = min(size_wh)
    radius = (max(1, round(limits.flat_radius * side / down)), max(1, round(limits.flat_radius * side / across)))
    edge = (
        max(radius[0], int(np.ceil(limits.border * side / down))),
        max(radius[1], int(np.ceil(limits.border * side / across))),
    )
    if rows <= 2 * edge[0] or columns <= 2 * edge[1]:
        return {}
    ys = rng.integers(edge[0], rows - edge[0], _DRAWN)
    xs = rng.integers(edge[1], columns - edge[1], _DRAWN)
    flat: list[tuple[Point, float]] = []
    for y, x in zip(ys.tolist(), xs.tolist(), strict=True):
        around = nearness[y - radius[0] : y + radius[0] + 1, x - radius[1] : x + radius[1] + 1]
        if around.max() - around.min() <= limits.flatness:  # false if one of them is unknown
            point = (round((x + 0.5) * across, 2), round((y + 0.5) * down, 2))
            flat.append((point, float(nearness[y, x])))
    pairs: dict[Arrangement, DepthPair] = {}
    for place, (point, near) in enumerate(flat):
        for other, other_near in flat[:place]:
            if abs(near - other_near) < limits.margin or dist(point, other) < limits.min_distance * side:
                continue
            closer, farther = (point, other) if near > other_near else (other, point)
            for arrangement in _arrangements(closer, farther, size_wh[0]):
                if arrangement in wanted:
                    pairs.setdefault(arrangement, DepthPair(closer, farther, abs(near - other_near)))
        if len(pairs) == len(wanted):
            break
    return pairs


def _arrangements(closer: Point, farther: Point, width: int) -> list[Arrangement]:
    across, down = closer[0] - farther[0], closer[1] - farther[1]
    ways: list[Arrangement] = ["lower" if down > 0 else "upper"] if down else []
    if abs(down) <= _LEVEL * abs(across) and abs((closer[0] + farther[0]) / 2 - width / 2) <= _CENTRED * width:
        ways.append("right" if across > 0 else "left")
    return ways
