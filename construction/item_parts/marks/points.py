"""Interest points that people can distinguish: corners away from the border, far apart and dissimilar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""(n, 2): x, y in continuous coordinates, pixel centers at +0.5."""


def corners(gray: NDArray[np.uint8], *, most: int, spacing_px: float) -> Points:
    """Return up to `most` corners, strongest first (Shi and Tomasi, CVPR 1994).

    Args:
        gray: Gray picture, (height, width).
        most: Largest number of corners.
        spacing_px: Smallest distance between two corners, in pixels.
    """
    import cv2

    tracked = cv2.goodFeaturesToTrack(gray, maxCorners=most, qualityLevel=0.02, minDistance=spacing_px, blockSize=5)
    return np.zeros((0, 2)) if tracked is None else np.asarray(tracked, dtype=np.float64).reshape(-1, 2) + 0.5


def is_inside(points: Points, size_wh: tuple[int, int], *, margin_px: float) -> NDArray[np.bool_]:
    """Return for each point whether it is at least `margin_px` from every border."""
    far_from_low, far_from_high = points >= margin_px, points <= np.array(size_wh) - margin_px
    return np.asarray((far_from_low & far_from_high).all(axis=1))


def contrast(gray: NDArray[np.uint8], point: NDArray[np.float64], *, radius_px: int) -> float:
    """Return the standard deviation of gray levels, 0-127.5, in the square around a point."""
    return float(_square(gray, point, radius_px).std())


def similarity(
    gray: NDArray[np.uint8], first: NDArray[np.float64], second: NDArray[np.float64], *, radius_px: int
) -> float:
    """Return the largest normalized correlation, -1 to 1, of the surroundings of two points.

    The square around the first point is shifted over the second by up to half its radius, so that a repeated window or
    letter is found even if its corner was marked a few pixels off. Differences in lighting have no effect. The
    similarity of flat surroundings is 0.
    """
    import cv2

    template = _square(gray, first, radius_px)
    searched = _square(gray, second, radius_px + radius_px // 2)
    if any(outer < inner for outer, inner in zip(searched.shape, template.shape, strict=True)) or template.std() < 1:
        return 0.0
    scores = cv2.matchTemplate(searched, template, cv2.TM_CCOEFF_NORMED)
    return float(np.clip(np.nan_to_num(scores, nan=0.0, posinf=0.0, neginf=0.0), -1, 1).max())


def _square(gray: NDArray[np.uint8], point: NDArray[np.float64], radius_px: int) -> NDArray[np.uint8]:
    x, y = (int(value) for value in np.floor(point))
    return gray[max(0, y - radius_px) : y + radius_px + 1, max(0, x - radius_px) : x + radius_px + 1]
