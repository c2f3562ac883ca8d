"""Registration: where one picture lies in another, from corners that look alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .local_features import Features

_MATCH_BITS = 64
"""Of 256. True matches differ in 15 on average; beyond a quarter they are chance."""
_REACH_PX = 4.0
"""How far from its predicted place a corner may lie; both pictures are some 500 px long."""
LEAST_INLIERS = 8
_MOST_SCALE = 6.0
_MOST_STRETCH = 1.6

Affine = NDArray[np.float64]
"""Shape (2, 3): takes (x, y, 1) of one picture to (x, y) of the other."""


class Registered(NamedTuple):
    """A transform, and how many corners agree on it."""

    affine: Affine
    inliers: int


def register(moving: Features, fixed: Features) -> Registered | None:
    """Return the transform that takes corners of `moving` onto corners of `fixed`; None where there is none.

    Similar corners are matched one to one. The transform (affine: shift, turn, scale, some stretch) is the one on
    which most matches agree. The search is seeded, so equal pictures give an equal answer.
    """
    import cv2

    if min(len(moving), len(fixed)) < LEAST_INLIERS:
        return None
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(moving.descriptors, fixed.descriptors)
    near = [match for match in matches if match.distance <= _MATCH_BITS]
    if len(near) < LEAST_INLIERS:
        return None
    source = moving.points[[match.queryIdx for match in near]]
    target = fixed.points[[match.trainIdx for match in near]]
    cv2.setRNGSeed(0)
    found, inside = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH_PX, maxIters=3000, confidence=0.995
    )
    if found is None or (inliers := int(inside.sum())) < LEAST_INLIERS:
        return None
    affine = np.asarray(found, np.float64)
    return Registered(affine, inliers) if _is_plausible(affine) else None


def _is_plausible(affine: Affine) -> bool:
    """Return whether a transform neither mirrors nor squeezes nor enlarges beyond what copies do."""
    larger, smaller = np.linalg.svd(affine[:, :2], compute_uv=False)
    return bool(
        np.linalg.det(affine[:, :2]) > 0
        and larger <= _MOST_STRETCH * smaller
        and larger <= _MOST_SCALE
        and smaller >= 1 / _MOST_SCALE
    )
