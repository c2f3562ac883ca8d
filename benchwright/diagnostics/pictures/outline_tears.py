"""Outlines that run through a subject, or around a patch of its background, instead of along its edge.

Along a tear both sides are of one thing: their colors differ little, beside how much each side varies and beside what
the outline as a whole sets apart. True edges come close to that here and there, a tear over a long stretch.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Values = NDArray[np.float32]

_SIDE_PX = 384
"""Longer side to which pictures are scaled first; the distances below are in its pixels."""
_NARROW, _WIDE = (1, 5, 5), (1, 8, 9)
"""Nearest and farthest distance from the outline that is compared, and the radius of its windows."""
_MIXED, _FAINT = 0.6, 0.35
"""Contrast, beside the spread of both sides, and beside the outline's median, below which nothing is set apart."""
_NOISE = 2.0
"""Least spread in CIELAB: what a camera's noise makes of a plain wall."""
_AT_FRAME_PX = 2
_GAP_PX = 5
"""Stretches closer than this are one."""
_APART = 9.0, 99.0


class _Across(NamedTuple):
    """What the outline sets apart at each of its points: the difference of colors, in spreads and in CIELAB."""

    in_spreads: Values
    in_lab: Values


def tear(pixels: NDArray[np.uint8], mask: Mask) -> float | None:
    """Return how long the stretches of an outline are along which it sets nothing apart; None where all of it lies on
    the frame.

    The length of the longest stretch, in sides of a square as large as the subject, is the mean of two: by the spread
    of colors near the outline, and by the contrast of the whole outline. 0 is an outline along an edge all around; a
    tear through the middle of a disc measures about 1.

    Args:
        pixels: (height, width, 3) RGB, the picture that the subject was outlined in.
        mask: (height, width), not empty.
    """
    scale = _SIDE_PX / max(mask.shape)
    size_wh = max(3, round(mask.shape[1] * scale)), max(3, round(mask.shape[0] * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = cv2.resize(np.array(pixels), size_wh, interpolation=how)
    cells = np.asarray(cv2.resize(mask.astype(np.uint8), size_wh, interpolation=cv2.INTER_NEAREST), np.uint8)
    contours, _ = cv2.findContours(cells, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    x, y = max(contours, key=len).reshape(-1, 2).T
    inner = (x > _AT_FRAME_PX) & (x < size_wh[0] - 1 - _AT_FRAME_PX)
    inner &= (y > _AT_FRAME_PX) & (y < size_wh[1] - 1 - _AT_FRAME_PX)
    if not inner.any():
        return None
    at = np.asarray(y, np.int32), np.asarray(x, np.int32)
    lab = np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    narrow, wide = (_across(lab, cells, at, *band) for band in (_NARROW, _WIDE))
    faint = wide.in_lab < _FAINT * float(np.median(wide.in_lab[inner]))
    runs = (_longest(low & inner) for low in (narrow.in_spreads < _MIXED, faint))
    return float(sum(runs) / 2 / np.sqrt(np.count_nonzero(cells)))


def _across(
    lab: Values,
    cells: NDArray[np.uint8],
    at: tuple[NDArray[np.int32], NDArray[np.int32]],
    low: int,
    high: int,
    radius: int,
) -> _Across:
    means, spreads, known = [], [], np.ones(cells.shape, np.bool_)
    for side in (cells, 1 - cells):
        depth = cv2.distanceTransform(np.pad(side, 1, mode="edge"), cv2.DIST_L2, 5)[1:-1, 1:-1]
        mean, spread, count = _moments(lab, (depth > low) & (depth <= high), radius)
        means.append(mean)
        spreads.append(spread)
        known &= count > _AT_FRAME_PX
    apart = np.linalg.norm(means[0] - means[1], axis=2)[at]
    varies, told = ((spreads[0] + spreads[1]) / 2)[at], known[at]
    return _Across(
        np.asarray(np.where(told, apart / (varies + _NOISE), _APART[0]), np.float32),
        np.asarray(np.where(told, apart, _APART[1]), np.float32),
    )


def _moments(lab: Values, where: Mask, radius: int) -> tuple[Values, Values, Values]:
    """Return mean and spread of the colors near each pixel, of those `where` names, and how many there are."""
    weights = where.astype(np.float32)
    side = (2 * radius + 1,) * 2
    count = cv2.boxFilter(weights, cv2.CV_32F, side, normalize=False)
    share = np.maximum(count, 1e-3)[..., None]
    mean = cv2.boxFilter(lab * weights[..., None], cv2.CV_32F, side, normalize=False) / share
    second = cv2.boxFilter(lab**2 * weights[..., None], cv2.CV_32F, side, normalize=False) / share
    spread = np.sqrt(np.maximum((second - mean**2).sum(axis=2), 0))
    return np.asarray(mean, np.float32), np.asarray(spread, np.float32), np.asarray(count, np.float32)


def _longest(low: Mask) -> int:
    """Return the length of the longest stretch of a closed outline, gaps of a few pixels closed."""
    closed = cv2.morphologyEx(low.astype(np.uint8).reshape(1, -1), cv2.MORPH_CLOSE, np.ones((1, _GAP_PX), np.uint8))
    twice = np.concatenate([[0], closed.ravel(), closed.ravel(), [0]])
    edges = np.flatnonzero(np.diff(twice.astype(np.int8)))
    longest = int((edges[1::2] - edges[::2]).max()) if len(edges) else 0
    return min(longest, len(low))
