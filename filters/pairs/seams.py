"""Halos, smears and seams: faults along the border between pixels of two sources.

A *halo* is a rim of the old background that was cut out with a subject. A *smear* is a filling with far less detail
than the picture around it. A *seam* is a color step between a filling and the picture around it. Each is measured as a
proportion, 0-1, of the border or of the detail, so that one threshold suits pictures of all sizes.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
"""(height, width, 3) RGB."""
Mask = NDArray[np.bool_]
"""(height, width)."""
Values = NDArray[np.float32]

_REFERENCE_PX = 512
"""Shorter side to which the distances below refer; they grow with larger pictures."""
_RIM_PX, _NEAR_PX, _FAR_PX = 3.0, 4.0, 9.0
"""Depths from the border: the rim lies within the first, and the area for comparison between the other two."""
_LEAST_RIM = 60
"""Smallest number of pixels in a rim or filling at which it is judged."""
_APART = 15.0
"""CIELAB distance from which the old background can be distinguished from subject and new background."""
_OFF, _NEARER = 10.0, 0.6
"""A pixel of the rim belongs to the old background if it is this far from all mixtures of subject and new background,
and if the old background is nearer by this factor."""
_DETAIL = 0.5
"""Smallest detail around a filling, in gray levels, for a smear to be possible."""
_STEP = 1.5
"""A seam is a step in CIELAB that exceeds the picture's largest step near the border by this amount."""


class Joint(NamedTuple):
    """A subject cut out of one picture and pasted into another.

    Args:
        picture: The resulting picture.
        source: The picture from which the subject was cut, aligned so that the subject is at its position in `picture`.
        front: Area in which the subject hides the picture behind it.
    """

    picture: Pixels
    source: Pixels
    front: Mask


def halo(joint: Joint) -> float | None:
    """Return the proportion of the subject's rim that shows the old background; None if that is indistinguishable.

    A clean rim mixes the colors of the subject and of the new background. If the old background has a third color,
    pixels nearer to it than to any such mixture were cut out with the subject.
    """
    unit = _unit(joint.picture.shape)
    picture, source = _lab(joint.picture), _lab(joint.source)
    inside, outside = _depths(joint.front)
    behind = _between(outside, unit)
    radius = round(12 * unit)
    subject = _mean_near(source, _between(inside, unit), radius)
    old = _mean_near(source, behind, radius)
    new = _mean_near(picture, behind, radius)
    rim = ((inside > 0) & (inside <= _RIM_PX * unit)) | ((outside > 0) & (outside <= _RIM_PX * unit))
    rim &= _away_from_the_frame(joint.front.shape, unit) & np.isfinite(subject + old + new).all(axis=2)
    rows = np.flatnonzero(rim)
    pixels, ours, theirs, here = (values.reshape(-1, 3)[rows] for values in (picture, subject, old, new))
    told = _off_segment(theirs, ours, here) > _APART
    if np.count_nonzero(told) < max(_LEAST_RIM, 0.05 * len(rows)):
        return None
    off = _off_segment(pixels, ours, here)[told]
    to_old = np.linalg.norm(pixels - theirs, axis=1)[told]
    return float(((off > _OFF) & (to_old < _NEARER * off)).mean())


def smear(picture: Pixels, filled: Mask, apart: Mask | None = None) -> float | None:
    """Return the fraction, 0-1, by which a filling has less detail than its surroundings; None if there is no filling.

    Args:
        picture: The resulting picture.
        filled: Area of made-up pixels.
        apart: Area of pixels from elsewhere, which provide no information about what belongs there.
    """
    unit = _unit(picture.shape)
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), np.float32)
    detail = np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 1.5 * unit))
    inside, outside = _depths(filled)
    around = (outside > 2 * unit) & (outside <= 16 * unit)
    deep = inside > 2 * unit
    if apart is not None:
        around, deep = around & ~apart, deep & ~apart
    if min(np.count_nonzero(deep), np.count_nonzero(around)) < _LEAST_RIM:
        return None
    other = float(detail[around].mean())
    return float(np.clip(1 - detail[deep].mean() / other, 0, 1)) if other > _DETAIL else 0.0


def seam(picture: Pixels, filled: Mask, apart: Mask | None = None) -> float | None:
    """Return the proportion of a filling's border along which colors change abruptly; None if there is no border.

    The arguments are the same as for `smear`.
    """
    unit = _unit(picture.shape)
    lab = _lab(picture)
    inside, outside = _depths(filled)
    free = np.ones(filled.shape, np.bool_) if apart is None else ~apart
    within, beside, deeper, farther, deepest, farthest = (
        _mean_near(lab, (depth > a * unit) & (depth <= b * unit) & free, round(6 * unit))
        for a, b in ((0, 2), (2, 4), (4, 6))
        for depth in (inside, outside)
    )
    border = (outside > 0) & (outside <= 1) & free & _away_from_the_frame(filled.shape, unit)
    border &= np.isfinite(within + beside + deeper + farther + deepest + farthest).all(axis=2)
    if np.count_nonzero(border) < _LEAST_RIM:
        return None
    step = np.linalg.norm(within - beside, axis=2)[border]
    beyond = ((within, deeper), (beside, farther), (deeper, deepest), (farther, farthest))
    usual = np.maximum.reduce([np.linalg.norm(one - other, axis=2)[border] for one, other in beyond])
    return float((step > _STEP + usual).mean())


def _unit(shape: tuple[int, ...]) -> float:
    return max(1.0, min(shape[:2]) / _REFERENCE_PX)


def _lab(pixels: Pixels) -> Values:
    return np.asarray(cv2.cvtColor(np.asarray(pixels, np.float32) / 255, cv2.COLOR_RGB2LAB), np.float32)


def _depths(mask: Mask) -> tuple[Values, Values]:
    """Return the depth of each pixel inside a mask, and its distance outside it."""
    return tuple(  # type: ignore[return-value]
        np.asarray(cv2.distanceTransform(side.astype(np.uint8), cv2.DIST_L2, 5), np.float32) for side in (mask, ~mask)
    )


def _between(depth: Values, unit: float) -> Mask:
    return np.asarray((depth >= _NEAR_PX * unit) & (depth <= _FAR_PX * unit), np.bool_)


def _away_from_the_frame(shape: tuple[int, ...], unit: float) -> Mask:
    """Return everything but the edge of the frame, where no cut was made."""
    margin = int(np.ceil(_RIM_PX * unit)) + 1
    inner = np.zeros(shape[:2], np.bool_)
    inner[margin:-margin, margin:-margin] = True
    return inner


def _mean_near(values: Values, where: Mask, radius: int) -> Values:
    """Return the mean of the values near each pixel, among those of `where`; NaN if there are none."""
    side = 2 * max(1, radius) + 1
    weights = where.astype(np.float32)
    count = cv2.boxFilter(weights, cv2.CV_32F, (side, side), normalize=False)
    total = cv2.boxFilter(values * weights[..., None], cv2.CV_32F, (side, side), normalize=False)
    total = total.reshape(values.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(count[..., None] > 0.5, total / count[..., None], np.nan), np.float32)


def _off_segment(points: Values, starts: Values, ends: Values) -> Values:
    """Return the distance of each point from the segment between a start and an end, which contains their mixtures."""
    along = ends - starts
    length = np.maximum((along**2).sum(axis=1), 1e-6)
    share = np.clip(((points - starts) * along).sum(axis=1) / length, 0, 1)
    return np.asarray(np.linalg.norm(points - (starts + share[:, None] * along), axis=1), np.float32)
