"""Whether an automatic outline is torn: it runs through its subject, or around a patch of its background.

Four measures are combined into one value. Along a tear, both sides show the same object, so the outline separates
nothing (`faint`). A wrongly included patch has the colors of the outside rather than those of the subject's inside
(`patch`). An outline that lost a part does not reach the stated box around the whole subject (`short`). The value is a
logistic function of the square roots of these three, fitted on outlines from GrabCut. The length of an omitted thin
part (`thin`, `thin_parts`) sets a lower limit for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .outline_colors import Cells, Mask, Values, binned, depth, lab, leaning, near_subject, scaled
from .thin_parts import thin_part_left_out

MOST_TEAR = 0.5
"""Largest `tear` of an outline that is considered intact."""
_OFFSET, _WEIGHTS = -4.7, (13.6, 8.7, 5.7)
"""Offset of the logistic function, and its weights of `faint`, `patch` and `short`."""
_LONGEST_THIN = 0.16
"""`thin` at which the value is `MOST_TEAR`; the value grows with it in proportion."""

_SIDE_PX = 384
"""Longer side to which pictures are first scaled; the distances below are in pixels of the scaled picture."""
_BAND_PX, _WINDOW_PX = (1, 5), 5
"""Distances from the outline between which both sides are compared, and the radius of the windows."""
_MIXED, _NOISE = 0.6, 2.0
"""Contrast, relative to the spread of both sides, below which nothing is separated; and the smallest spread in CIELAB,
which is that of noise."""
_AT_FRAME_PX = 2
_LEAST_PIXELS = 2

_PATCH_SIDE_PX = 256
_CORE, _RIM = 0.05, 0.25
"""Distances from the outline beyond which colors are learned and up to which patches are searched for, in sides of a
square with the subject's area."""
_LEANS = -1.0
"""Log ratio of a color's probabilities inside and outside, below which a pixel belongs outside."""
_STRONG, _LEAST_GRADIENT = 0.8, 12.0
"""Quantile of the gradients from which on a gradient is an edge; and the smallest gradient of an edge, in CIELAB by
Sobel's operator."""


class OutlineTear(NamedTuple):
    """The evidence that an outline is torn.

    Args:
        tear: Probability that the outline is torn, 0-1.
        faint: Proportion of the outline, 0-1, along which it separates nothing.
        patch: Area of the largest patch along the rim that looks like the outside, as a share of the subject's.
        short: Largest distance between the outline and its box, as a share of the box's side; 0 without a box.
        thin: Reach of the longest thin part of the subject outside the outline, such as a leg, in sides of a square
            with the subject's area; 0 if there is none.
    """

    tear: float
    faint: float
    patch: float
    short: float
    thin: float

    @property
    def words(self) -> str:
        """Return a description of the evidence for annotators."""
        told = (
            (self.faint, f"separates nothing along {self.faint:.0%} of its length", 0.02),
            (self.patch, f"includes a patch of {self.patch:.1%} that looks like the outside", 0.004),
            (self.short, f"ends {self.short:.0%} inside its box", 0.08),
            (self.thin, "leaves out a thin part in the subject's colors, such as a leg, horn or mast", _LONGEST_THIN),
        )
        return ", ".join(words for value, words, least in told if value >= least) or "is uncertain throughout"


def outline_tear(pixels: NDArray[np.uint8], mask: Mask, box: Sequence[float] | None = None) -> OutlineTear | None:
    """Return the evidence that an outline is torn; None if the whole outline lies along the frame.

    Args:
        pixels: (height, width, 3) RGB, the picture with the outlined subject.
        mask: (height, width), not empty.
        box: Stated box around the whole subject: x0, y0, x1, y1 in pixels; None if there is none.
    """
    small, cells = scaled(pixels, mask, _SIDE_PX)
    faint = _faint(small, cells)
    if faint is None:
        return None
    patch = _patch(*scaled(pixels, mask, _PATCH_SIDE_PX))
    short = 0.0 if box is None else _short(mask, box)
    roots = np.sqrt([faint, patch, short])
    tear = 1 / (1 + np.exp(-(_OFFSET + float(roots @ np.array(_WEIGHTS)))))
    scale = cells.shape[1] / mask.shape[1]
    thin = thin_part_left_out(small, cells, None if box is None else [side * scale for side in box])
    return OutlineTear(max(float(tear), min(1.0, MOST_TEAR * thin / _LONGEST_THIN)), faint, patch, short, thin)


def edges_followed(pixels: NDArray[np.uint8], mask: Mask) -> float:
    """Return the share, 0-1, of an outline that follows an edge as strong as the strongest fifth of the picture.

    The value is for display only; no bound uses it, since an outline around a patch of grass follows edges too. It is 1
    if all of the outline lies on the frame.

    Args:
        pixels: (height, width, 3) RGB.
        mask: (height, width), not empty.
    """
    import cv2

    small, cells = scaled(pixels, mask, 512)
    blurred = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float32), (0, 0), 1.0)
    across, along = cv2.Sobel(blurred, cv2.CV_32F, 1, 0), cv2.Sobel(blurred, cv2.CV_32F, 0, 1)
    gradient = np.sqrt((across**2 + along**2).sum(axis=2))
    outline = (cells - cv2.erode(cells, np.ones((3, 3), np.uint8))) > 0
    outline[:_AT_FRAME_PX] = outline[-_AT_FRAME_PX:] = False
    outline[:, :_AT_FRAME_PX] = outline[:, -_AT_FRAME_PX:] = False
    if not outline.any():
        return 1.0
    strong = max(float(np.quantile(gradient, _STRONG)), _LEAST_GRADIENT)
    return float((cv2.dilate(gradient, np.ones((3, 3), np.uint8))[outline] > strong).mean())


def _faint(small: NDArray[np.uint8], cells: Cells) -> float | None:
    """Return the share of the longest contour along which both sides differ little compared with their variation."""
    import cv2

    contours, _ = cv2.findContours(cells, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    x, y = max(contours, key=len).reshape(-1, 2).T
    height, width = cells.shape
    inner = (x > _AT_FRAME_PX) & (x < width - 1 - _AT_FRAME_PX) & (y > _AT_FRAME_PX) & (y < height - 1 - _AT_FRAME_PX)
    if not inner.any():
        return None
    at = np.asarray(y[inner], np.int32), np.asarray(x[inner], np.int32)
    colors = lab(small)
    sides = []
    for side in (cells, 1 - cells):
        away = depth(side)
        sides.append(_moments(colors, (away > _BAND_PX[0]) & (away <= _BAND_PX[1]), at))
    (ours, our_spread, ours_told), (theirs, their_spread, theirs_told) = sides
    contrast = np.linalg.norm(ours - theirs, axis=1) / ((our_spread + their_spread) / 2 + _NOISE)
    return float(((contrast < _MIXED) & ours_told & theirs_told).mean())


def _moments(
    colors: Values, where: Mask, at: tuple[NDArray[np.int32], NDArray[np.int32]]
) -> tuple[Values, Values, Mask]:
    """Return the mean and spread of colors near each point within `where`, and a mask of points with enough pixels."""
    import cv2

    weights = where.astype(np.float32)
    side = (2 * _WINDOW_PX + 1,) * 2
    count = cv2.boxFilter(weights, cv2.CV_32F, side, normalize=False)[at]
    share = np.maximum(count, 1e-3)[:, None]
    mean = cv2.boxFilter(colors * weights[..., None], cv2.CV_32F, side, normalize=False)[at] / share
    second = cv2.boxFilter(colors**2 * weights[..., None], cv2.CV_32F, side, normalize=False)[at] / share
    spread = np.sqrt(np.maximum((second - mean**2).sum(axis=1), 0))
    return np.asarray(mean, np.float32), np.asarray(spread, np.float32), np.asarray(count > _LEAST_PIXELS, np.bool_)


def _patch(small: NDArray[np.uint8], cells: Cells) -> float:
    """Return the area of the largest patch along the rim with the colors of the outside, relative to the subject's."""
    import cv2

    area = int(np.count_nonzero(cells))
    unit = float(np.sqrt(max(area, 1)))
    inside, outside = depth(cells), depth(1 - cells)
    core, beside = inside > _CORE * unit, near_subject(cells) & (outside > _CORE * unit)
    if not core.any() or not beside.any():
        return 0.0
    bins = binned(np.asarray(cv2.GaussianBlur(lab(small), (0, 0), 1.0), np.float32))
    leans = cv2.blur(leaning(bins, core, beside), (5, 5))
    theirs_inside = (cells > 0) & (leans < _LEANS) & (inside <= _RIM * unit)
    opened = cv2.morphologyEx(theirs_inside.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, _, figures, _ = cv2.connectedComponentsWithStats(opened)
    return float(figures[1:, cv2.CC_STAT_AREA].max()) / area if count > 1 else 0.0


def _short(mask: Mask, box: Sequence[float]) -> float:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    x0, y0, x1, y1 = box
    wide, high = max(x1 - x0, 1.0), max(y1 - y0, 1.0)
    gaps = (columns[0] - x0) / wide, (x1 - columns[-1] - 1) / wide, (rows[0] - y0) / high, (y1 - rows[-1] - 1) / high
    return float(np.clip(max(gaps), 0, 1))
