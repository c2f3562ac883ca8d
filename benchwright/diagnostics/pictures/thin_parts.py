"""Thin parts of a subject that its outline omits: legs, horns, masts, antennae.

GrabCut adds a cost for each pixel of its border, so it drops long thin parts first, along a border that follows the
picture's edges. Such a part appears outside the outline as a narrow stroke that begins at the outline, has colors of
the subject near its beginning, and differs from the areas on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .outline_colors import Cells, Mask, Values, binned, depth, lab, leaning, near_subject

_CORE, _BESIDE = 0.02, 0.12
"""Distances from the outline, in sides of a square with the subject's area, beyond which the colors of the subject and
of its surroundings are learned; nearer surroundings may be the part itself."""
_LEANS, _LEANS_ON_AVERAGE = 0.3, 1.0
"""Log ratio of a color's probabilities inside and outside, above which a pixel belongs to a stroke, and the same for
the mean of a stroke."""
_WIDTH = 0.09
"""Largest width of a stroke, in sides of a square with the subject's area."""
_SMOOTH_PX, _RIM_PX, _LEAST_PIXELS = 0.8, 2.5, 6
_BOX_MARGIN = 0.04
"""Margin around a stated box within which strokes are searched for, as a share of its sides."""
_LEAST_REACH = 0.03
_JUNCTION = 0.1
"""Distance from a stroke's beginning, in sides of the square, up to which its colors are compared with the
subject's."""
_RING_PX = (1.5, 4.5)
"""Distances from a stroke between which its surroundings are compared."""
_LIKE, _UNLIKE = 0.2, 0.25
"""Quantiles of the color distances to the subject and to the surroundings."""
_FACTOR, _NOISE = 1.5, 5.0
"""A stroke belongs to the subject if the distance to its surroundings exceeds that to the subject by this factor and by
this many units of CIELAB."""


class _Stroke(NamedTuple):
    """A narrow region outside the outline, in a window of the picture.

    Args:
        cells: (rows, columns) of the window.
        window: Rows and columns of the picture.
    """

    cells: Mask
    window: tuple[slice, slice]


def thin_part_left_out(small: NDArray[np.uint8], cells: Cells, box: Sequence[float] | None = None) -> float:
    """Return the reach of the longest thin part outside the outline, in sides of a square of the subject's area.

    It is 0 if there is none, or if the subject fills the picture.

    Args:
        small: (height, width, 3) RGB.
        cells: (height, width), the subject, not empty.
        box: Stated box around the whole subject, in pixels of `small`; without a box, all surroundings are searched.
    """
    unit = float(np.sqrt(max(int(np.count_nonzero(cells)), 1)))
    inside, outside = depth(cells), depth(1 - cells)
    core, beside = inside > _CORE * unit, near_subject(cells) & (outside > _BESIDE * unit)
    if not core.any() or not beside.any():
        return 0.0
    colors = lab(small)
    leans = _smoothed(leaning(binned(colors), core, beside))
    searched = near_subject(cells) if box is None else _within(box, cells.shape)
    longest = 0.0
    for stroke in _strokes(cells, searched & (cells == 0) & (leans > _LEANS), unit):
        reach = float(outside[stroke.window][stroke.cells].max()) / unit
        if reach <= max(longest, _LEAST_REACH) or leans[stroke.window][stroke.cells].mean() <= _LEANS_ON_AVERAGE:
            continue
        if _is_subject(stroke, colors, cells, outside, unit):
            longest = reach
    return longest


def _smoothed(leans: Values) -> Values:
    import cv2

    return np.asarray(cv2.GaussianBlur(leans, (0, 0), _SMOOTH_PX), np.float32)


def _within(box: Sequence[float], shape_hw: tuple[int, ...]) -> Mask:
    x0, y0, x1, y1 = box
    wide, high = _BOX_MARGIN * (x1 - x0), _BOX_MARGIN * (y1 - y0)
    within = np.zeros(shape_hw, np.bool_)
    within[max(0, int(y0 - high)) : int(y1 + high) + 1, max(0, int(x0 - wide)) : int(x1 + wide) + 1] = True
    return within


def _strokes(cells: Cells, ours: Mask, unit: float) -> Iterator[_Stroke]:
    """Yield the narrow regions of `ours` that begin at the outline, each in a window with some surroundings."""
    import cv2

    radius = max(2, round(_WIDTH * unit / 2))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    wide = cv2.morphologyEx((ours | (cells > 0)).astype(np.uint8), cv2.MORPH_OPEN, disc)
    narrow = (ours & (wide == 0)).astype(np.uint8)
    rim = cv2.dilate(cells, np.ones((5, 5), np.uint8)) > 0
    count, labels, figures, _ = cv2.connectedComponentsWithStats(narrow)
    pad = int(_BESIDE * unit) + 6
    for label in range(1, count):
        left, top, across, down, area = figures[label]
        if area < _LEAST_PIXELS:
            continue
        window = slice(max(0, top - pad), top + down + pad), slice(max(0, left - pad), left + across + pad)
        stroke = labels[window] == label
        if (stroke & rim[window]).any():
            yield _Stroke(stroke, window)


def _is_subject(stroke: _Stroke, colors: Values, cells: Cells, outside: Values, unit: float) -> bool:
    """Return whether a stroke, at its beginning, has the colors of the subject rather than those on its sides."""
    near, away = colors[stroke.window], outside[stroke.window]
    begins = _distance(stroke.cells & (away <= _RIM_PX))
    beside = _distance(stroke.cells)
    subject = (cells[stroke.window] > 0) & (begins < _JUNCTION * unit + 4)
    ring = (beside > _RING_PX[0]) & (beside <= _RING_PX[1]) & (away > 2)
    if not subject.any() or not ring.any():
        return False
    median = np.median(near[stroke.cells], axis=0)
    like = np.quantile(np.linalg.norm(near[subject] - median, axis=1), _LIKE)
    unlike = np.quantile(np.linalg.norm(near[ring] - median, axis=1), _UNLIKE)
    return bool(unlike > _FACTOR * like + _NOISE)


def _distance(where: Mask) -> Values:
    """Return the distance of each cell from the nearest cell that is true."""
    import cv2

    return np.asarray(cv2.distanceTransform((~where).astype(np.uint8), cv2.DIST_L2, 5), np.float32)
