"""SIFT matches: points in two pictures matched only by their descriptors, and the geometry they agree on.

A specialist for `visual_correspondence` and `multi_view_reasoning` without a learned model; it substitutes for LoFTR.

Source of the ratio test: D. G. Lowe, "Distinctive image features from scale-invariant keypoints", IJCV 60 (2004),
section 7.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...prompting.question import Question
from ..options import BackendOptions
from .base import ClassicalSpecialist, Fits
from .local_features import require_sift
from .matching import MATCHING_TASKS, Matches, fits_of_matches, pair_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RATIO = 0.8
"""Largest distance of a match, as a proportion of the distance to the second-nearest descriptor."""
MOST_POINTS = 4_000
LEAST_CONTRAST = 0.01
"""A quarter of the usual threshold, so that small and flat pictures have enough points."""


class SiftMatches(ClassicalSpecialist):
    """Matches the SIFT points of two pictures, and answers from the homography or camera motion they imply.

    Raises:
        PrerequisiteError: This build of OpenCV has no SIFT.
    """

    name: ClassVar[str] = "sift_matches"
    tasks: ClassVar[frozenset[str]] = MATCHING_TASKS
    version: ClassVar[int] = 1
    stands_for: ClassVar[str] = "LoFTR"

    def __init__(self, argument: str, options: BackendOptions) -> None:
        super().__init__(argument, options)
        require_sift(self.name)

    def fits_of(self, question: Question) -> Fits | str:
        """Return how well each option agrees with the matches."""
        pair = pair_of(question)
        return fits_of_matches(pair, match_points(pair.first, pair.second))


def match_points(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Matches:
    """Return the points in two pictures, (height, width, 3) RGB, whose descriptors are mutually nearest.

    Each is the nearest to the other, and clearly nearer than the second nearest.
    """
    import cv2
    import numpy as np

    found = [
        cv2.SIFT.create(MOST_POINTS, contrastThreshold=LEAST_CONTRAST).detectAndCompute(
            cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), None
        )
        for pixels in (first, second)
    ]
    (points, descriptors), (other_points, other_descriptors) = found
    pairs: list[tuple[int, int]] = []
    if len(points) > 1 and len(other_points) > 1:
        matcher = cv2.BFMatcher(cv2.NORM_L2)
        back = {match.queryIdx: match.trainIdx for match in matcher.match(other_descriptors, descriptors)}
        for nearest, second_nearest in matcher.knnMatch(descriptors, other_descriptors, k=2):
            is_clear = nearest.distance < RATIO * second_nearest.distance
            if is_clear and back[nearest.trainIdx] == nearest.queryIdx:
                pairs.append((nearest.queryIdx, nearest.trainIdx))
    sides = [[points[a].pt for a, _ in pairs], [other_points[b].pt for _, b in pairs]]
    return Matches(*(np.array(side, dtype=np.float64).reshape(-1, 2) + 0.5 for side in sides))
