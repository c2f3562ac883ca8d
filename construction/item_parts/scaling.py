"""Sizes of pictures that items show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def size_within(width: int, height: int, *, max_side_px: float) -> tuple[int, int]:
    """Return (width, height) with the longer side at most `max_side_px` and the same aspect; never larger.

    The shorter side of an extremely long picture may come out as 0.
    """
    scale = min(1.0, max_side_px / max(width, height))
    return int(width * scale + 1e-9), int(height * scale + 1e-9)


def shrink(pixels: NDArray[np.uint8], size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return (height, width, 3) pixels scaled down by averaging areas; the same array if it already has that size."""
    import cv2

    if pixels.shape[1::-1] == size_wh:
        return pixels
    return np.asarray(cv2.resize(pixels, size_wh, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def middle_square(pixels: NDArray[np.uint8], side_px: int) -> NDArray[np.uint8]:
    """Return the largest square in the middle of (height, width, 3) pixels, scaled by averaging areas."""
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return shrink(pixels[top : top + side, left : left + side], (side_px, side_px))
