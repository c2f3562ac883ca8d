"""Two pictures combined into one, for models that accept a single image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scaling import shrink, size_within

_GAP = 0.02
_PAPER = 255


def side_by_side(left: NDArray[np.uint8], right: NDArray[np.uint8], *, max_side_px: int) -> NDArray[np.uint8]:
    """Return two pictures of one size side by side, (height, width, 3), with a white bar between them.

    Args:
        left: Left picture, (height, width, 3) RGB.
        right: Right picture, of the same size.
        max_side_px: Largest longer side of the result, in pixels; both pictures are scaled down alike if necessary.

    Raises:
        ValueError: The pictures differ in size.
    """
    if left.shape != right.shape:
        raise ValueError(f"pictures of a pair have one size, not {left.shape[1::-1]} and {right.shape[1::-1]}")
    height, width = left.shape[:2]
    gap = max(2, round(_GAP * width))
    whole, _ = size_within(2 * width + gap, height, max_side_px=max_side_px)
    if whole < 2 * width + gap:
        scale = whole / (2 * width + gap)
        size_wh = (max(1, int(width * scale)), max(1, int(height * scale)))
        left, right = shrink(left, size_wh), shrink(right, size_wh)
        gap = max(2, int(gap * scale))
    bar = np.full((left.shape[0], gap, 3), _PAPER, np.uint8)
    return np.ascontiguousarray(np.concatenate([left, bar, right], axis=1))
