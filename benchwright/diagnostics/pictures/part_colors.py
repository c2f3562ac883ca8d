"""Colors of a part near each pixel, in Oklab, and which pixels have the part's color in another light.

In Oklab (Ottosson 2020, bottosson.github.io/posts/oklab), more or less light on one surface multiplies lightness and
both axes of color by one factor, so that hue and the ratio of chroma to lightness stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Lab = NDArray[np.float32]
Mask = NDArray[np.bool_]

LEAST_CHROMA = 0.025
"""Chroma below which a pixel has no hue."""
_SATURATED, _ASIDE, _DARKEST = 0.6, 0.27, 0.3
"""A pixel may be the part's own in another light from this share of the part's ratio of chroma to lightness, up to this
tangent of the angle between their hues (15 degrees), and from this share of the part's lightness.
"""
_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    np.float32,
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ],
    np.float32,
)
FROM_CONES, FROM_LAB = (np.linalg.inv(rows).astype(np.float32) for rows in (_TO_CONES, _TO_LAB))


def oklab(pixels: NDArray[np.uint8]) -> Lab:
    """Return 8-bit RGB as Oklab: lightness 0-1 and two axes of color."""
    share = pixels.astype(np.float32) / 255
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    return np.asarray(np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T, np.float32)


def means(lab: Lab, where: Mask, radius: int) -> tuple[Lab, Mask]:
    """Return the mean color of the selected pixels within `radius` of each pixel, and a mask of those that have any."""
    import cv2

    weights, side = where.astype(np.float32), 2 * radius + 1
    count = cv2.blur(weights, (side, side), borderType=cv2.BORDER_CONSTANT)
    total = cv2.blur(lab * weights[..., None], (side, side), borderType=cv2.BORDER_CONSTANT)
    mean = total / np.maximum(count, 1e-6)[..., None]
    return np.asarray(mean, np.float32), np.asarray(count * side * side > 0.5, np.bool_)


def in_any_light(lab: Lab, own: Lab) -> Mask:
    """Return which pixels may have a part's color in another light.

    Args:
        lab: (height, width, 3) Oklab.
        own: The same shape: the part's color near each pixel.
    """
    chroma = np.hypot(own[..., 1], own[..., 2])
    ahead = own[..., 1:] / np.maximum(chroma, LEAST_CHROMA)[..., None]
    along = (lab[..., 1:] * ahead).sum(axis=2)
    aside = np.hypot(*np.moveaxis(lab[..., 1:] - along[..., None] * ahead, 2, 0))
    light = lab[..., 0] / np.maximum(own[..., 0], LEAST_CHROMA)
    alike = (along > _SATURATED * light * chroma) & (aside < _ASIDE * along)
    return np.asarray(alike & (light > _DARKEST) & (chroma > LEAST_CHROMA), np.bool_)
