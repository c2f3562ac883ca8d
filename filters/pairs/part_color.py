"""Faults of a part in another color: it kept its old color in places, or its neighbors took the new one.

Both look for connected scraps and leave out threads: along a thin rim, a part's color mixes with its neighbors'.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.pictures.part_colors import LEAST_CHROMA, in_any_light, means, oklab

Pixels = NDArray[np.uint8]
Mask = NDArray[np.bool_]

MOST_LEFT, MOST_SPILLED = 0.02, 0.06
"""Largest values of parts that count as completely recolored, and without new color beside them."""
_VISIBLE = 8
"""Levels by which a channel must differ for a pixel to count as recolored."""
_REFERENCE_PX = 512
"""Shorter side, in pixels, of the picture that the distances below refer to."""
_GAP_PX, _RING_PX = 1.5, 8.0
"""Distances from a recolored area between which its old color is sought, and within which that color is averaged."""
_SAME, _NOISE, _LIGHT = 0.15, 0.01, 0.5
"""Distance in Oklab, as a share of the chroma, up to which a color is the same, plus that of noise; and the weight of
lightness. Where no edge separates two pixels, they are of one part.
"""
_RIM_PX, _NEAR_PX = 2.0, 14
"""Distance from an outline up to which colors mix; distance within which the part's color is averaged."""
_LEAST_PIXELS = 40


def left_color(before: Pixels, after: Pixels) -> float | None:
    """Return the length of the longest scrap of old color that borders on a recolored area without an edge between.

    Args:
        before: (height, width, 3) RGB: the natural picture.
        after: The same size: the picture with a part in another color.

    Returns:
        Length over the side of a square as large as the recolored area, at most 1, or None if too little changed to
        tell.
    """
    visible = (np.abs(before.astype(np.int16) - after).max(axis=2) > _VISIBLE).astype(np.uint8)
    changed = np.asarray(cv2.morphologyEx(visible, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0, np.bool_)
    area = int(np.count_nonzero(changed))
    if area < _LEAST_PIXELS:
        return None
    unit = _unit(before)
    lab = np.asarray(cv2.GaussianBlur(oklab(before), (0, 0), 1.0), np.float32)
    own, known = means(lab, changed, round((_RING_PX + _RIM_PX) * unit))
    apart = np.sqrt((_LIGHT * (lab - own)[..., 0]) ** 2 + ((lab - own)[..., 1:] ** 2).sum(axis=2))
    same = apart < _SAME * np.hypot(own[..., 1], own[..., 2]) + _NOISE
    away = _distance(changed)
    ring = (away > _GAP_PX * unit) & (away <= _RING_PX * unit)
    scrap = _largest(ring & known & same & in_any_light(lab, own), 1)
    return min(1.0, scrap / ((_RING_PX - _GAP_PX) * unit) / float(np.sqrt(area)))


def spilled_color(before: Pixels, after: Pixels, outline: Mask) -> float | None:
    """Return the size of the largest scrap of new color outside a part's outline on what did not have its old color.

    Args:
        before: (height, width, 3) RGB: the natural picture.
        after: The same size: the picture with a part in another color.
        outline: (height, width): the part.

    Returns:
        Side of a square as large as the scrap over that of a square as large as the part, at most 1, or None if the
        part is too small to tell.
    """
    area = int(np.count_nonzero(outline))
    if area < _LEAST_PIXELS:
        return None
    unit = _unit(before)
    lab = oklab(before)
    own, known = means(lab, outline, round(_NEAR_PX * unit))
    turned = np.hypot(*np.moveaxis(oklab(after)[..., 1:] - lab[..., 1:], 2, 0)) > LEAST_CHROMA
    outside = turned & (_distance(outline) > _RIM_PX * unit) & ~(known & in_any_light(lab, own))
    return min(1.0, float(np.sqrt(_largest(outside, round(unit)) / area)))


def _unit(picture: Pixels) -> float:
    return float(max(1.0, min(picture.shape[:2]) / _REFERENCE_PX))


def _distance(mask: Mask) -> NDArray[np.float32]:
    """Return each pixel's distance from a mask, in pixels."""
    return np.asarray(cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5), np.float32)


def _largest(scraps: Mask, thread_px: int) -> float:
    """Return the size of the largest connected scrap, without threads up to twice as wide as `thread_px`, in pixels."""
    side = 2 * thread_px + 1
    whole = cv2.morphologyEx(scraps.astype(np.uint8), cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(whole, connectivity=8)
    return float(found[1:, cv2.CC_STAT_AREA].max(initial=0))
