"""A photograph scaled and cropped to cover another size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def enlargement(size_wh: tuple[int, int], wanted_wh: tuple[int, int]) -> float:
    """Return the factor by which a picture must grow to cover another size; less than 1 if it must shrink."""
    return max(wanted_wh[0] / size_wh[0], wanted_wh[1] / size_wh[1])


def cover(pixels: NDArray[np.uint8], size_wh: tuple[int, int]) -> NDArray[np.uint8]:
    """Return the central part, of the given size, of a picture scaled to cover that size."""
    import cv2

    factor = enlargement((pixels.shape[1], pixels.shape[0]), size_wh)
    scaled_wh = tuple(
        max(wanted, round(side * factor)) for side, wanted in zip(pixels.shape[1::-1], size_wh, strict=True)
    )
    scaled = cv2.resize(pixels, scaled_wh, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC)
    left, top = ((have - wanted) // 2 for have, wanted in zip(scaled_wh, size_wh, strict=True))
    return np.asarray(scaled[top : top + size_wh[1], left : left + size_wh[0]], dtype=np.uint8)
