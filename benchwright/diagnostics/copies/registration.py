"""Registration: the position of one picture within another, determined from similar corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..features.local_features import Features, mutually_nearest

_MATCH_BITS = 64
"""Bits of 256 in which matching corners may differ. True matches differ in 15 on average; beyond 64 they are chance."""
_REACH_PX = 4.0
"""Largest distance of a corner from its predicted position, in pixels of pictures that are some 500 px long."""
_LEAST_INLIERS = 8
FEW_INLIERS = 12
"""Smallest number of corners whose agreement makes a transform conclusive, however few corners a picture has."""
_SCENE_MATCHES = 40
_SCENE_SPREAD = 0.5
_SCENE_CELLS = 8
_EPIPOLAR_REACH_PX = 2.0
_MOST_SCALE = 6.0
_MOST_STRETCH = 1.6

Affine = NDArray[np.float64]
"""Shape (2, 3): maps (x, y, 1) of one picture to (x, y) of the other."""


class Registered(NamedTuple):
    """A transform, and the number of similar corners that agree on it.

    Args:
        affine: Maps points of the moving picture to the fixed one.
        inliers: Number of matched corners within a few pixels of their predicted positions under the transform.
        source: All matched corners in the moving picture, shape (matches, 2).
        target: The same corners in the fixed picture.
    """

    affine: Affine
    inliers: int
    source: NDArray[np.float32]
    target: NDArray[np.float32]

    @property
    def is_proof(self) -> bool:
        """Return whether so many matches agree that a repeating texture cannot explain the transform.

        Bricks, tiles and windows look alike, so the corners of one match those of any other: some of these matches
        agree on a shift by one brick, others on a shift by two. Most matches of a copy agree. The bound is that of M.
        Brown and D. G. Lowe, "Recognising panoramas", ICCV 2003, section 3.2. It weighs the probability of true
        agreement against that of accidental agreement.
        """
        return self.inliers >= FEW_INLIERS and self.inliers > 5.9 + 0.22 * len(self.source)


def refine(fixed: NDArray[np.uint8], moving: NDArray[np.uint8], affine: Affine) -> Affine | None:
    """Return the transform near a given one that maximizes the pictures' correlation; None if the search fails.

    An alignment from the corners of a small or much enlarged picture may be a few pixels off, which matters for thin
    lines on a plain background. The method is enhanced correlation (Evangelidis and Psarakis, PAMI 2008).
    """
    import cv2

    back = np.asarray(cv2.invertAffineTransform(affine), np.float32)
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
    everywhere = np.full(moving.shape, 255, np.uint8)
    try:
        _, aligned = cv2.findTransformECC(fixed, moving, back, cv2.MOTION_AFFINE, stop, everywhere, 5)
        affine = np.asarray(cv2.invertAffineTransform(aligned), np.float64)
    except cv2.error:
        return None
    return affine if np.isfinite(affine).all() and _is_plausible(affine) else None


class SceneGeometry(NamedTuple):
    """Evidence that two pictures are views of one scene.

    Args:
        matches: Number of corners that fit one geometry of two cameras.
        spread: Proportion, 0-1, of the cells with corners that contain a matching corner, in the picture with the
            smaller proportion.
    """

    matches: int
    spread: float


def register(moving: Features, fixed: Features) -> Registered | None:
    """Return the transform that maps corners of `moving` onto corners of `fixed`; None if there is none.

    Similar corners are matched one to one. The transform (affine: shift, rotation, scale, some stretch) is the one on
    which most matches agree. The search is seeded, so equal pictures give an equal result.
    """
    import cv2

    source, target = _matched(moving, fixed)
    if len(source) < _LEAST_INLIERS:
        return None
    cv2.setRNGSeed(0)
    estimated, inside = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH_PX, maxIters=3000, confidence=0.995
    )
    if estimated is None or (inliers := int(inside.sum())) < _LEAST_INLIERS:
        return None
    affine = np.asarray(estimated, np.float64)
    return Registered(affine, inliers, source, target) if _is_plausible(affine) else None


def scene_geometry(moving: Features, fixed: Features, registered: Registered) -> SceneGeometry | None:
    """Return how much of two pictures fits one two-camera geometry; None if it does not cover most of both.

    When the camera moves, near objects move further in the picture than distant ones, so no transform of the plane maps
    one view onto the other. Matching corners must lie on the lines that the fundamental matrix gives (Hartley and
    Zisserman, Multiple View Geometry, chapter 9). One corner is weak evidence, so many are required, spread over both
    pictures.

    Args:
        moving: Corners of the moving picture.
        fixed: Corners of the fixed picture.
        registered: The result of `register` for both.
    """
    import cv2

    source, target = registered.source, registered.target
    if len(source) < _SCENE_MATCHES:
        return None
    cv2.setRNGSeed(0)
    fundamental, inside = cv2.findFundamentalMat(source, target, cv2.FM_RANSAC, _EPIPOLAR_REACH_PX, 0.99, 2000)
    if fundamental is None or (matches := int(inside.sum())) < _SCENE_MATCHES:
        return None
    fits = inside.ravel().astype(np.bool_)
    spread = min(
        len(_cells(points[fits], every.points)) / len(_cells(every.points, every.points))
        for points, every in ((source, moving), (target, fixed))
    )
    return SceneGeometry(matches, spread) if spread >= _SCENE_SPREAD else None


def _cells(points: NDArray[np.float32], frame: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the distinct cells that contain points, in a grid over the bounding box of the corners."""
    low, high = frame.min(axis=0), frame.max(axis=0)
    cell = np.minimum((points - low) / np.maximum(high - low, 1) * _SCENE_CELLS, _SCENE_CELLS - 1).astype(np.int64)
    return np.unique(cell[:, 0] * _SCENE_CELLS + cell[:, 1])


def _matched(moving: Features, fixed: Features) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the positions of similar corners in both pictures, matched one to one."""
    if min(len(moving), len(fixed)) < _LEAST_INLIERS:
        return moving.points[:0], fixed.points[:0]
    source, target = mutually_nearest(
        moving.descriptors.view(np.uint64), fixed.descriptors.view(np.uint64), most_bits=_MATCH_BITS
    )
    return moving.points[source], fixed.points[target]


def _is_plausible(affine: Affine) -> bool:
    """Return whether a transform does not mirror, and scales no more than copies do."""
    larger, smaller = np.linalg.svd(affine[:, :2], compute_uv=False)
    return bool(
        np.linalg.det(affine[:, :2]) > 0
        and larger <= _MOST_STRETCH * smaller
        and larger <= _MOST_SCALE
        and smaller >= 1 / _MOST_SCALE
    )
