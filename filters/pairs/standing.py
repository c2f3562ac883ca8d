"""Detection of whether a subject touches its new ground or floats above it without a shadow."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

_REFERENCE_PX = 512
_RIM_PX = 2.0
"""Width of the subject's rim at a shorter side of 512 px, where its color mixes with the ground's."""
_BLUR_PX = 3.0
"""Blur, at a shorter side of 512 px, for comparing a background that was put out of focus."""
_FOOT = 0.05
"""Fraction of the subject's height, from below, that touches the ground."""
_UNDER, _NEAR = 0.03, 0.25
"""Depth of the ground under the foot, and of the area that counts as near, as fractions of the subject's
longer side.
"""
_AT_FRAME = 0.01
_LEAST_PIXELS = 20


def contact(picture: Pixels, background: Pixels, front: Mask) -> float | None:
    """Return the fraction by which the subject darkens the new background right below it.

    If a picture was fitted to its subject, its light differs from the background's everywhere; a straight line through
    the lightness of both, away from the subject, removes this difference. None if the frame cuts the subject off below,
    since it then stands outside the picture, and if too little shows.

    Args:
        picture: (height, width, 3) RGB: the subject in front of its new background.
        background: The same size: the background alone.
        front: (height, width): the area in which the subject hides the background.
    """
    rows = np.flatnonzero(front.any(axis=1))
    if not len(rows) or rows[-1] >= front.shape[0] - 1 - max(2, _AT_FRAME * front.shape[0]):
        return None
    columns = np.flatnonzero(front.any(axis=0))
    high, size = rows[-1] - rows[0] + 1, max(rows[-1] - rows[0], columns[-1] - columns[0]) + 1
    lowest = np.where(front.any(axis=0), front.shape[0] - 1 - front[::-1].argmax(axis=0), -1)
    under = np.zeros(front.shape, np.bool_)
    depth, gap = max(3, round(_UNDER * size)), 1 + round(_RIM_PX * max(1.0, min(front.shape) / _REFERENCE_PX))
    for column in np.flatnonzero(lowest >= rows[-1] - max(2, round(_FOOT * high))):
        under[lowest[column] + gap : lowest[column] + gap + depth, column] = True
    sigma = _BLUR_PX * max(1.0, min(front.shape) / _REFERENCE_PX)
    rest = cv2.distanceTransform((~front).astype(np.uint8), cv2.DIST_L2, 5) > max(_NEAR * size, 4 * sigma)
    if np.count_nonzero(under) < _LEAST_PIXELS or np.count_nonzero(rest) < _LEAST_PIXELS:
        return None
    shown, alone = (_lightness(pixels, ~front, sigma) for pixels in (picture, background))
    spread = float(alone[rest].std())
    slope = float(np.cov(alone[rest], shown[rest])[0, 1] / spread**2) if spread > 1 else 1.0
    level = float(shown[rest].mean() - slope * alone[rest].mean())
    expected = float((slope * alone[under] + level).mean())
    return float(1 - shown[under].mean() / max(expected, 1.0))


def _lightness(pixels: Pixels, where: Mask, sigma: float) -> NDArray[np.float32]:
    """Return the lightness, 0-100, blurred over only the pixels of `where`."""
    lab = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    weights = where.astype(np.float32)
    total = cv2.GaussianBlur(lab[..., 0] * weights, (0, 0), sigma)
    return np.asarray(total / np.maximum(cv2.GaussianBlur(weights, (0, 0), sigma), 1e-3), np.float32)
