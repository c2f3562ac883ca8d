"""Sizes of pictures that items show."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray


def size_within(width: int, height: int, *, max_side_px: float) -> tuple[int, int]:
    """Return (width, height) with the longer side at most `max_side_px` and the same aspect ratio; pictures are never
    enlarged.

    The shorter side of an extremely long picture may round to 0.
    """
    scale = min(1.0, max_side_px / max(width, height))
    return int(width * scale + 1e-9), int(height * scale + 1e-9)


def size_for_views(
    width: int, height: int, *, max_side_px: float, min_side_px: float, max_enlargement: float
) -> tuple[int, int] | None:
    """Return (width, height) for a whole picture from which items show parts, with the same aspect ratio.

    Args:
        width: Width of the picture.
        height: Height of the picture.
        max_side_px: Longer side of the shown picture.
        min_side_px: Smallest shorter side of the shown picture; smaller ones are enlarged.
        max_enlargement: Largest factor of that enlargement, 1 or more.

    Returns:
        The size; None if no factor satisfies both sides.
    """
    shortest, longest = min(width, height), max(width, height)
    scale = max(min(1.0, max_side_px / longest), min_side_px / shortest)
    if scale > max_enlargement or scale * longest > max_side_px + 0.5:
        return None
    return ceil(width * scale - 1e-9), ceil(height * scale - 1e-9)


def scaled(pixels: NDArray[np.uint8], size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return (height, width, 3) pixels scaled down as by `shrink`, or enlarged with interpolation."""
    import cv2

    if size_wh[0] <= pixels.shape[1]:
        return shrink(pixels, size_wh)
    return np.asarray(cv2.resize(pixels, size_wh, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


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
