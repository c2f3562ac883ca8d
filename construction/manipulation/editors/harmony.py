"""Fitting of one photograph's pixels to another: light and color, focus, and the shadow under a standing subject.

Light follows Reinhard et al. (2001, doi:10.1109/38.946629): the mean and spread of each CIELAB channel move toward
those of the new scene. Here they move by a fraction and within bounds, so that a night scene remains one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...item_parts.cutting_out import Mask, bounds
from ..masks.base import Pixels
from .windows import Alpha

_REFERENCE_PX = 512
_FURTHEST = np.array([14.0, 8.0, 8.0], np.float32)
"""Largest shift of a mean, in CIELAB."""
_SPREAD = 0.8, 1.25
"""Bounds of the factor on a channel's spread."""
_LEAST_PIXELS = 50
_BLURS_PX = (0.0, 0.8, 1.2, 1.6)
"""Background blurs to try, as standard deviations at a shorter side of 512 px; people still recognize the place."""
_SHARP = 0.5
"""Fraction of the subject's detail at which an old background counts as in focus."""
_FOOT, _AT_FRAME_PX = 0.05, 2
"""Share of a subject's height, from below, that touches the ground; distance at which the frame cuts a subject off."""


def in_the_light_of(pixels: Pixels, own: NDArray[np.uint8], other: NDArray[np.uint8], *, share: float) -> Pixels:
    """Return a picture with its light and color shifted from those of its own scene toward those of another.

    Args:
        pixels: (height, width, 3) RGB.
        own: (n, 3): pixels that show the light of its own scene.
        other: (m, 3): pixels that show the light of the new scene.
        share: Fraction of the difference to correct, 0-1; 0 changes nothing.
    """
    if share <= 0 or min(len(own), len(other)) < _LEAST_PIXELS:
        return pixels
    (mean, spread), (aim, width) = _light(own), _light(other)
    shift = np.clip(share * (aim - mean), -_FURTHEST, _FURTHEST)
    factor = np.clip(1 + share * (width / np.maximum(spread, 1.0) - 1), *_SPREAD)
    moved = (_lab(pixels) - mean) * factor + mean + shift
    return _rgb(moved)


def focused_like(background: Pixels, picture: Pixels, subject: Mask) -> Pixels:
    """Return a background with the blur of the picture's own background outside the subject, at most lightly blurred.

    Args:
        background: New background, of the picture's size.
        picture: The natural picture.
        subject: Mask of its subject.
    """
    import cv2

    unit = max(1.0, min(picture.shape[:2]) / _REFERENCE_PX)
    near = cv2.dilate(subject.astype(np.uint8), np.ones((3, 3), np.uint8), iterations=round(4 * unit)) > 0
    if np.count_nonzero(~near) < _LEAST_PIXELS or not subject.any():
        return background
    old, own = _detail(picture)[~near].mean(), _detail(picture)[subject].mean()
    if own <= 0 or old / own >= _SHARP:
        return background
    blurred = background
    for sigma in _BLURS_PX:
        blurred = background if sigma == 0 else np.asarray(cv2.GaussianBlur(background, (0, 0), sigma * unit), np.uint8)
        if _detail(blurred)[~near].mean() <= old:
            break
    return blurred


def contact_shadow(alpha: Alpha, *, darkness: float) -> NDArray[np.float32] | None:
    """Return the fraction by which a standing subject's shadow darkens each pixel, 0-1; None if it casts none.

    The shadow is soft, and darkest where the subject's lowest part meets the ground. A subject that the frame cuts off
    below stands outside the picture.

    Args:
        alpha: Opacity of the subject in its new place.
        darkness: Fraction of the light missing at the darkest point.
    """
    import cv2

    mask = alpha >= 0.5
    if darkness <= 0 or not mask.any():
        return None
    x0, y0, x1, y1 = (int(side) for side in bounds(mask))
    if y1 >= mask.shape[0] - _AT_FRAME_PX:
        return None
    wide, high = x1 - x0, y1 - y0
    lowest = np.where(mask.any(axis=0), mask.shape[0] - 1 - mask[::-1].argmax(axis=0), -1)
    columns = np.flatnonzero(lowest >= y1 - 1 - max(2, round(_FOOT * high)))
    foot = np.zeros(mask.shape, np.float32)
    thick = max(1, round(0.015 * max(wide, high)))
    for column in columns:
        foot[max(0, lowest[column] - thick) : lowest[column] + 2 * thick, column] = 1
    shade = np.zeros_like(foot)
    for spread, weight in ((0.02, 0.6), (0.07, 0.4)):
        size = max(wide, high) * spread
        soft = cv2.GaussianBlur(foot, (0, 0), sigmaX=max(1.0, 1.6 * size), sigmaY=max(0.7, 0.6 * size))
        shade += weight * soft / max(float(soft.max()), 1e-6)
    shade[shade < 0.01] = 0
    return np.asarray(darkness * np.clip(shade, 0, 1), np.float32)


def shaded(pixels: Pixels, shade: NDArray[np.float32] | None) -> Pixels:
    """Return a picture darkened at each pixel by a given fraction."""
    if shade is None:
        return pixels
    return np.asarray(np.clip(np.rint(pixels * (1 - shade[..., None])), 0, 255), np.uint8)


def _light(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    lab = _lab(pixels.reshape(1, -1, 3)).reshape(-1, 3)
    return lab.mean(axis=0), lab.std(axis=0)


def _lab(pixels: Pixels) -> NDArray[np.float32]:
    import cv2

    return np.asarray(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)


def _rgb(lab: NDArray[np.float32]) -> Pixels:
    import cv2

    rgb = cv2.cvtColor(np.ascontiguousarray(lab, np.float32), cv2.COLOR_LAB2RGB)
    return np.asarray(np.clip(np.rint(rgb * 255), 0, 255), np.uint8)


def _detail(pixels: Pixels) -> NDArray[np.float32]:
    import cv2

    grey = np.asarray(cv2.cvtColor(np.array(pixels), cv2.COLOR_RGB2GRAY), np.float32)
    unit = max(1.0, min(grey.shape) / _REFERENCE_PX)
    return np.asarray(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 1.5 * unit)), np.float32)
