"""Local features: corners and descriptors as OpenCV gives them, and matches as its own matcher finds them."""

from __future__ import annotations

import cv2
import numpy as np
from picture_copies import COPIES, photograph

from benchwright.diagnostics.features.local_features import Features, describe, detector, mutually_nearest, shrunk

MOST_BITS = 64


def corners(name: str, *, most: int = 600) -> Features:
    return describe(shrunk(photograph(name).convert("L"), side_px=448), detector(1500), most=most)


def test_corners_are_those_of_opencv() -> None:
    grey = shrunk(photograph("coffee").convert("L"), side_px=448)
    found = describe(grey, detector(1500), most=600)
    keypoints, descriptors = detector(1500).detectAndCompute(grey, None)
    theirs = {
        (*keypoint.pt, keypoint.angle, keypoint.octave, descriptor.tobytes())
        for keypoint, descriptor in zip(keypoints, descriptors, strict=True)
    }
    ours = {
        (*point, angle, octave, descriptor.tobytes())
        for point, angle, octave, descriptor in zip(
            found.points.tolist(), found.angles_deg.tolist(), found.octaves.tolist(), found.descriptors, strict=True
        )
    }
    assert len(ours) == 600
    assert ours <= theirs


def test_nearest_descriptors_are_those_of_opencvs_matcher() -> None:
    one = corners("astronaut", most=571)
    copy = shrunk(COPIES["cropped"](photograph("astronaut")).convert("L"), side_px=448)
    other = describe(copy, detector(1500), most=450)
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(one.descriptors, other.descriptors)
    expected = {(match.queryIdx, match.trainIdx) for match in matches if match.distance <= MOST_BITS}
    here, there = mutually_nearest(
        one.descriptors.view(np.uint64), other.descriptors.view(np.uint64), most_bits=MOST_BITS
    )
    assert len(expected) > 100
    assert set(zip(here.tolist(), there.tolist(), strict=True)) == expected
