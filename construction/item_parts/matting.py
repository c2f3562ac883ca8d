"""Soft outlines: the subject's proportion of each pixel along a rim, and the subject's own color there.

A pixel on the rim of a subject mixes its color with the old background's. Pasted unchanged, it shows as a halo. The
opacity comes from the guided filter (He, Sun and Tang 2013, doi:10.1109/TPAMI.2012.213), which lets the outline follow
the edges of the photograph; the subject's color comes from blurred means of both sides (Forte 2021, arXiv 2006.14970).
Both are box filters. OpenCV includes the guided filter only in its contrib wheel, which conflicts with the standard
one, and PyMatting needs Numba and LLVM, about 50 MB.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .cutting_out import Mask, bounds

_REFERENCE_PX = 512
"""Shorter side, in pixels, of the picture that the widths below refer to."""
LEAST_BAND = 0.5
"""Half-width, in pixels, below which nothing is softened."""
_EPSILON = 1e-4
"""Color variance, for values from 0 to 1, below which the guided filter smooths."""
_LOW, _HIGH = 0.12, 0.92
"""Filter opacities at or beyond which a pixel counts as fully transparent or opaque; the filter's tails would show as a
veil.
"""
_WIDE, _NARROW = 6, 1
"""Radii of the two passes that estimate the subject's color, in widths of the band and in pixels."""
_TINY = 1e-4
_TRIM, _BESIDE = 3.0, 1.5
"""Widths of the band from the outline that trimming examines; distance in pixels at which the background is pure."""
_OFF, _LEAN = 10.0, 0.25
"""Distance from the line between both hues, and fraction along it, at which a pixel's hue leans toward the
background.
"""
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
        band: Half-width of the rim, in pixels, beyond which opacity is 0 or 1; below `LEAST_BAND`, nothing is softened.
    """
    import cv2

    alpha, own = mask.astype(np.float32), np.array(pixels)
    if band < LEAST_BAND:
        return Matte(alpha, own)
    cut = _window(mask, round(_WIDE * band) + 4)
    inner = trimmed(own[cut], mask[cut], width=_TRIM * band).astype(np.uint8)
    depth = [
        cv2.distanceTransform(np.pad(side, 1, mode="edge"), cv2.DIST_L2, 5)[1:-1, 1:-1] for side in (inner, 1 - inner)
    ]
    guide = np.asarray(own[cut].astype(np.float32) / 255, np.float32)
    radius = max(1, round(band))
    near = np.maximum(depth[0], depth[1]) <= band + 2 * radius
    soft = _guided(guide, inner.astype(np.float32), radius, near)
    soft = np.clip((soft - _LOW) / (_HIGH - _LOW), 0, 1)
    soft = np.where(depth[0] > band, 1.0, np.where(depth[1] > band, 0.0, soft)).astype(np.float32)
    soft = np.minimum(soft, _without_spill(own[cut], inner > 0, np.asarray(depth[0], np.float32), _TRIM * band))
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


def _without_spill(
    pixels: NDArray[np.uint8], mask: Mask, depth: NDArray[np.float32], width: float
) -> NDArray[np.float32]:
    """Return the largest possible subject proportion of pixels near the outline, from how far their hue leans to the
    background.

    Hair and fur mix with the background deeper than an outline is wide. Lightness is ignored, because light and shade
    vary within subjects.
    """
    import cv2

    hue = np.asarray(cv2.cvtColor(np.array(pixels).astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)[..., 1:]
    outside = cv2.distanceTransform(np.pad((~mask).astype(np.uint8), 1, mode="edge"), cv2.DIST_L2, 5)[1:-1, 1:-1]
    beside = ~mask & (outside > _BESIDE) & (outside <= _BESIDE + 2 * width)
    radius = max(2, round(2.5 * width))
    ours, theirs = (_mean_of(hue, where, radius) for where in (mask & (depth > width), beside))
    along = theirs - ours
    length = np.maximum(np.linalg.norm(along, axis=2), _TINY)
    lean = ((hue - ours) * along).sum(axis=2) / length**2
    off = np.linalg.norm(hue - ours - lean[..., None] * along, axis=2)
    leaning = mask & (depth <= width) & (length > _APART) & (off < _OFF) & (lean > _LEAN)
    return np.asarray(np.where(leaning, 1 - np.clip(lean, 0, 1), 1.0), np.float32)


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


def _guided(guide: NDArray[np.float32], values: NDArray[np.float32], radius: int, where: Mask) -> NDArray[np.float32]:
    """Return values smoothed along a color guide: the guided filter with full covariances.

    Args:
        guide: (height, width, 3), 0-1.
        values: (height, width).
        radius: Radius of the boxes in pixels.
        where: Pixels at which to solve the filter; values farther than `radius` inside are exact.
    """
    mean_g, mean_v = _mean(guide, radius), _mean(values, radius)
    joint = (
        _mean(np.asarray(guide * values[..., None], np.float32), radius)[where] - mean_g[where] * mean_v[where, None]
    )
    products = np.asarray(guide[..., (0, 0, 0, 1, 1, 2)] * guide[..., (0, 1, 2, 1, 2, 2)], np.float32)
    second = np.concatenate([_mean(products[..., part], radius) for part in (slice(0, 3), slice(3, 6))], axis=2)[where]
    spread = second[:, (0, 1, 2, 1, 3, 4, 2, 4, 5)].reshape(-1, 3, 3).astype(np.float64)
    spread -= mean_g[where][:, :, None] * mean_g[where][:, None, :]
    spread += _EPSILON * np.eye(3)
    slope = np.zeros_like(guide)
    level = mean_v.copy()
    slope[where] = np.linalg.solve(spread, joint[..., None].astype(np.float64))[..., 0]
    level[where] -= (slope[where] * mean_g[where]).sum(axis=1)
    return np.asarray((_mean(slope, radius) * guide).sum(axis=2) + _mean(level, radius), np.float32)


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
