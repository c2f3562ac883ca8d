"""Strokes in two aligned pictures: light that letters, lines and edges add to or remove from the background."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .registration import Affine

SHIFTED_PX = 6
"""Largest distance of a mark from its position in the other picture, in pictures that are 448 px long."""
_SHARPEST_PX, _LINE_PX = 0.8, 6.0
"""Standard deviations of the two blurs between which the strokes of letters lie, in pictures that are 448 px long."""
INK = 6.0
"""Gray levels by which strokes differ from their surroundings."""

Strokes = NDArray[np.float32]
"""Shape (height, width): gray levels by which each pixel differs from its surroundings."""


class AlignedStrokes(NamedTuple):
    """The strokes of two pictures in the frame of the fixed one.

    Args:
        fixed: Strokes of the fixed picture.
        moving: Strokes of the moving picture, mapped onto the fixed one.
        inside: Whether a pixel and its surroundings lie in both pictures; shape (height, width).
        fixed_grey: The fixed picture.
        moving_grey: The moving picture, mapped onto the fixed one.
    """

    fixed: Strokes
    moving: Strokes
    inside: NDArray[np.bool_]
    fixed_grey: NDArray[np.uint8]
    moving_grey: NDArray[np.uint8]


def aligned_strokes(fixed: NDArray[np.uint8], moving: NDArray[np.uint8], affine: Affine) -> AlignedStrokes:
    """Return the strokes of two gray pictures.

    Args:
        fixed: Shape (height, width).
        moving: Shape (height, width).
        affine: Maps points of `moving` to `fixed`.
    """
    import cv2

    height, width = fixed.shape
    shrinks = abs(float(np.linalg.det(affine[:, :2]))) < 1
    laid = np.asarray(
        cv2.warpAffine(
            moving,
            affine,
            (width, height),
            flags=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        ),
        np.uint8,
    )
    covered = cv2.warpAffine(np.full(moving.shape, 255, np.uint8), affine, (width, height))
    reach = 2 * SHIFTED_PX + 1
    inside = cv2.erode(np.asarray(covered == 255, np.uint8), np.ones((reach, reach), np.uint8)) > 0
    return AlignedStrokes(_strokes(fixed), _strokes(laid), inside, fixed, laid)


def _strokes(grey: NDArray[np.uint8]) -> Strokes:
    import cv2

    sharp = cv2.GaussianBlur(np.asarray(grey, np.float32), (0, 0), _SHARPEST_PX)
    return np.asarray(sharp - cv2.GaussianBlur(sharp, (0, 0), _LINE_PX), np.float32)
