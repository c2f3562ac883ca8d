"""Conclusions from matched points in two pictures: where a point moved, and in which direction the camera moved."""

from __future__ import annotations

import re
from math import dist
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import Fits, Point
from .question_forms import MarkedViews, marked_views

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MATCHING_TASKS = frozenset({"visual_correspondence", "multi_view_reasoning"})
_LEAST_MATCHES = 8
"""Smallest number of matches that must agree on a geometry; with fewer, there is no answer."""
_TOLERANCE_PX = 3.0
_FOCAL_LENGTH = 0.9
"""Assumed focal length, as a multiple of the longer side: that of a phone's camera, about 58 degrees wide."""
_TOO_FEW = "Too few points of the two pictures match."


class Matches(NamedTuple):
    """Corresponding points in two pictures, each of shape (matches, 2), with x and y in pixels."""

    first: NDArray[np.float64]
    second: NDArray[np.float64]


class ViewPair(NamedTuple):
    """Two pictures and the question about them.

    Args:
        first: Pixels of the first picture, (height, width, 3) RGB.
        second: Pixels of the second picture.
        views: Points of a correspondence question; None for a camera motion question.
        sides: Side, -1 for left and 1 for right, that each option of a camera motion question names, by key.
    """

    first: NDArray[np.uint8]
    second: NDArray[np.uint8]
    views: MarkedViews | None
    sides: dict[str, int]


def pair_of(question: Question) -> ViewPair:
    """Return the two pictures of a question of one of `MATCHING_TASKS`, or the halves of a picture that holds two
    frames.

    Raises:
        DataError: The question concerns neither correspondence nor camera motion.
    """
    if question.task == "visual_correspondence":
        views = marked_views(question)
        return ViewPair(decode_rgb(views.reference.data), decode_rgb(views.view.data), views, {})
    sides = {choice.key: _side_named(choice.text or "") for choice in question.choices}
    frames = [decode_rgb(picture.data) for picture in question.pictures]
    if len(frames) == 1:
        half = frames[0].shape[1] * 49 // 100  # without the bar between the frames
        frames = [frames[0][:, :half], frames[0][:, -half:]]
    if len(frames) != 2 or sorted(sides.values()) != [-1, 1]:
        raise DataError(f"item {question.item_id} does not show two frames and name the sides left and right")
    return ViewPair(frames[0], frames[1], None, sides)


def fits_of_matches(pair: ViewPair, matches: Matches) -> Fits | str:
    """Return how well each option agrees with the matches, or the reason why there is no answer."""
    if pair.views is not None:
        at = mapped(matches, pair.views.point)
        return _TOO_FEW if at is None else {key: -dist(at, point) for key, point in pair.views.candidates.items()}
    height, width = pair.first.shape[:2]
    sideways = moved_sideways(matches, (width, height))
    return _TOO_FEW if sideways is None else {key: side * sideways for key, side in pair.sides.items()}


def mapped(matches: Matches, point: Point) -> Point | None:
    """Return the position in the second picture of a point of the first, by the homography that most matches agree on.

    Returns None if fewer than `_LEAST_MATCHES` matches agree, or if the homography maps the point to infinity.
    """
    import cv2
    import numpy as np

    if len(matches.first) < _LEAST_MATCHES:
        return None
    homography, inliers = cv2.findHomography(
        matches.first, matches.second, cv2.USAC_MAGSAC, _TOLERANCE_PX, maxIters=10_000, confidence=0.9999
    )
    if homography is None or inliers.sum() < _LEAST_MATCHES:
        return None
    x, y, weight = (np.asarray(homography) @ (*point, 1.0)).tolist()
    return None if abs(weight) < 1e-9 else (x / weight, y / weight)


def moved_sideways(matches: Matches, size_wh: tuple[int, int]) -> float | None:
    """Return how far to the right the second camera is, seen from the first, as a proportion of the motion, -1 to 1.

    It is computed from the essential matrix of the matches (D. Nistér, "An efficient solution to the five-point
    relative pose problem", TPAMI 2004) under an assumed focal length.

    Args:
        matches: Matched points.
        size_wh: Width and height of both pictures.
    """
    import cv2
    import numpy as np

    if len(matches.first) < _LEAST_MATCHES:
        return None
    focal = _FOCAL_LENGTH * max(size_wh)
    camera = np.array([[focal, 0, size_wh[0] / 2], [0, focal, size_wh[1] / 2], [0, 0, 1]])
    essential, inliers = cv2.findEssentialMat(
        matches.first, matches.second, camera, method=cv2.RANSAC, prob=0.9999, threshold=1.5, maxIters=5_000
    )
    if essential is None or essential.shape != (3, 3) or inliers.sum() < _LEAST_MATCHES:
        return None
    _, rotation, translation, _ = cv2.recoverPose(essential, matches.first, matches.second, camera, mask=inliers)
    centre = -rotation.T @ translation.ravel()
    return float(centre[0] / max(float(np.linalg.norm(centre)), 1e-12))


def _side_named(words: str) -> int:
    named = {word.lower() for word in re.findall(r"\b(left|right)\b", words, re.IGNORECASE)}
    return {frozenset({"left"}): -1, frozenset({"right"}): 1}.get(frozenset(named), 0)
