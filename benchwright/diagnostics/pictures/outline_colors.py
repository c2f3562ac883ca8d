"""Colors on both sides of an outline: the scaled picture, distances from the outline, the side that colors suggest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Cells = NDArray[np.uint8]
"""Mask of shape (height, width): 1 inside the outline and 0 outside."""
Values = NDArray[np.float32]

_BINS = (10, 16, 16)
_NEAR = 0.35
"""Margin around the subject that counts as near it, as a proportion of its longer side."""
_RARE = 1e-5
"""Probability of a color that does not occur."""


def scaled(pixels: NDArray[np.uint8], mask: Mask, side_px: int) -> tuple[NDArray[np.uint8], Cells]:
    """Return a picture and its mask with a longer side of `side_px` pixels."""
    import cv2

    scale = side_px / max(mask.shape)
    size_wh = max(3, round(mask.shape[1] * scale)), max(3, round(mask.shape[0] * scale))
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    cells = cv2.resize(mask.astype(np.uint8), size_wh, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.resize(np.array(pixels), size_wh, interpolation=how), np.uint8), np.asarray(cells, np.uint8)


def binned(colors: Values) -> tuple[NDArray[np.intp], ...]:
    """Return the bin of each pixel's color, along each axis of CIELAB."""
    shares = colors / 100, (colors + 60) / 120
    return tuple(
        np.clip(shares[axis > 0][..., axis] * count, 0, count - 1).astype(np.intp) for axis, count in enumerate(_BINS)
    )


def _histogram(bins: tuple[NDArray[np.intp], ...], where: Mask) -> Values:
    """Return a smoothed histogram of colors that sums to 1."""
    counts = np.zeros(_BINS, np.float32)
    np.add.at(counts, tuple(axis[where] for axis in bins), 1)
    for axis in range(3):
        counts = 0.5 * counts + 0.25 * np.roll(counts, 1, axis) + 0.25 * np.roll(counts, -1, axis)
    return np.asarray(counts / max(float(counts.sum()), 1.0), np.float32)


def depth(side: Cells) -> Values:
    """Return each cell's distance from the border of one side of the outline; the frame is not a border."""
    import cv2

    padded = np.pad(side, 1, mode="edge")
    return np.asarray(cv2.distanceTransform(padded, cv2.DIST_L2, 5)[1:-1, 1:-1], np.float32)


def lab(small: NDArray[np.uint8]) -> Values:
    """Return the CIELAB color of each pixel of an RGB picture."""
    import cv2

    return np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)


def near_subject(cells: Cells) -> Mask:
    """Return the cells of the subject's box, grown by a margin."""
    import cv2

    x, y, wide, high = cv2.boundingRect(cells)
    margin = int(_NEAR * max(wide, high))
    near = np.zeros(cells.shape, np.bool_)
    near[max(0, y - margin) : y + high + margin, max(0, x - margin) : x + wide + margin] = True
    return near


def leaning(bins: tuple[NDArray[np.intp], ...], ours: Mask, theirs: Mask) -> Values:
    """Return, for each pixel, the log ratio of its color's probabilities in the two groups of pixels.

    Args:
        bins: From `binned`.
        ours: Pixels of the subject, not empty; positive values favor this group.
        theirs: Pixels of its surroundings, not empty.
    """
    inside, outside = _histogram(bins, ours), _histogram(bins, theirs)
    return np.asarray(np.log((inside[bins] + _RARE) / (outside[bins] + _RARE)), np.float32)
