"""Detection of parts that kept their old color where the rest of them was given another."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]

_VISIBLE = 8
"""Levels by which a channel must differ for a pixel to count as recolored."""
_REFERENCE_PX = 512
_GAP_PX, _RING_PX, _NEAR_PX = 1, 4, 5
"""Distances from the recolored area, at a shorter side of 512 px: where its surroundings begin, where they end, and how
far the old color beside a pixel reaches.
"""
_LEAST_CHROMA, _ALIKE, _AS_LIGHT = 12.0, 10.0, 22.0
"""CIELAB chroma from which a color is distinct from gray; distances in the plane of hue and chroma, and in lightness,
up to which two colors are one.
"""
_LEAST_PIXELS = 40


def left_color(before: Pixels, after: Pixels) -> float | None:
    """Return the share of a recolored area's surroundings that has the color that the area beside them had.

    Args:
        before: (height, width, 3) RGB: the natural picture.
        after: The same size: the picture with a part in another color.

    Returns:
        A share, 0-1, or None if too little changed to tell.
    """
    changed = (np.abs(before.astype(np.int16) - after).max(axis=2) > _VISIBLE).astype(np.uint8)
    changed = cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    if np.count_nonzero(changed) < _LEAST_PIXELS:
        return None
    unit = max(1.0, min(before.shape[:2]) / _REFERENCE_PX)
    away = cv2.distanceTransform(1 - changed, cv2.DIST_L2, 5)
    ring = (away > _GAP_PX * unit) & (away <= _RING_PX * unit)
    lab = np.asarray(cv2.cvtColor(before.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    side = 2 * round((_RING_PX + _NEAR_PX) * unit) + 1
    weights = changed.astype(np.float32)
    count = cv2.boxFilter(weights, cv2.CV_32F, (side, side), normalize=False)
    total = cv2.boxFilter(lab * weights[..., None], cv2.CV_32F, (side, side), normalize=False)
    own = total / np.maximum(count, 1)[..., None]
    judged = ring & (count > side) & (np.hypot(own[..., 1], own[..., 2]) > _LEAST_CHROMA)
    if np.count_nonzero(judged) < _LEAST_PIXELS:
        return None
    apart = np.abs(lab - own)
    alike = (np.hypot(apart[..., 1], apart[..., 2]) < _ALIKE) & (apart[..., 0] < _AS_LIGHT)
    return float(np.count_nonzero(alike & judged) / np.count_nonzero(ring))
