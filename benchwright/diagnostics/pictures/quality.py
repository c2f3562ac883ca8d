"""Values that describe the quality of a picture, measured at its usual viewing size."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .compression import blockiness
from .measures import SIDE_PX, blur, colorfulness, filled, frame, grey_levels

_DECIMALS = 4


def quality_of(pixels: NDArray[np.uint8]) -> dict[str, float | None]:
    """Return all values measured on pixels, rounded.

    Args:
        pixels: Shape (height, width, 3), RGB.
    """
    height, width = pixels.shape[:2]
    small = _shrunk(pixels)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)
    native = grey if small is pixels else np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    seen = grey_levels(grey)
    values = {
        "aspect": max(width, height) / min(width, height),
        "filled": filled(small),
        "blur": blur(grey),
        "lightest": seen.lightest,
        "darkest": seen.darkest,
        "clipped": seen.clipped,
        "colorfulness": colorfulness(small),
        "blockiness": blockiness(native),
        "frame": frame(small),
    }
    rounded = {name: None if value is None else round(value, _DECIMALS) for name, value in values.items()}
    return {"short_px": min(width, height), **rounded}


def _shrunk(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = pixels.shape[:2]
    scale = SIDE_PX / max(width, height)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
