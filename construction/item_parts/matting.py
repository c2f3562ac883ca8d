"""Soft outlines: the subject's proportion of each pixel along a rim, and the subject's own color there.

A pixel on the rim of a subject mixes its color with the old background's. Pasted unchanged, it shows as a halo. The
opacity comes from closed-form matting (`closed_form_matting`), which lets the outline follow the edges of the
photograph; the subject's color comes from blurred means of both sides (Forte 2021, arXiv 2006.14970).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .closed_form_matting import closed_form
from .cutting_out import Mask, bounds

_REFERENCE_PX = 512
"""Shorter side, in pixels, of the picture that the widths below refer to."""
LEAST_BAND = 0.5
"""Half-width, in pixels, below which nothing is softened."""
_UNKNOWN = 1.6
"""Widths of the band on each side of the outline within which opacity is solved."""
_TRUST, _EXPECTED_PX = 0.01, 1.0
"""Weight of the drawn outline where colors tell nothing, and its softness."""
_LOW, _HIGH = 0.04, 0.94
"""Opacities at or beyond which a pixel counts as fully transparent or opaque."""
_WIDE, _NARROW = 6, 1
"""Radii of the two passes that estimate the subject's color, in widths of the band and in pixels."""
_TINY = 1e-4
_TRIM, _BESIDE = 3.0, 1.5
"""Widths of the band from the outline that trimming examines; distance in pixels at which the background is pure."""
_APART, _NEARER = 12.0, 0.8
"""CIELAB distance at which subject and background can be distinguished; factor by which the background is nearer."""

Alpha = NDArray[np.float32]


class Matte(NamedTuple):
    """A subject with a soft rim.

    Args:
        alpha: (height, width), 0-1: the subject's proportion of each pixel; 0 or 1 away from the rim.
        pixels: (height, width, 3): the picture, with the subject's own color along the rim.
    """

    alpha: Alpha
    pixels: NDArray[np.uint8]


def band_of(shape_hw: tuple[int, ...], band_px: float) -> float:
    """Return the half-width of the rim in pixels of a picture, given the half-width for a picture of 512 pixels."""
    return band_px * min(shape_hw[:2]) / _REFERENCE_PX


def matted(pixels: NDArray[np.uint8], mask: Mask, *, band: float) -> Matte:
    """Return a subject with a soft rim.

    Args:
        pixels: (height, width, 3) RGB.
        mask: (height, width), not empty.
        band: Half-width of the rim, in pixels; at twice that distance from the outline, opacity is 0 or 1. Below
            `LEAST_BAND`, nothing is softened.
    """
    import cv2

    alpha, own = mask.astype(np.float32), np.array(pixels)
    if band < LEAST_BAND:
        return Matte(alpha, own)
    cut = _window(mask, round(_WIDE * band) + 4)
    inner = trimmed(own[cut], mask[cut], width=_TRIM * band)
    depth = [
        cv2.distanceTransform(np.pad(side.astype(np.uint8), 1, mode="edge"), cv2.DIST_L2, 5)[1:-1, 1:-1]
        for side in (inner, ~inner)
    ]
    unknown = (np.where(inner, depth[0], depth[1]) <= _UNKNOWN * band) | (mask[cut] & ~inner)
    known = inner.astype(np.float32)
    expected = np.asarray(cv2.GaussianBlur(known, (0, 0), _EXPECTED_PX), np.float32)
    guide = np.asarray(own[cut].astype(np.float32) / 255, np.float32)
    soft = closed_form(guide, np.asarray(unknown, np.bool_), known, expected, trust=_TRUST)
    soft = np.clip((soft - _LOW) / (_HIGH - _LOW), 0, 1).astype(np.float32)
    rim = (soft > 0) & (soft < 1)
    color = _own_color(guide, soft, band)
    own[cut][rim] = np.clip(np.rint(color[rim] * 255), 0, 255).astype(np.uint8)
    alpha[cut] = soft
    return Matte(alpha, own)


def trimmed(pixels: NDArray[np.uint8], mask: Mask, *, width: float) -> Mask:
    """Return a mask without the parts of its rim that show the old background, as in an outline drawn too wide.

    A pixel is removed if its color is nearer to the mean of the adjacent background than to that of the subject inside,
    both sides can be distinguished, and a path of such pixels leads out of the mask.

    Args:
        pixels: (height, width, 3) RGB.
        mask: (height, width).
        width: Examined distance from the outline, in pixels.
    """
    import cv2

    lab = np.asarray(cv2.cvtColor(np.array(pixels).astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)
    inside, outside = (
        cv2.distanceTransform(np.pad(side.astype(np.uint8), 1, mode="edge"), cv2.DIST_L2, 5)[1:-1, 1:-1]
        for side in (mask, ~mask)
    )
    core = mask & (inside > width)
    beside = ~mask & (outside > _BESIDE) & (outside <= _BESIDE + 2 * width)
    radius = max(2, round(2.5 * width))
    ours, theirs = (_mean_of(lab, where, radius) for where in (core, beside))
    to_ours, to_theirs = (np.linalg.norm(lab - side, axis=2) for side in (ours, theirs))
    apart = np.linalg.norm(ours - theirs, axis=2)
    old = mask & (inside <= width) & (apart > _APART) & (to_theirs < _NEARER * to_ours)
    old = cv2.medianBlur(old.astype(np.uint8), 3)
    reach = (~mask | (old > 0)).astype(np.uint8)
    count, labels = cv2.connectedComponents(reach, connectivity=4)
    leads_out = np.zeros(count, np.bool_)
    leads_out[np.unique(labels[~mask])] = True
    return np.asarray(mask & ~((old > 0) & leads_out[labels]), np.bool_)


def _mean_of(values: NDArray[np.float32], where: Mask, radius: int) -> NDArray[np.float32]:
    """Return the mean of the values near each pixel that `where` selects; NaN if none are near."""
    share = where.astype(np.float32)
    total = _mean(np.asarray(values * share[..., None], np.float32), radius)
    count = _mean(share, radius)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count > _TINY, total / count, np.nan), np.float32)


def _window(mask: Mask, margin: int) -> tuple[slice, slice]:
    x0, y0, x1, y1 = (int(side) for side in bounds(mask))
    return slice(max(0, y0 - margin), y1 + margin), slice(max(0, x0 - margin), x1 + margin)


def _mean(values: NDArray[np.float32], radius: int) -> NDArray[np.float32]:
    import cv2

    side = 2 * radius + 1
    return np.asarray(cv2.blur(values, (side, side), borderType=cv2.BORDER_REPLICATE), np.float32)


def _own_color(guide: NDArray[np.float32], alpha: Alpha, band: float) -> NDArray[np.float32]:
    """Return the subject's color at each pixel, 0-1: its component of the pixel's mix of the nearby colors of both
    sides.
    """
    share = alpha[..., None]
    subject = behind = guide
    for radius in (max(2, round(_WIDE * band)), _NARROW):
        near, far = _both(subject, behind, alpha, radius)
        subject = near + share * (guide - share * near - (1 - share) * far)
        behind = far
    return np.clip(subject, 0, 1)


def _both(
    subject: NDArray[np.float32], behind: NDArray[np.float32], alpha: Alpha, radius: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the mean colors of the subject and of its background around each pixel, weighted by proportion."""
    sides = []
    for color, share in ((subject, alpha), (behind, 1 - alpha)):
        total = _mean(color * share[..., None], radius)
        sides.append(np.asarray(total / np.maximum(_mean(share, radius), _TINY)[..., None], np.float32))
    return sides[0], sides[1]
