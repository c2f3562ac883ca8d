"""Flat surfaces that show another picture: in perspective, under their light, behind what is in front of them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from benchwright.construction.manipulation.editors.blending import Blending
from benchwright.construction.manipulation.editors.surfaces import corners_of, surface_filled

CORNERS = np.array([[60, 30], [220, 60], [200, 170], [40, 150]], np.float32)
PLAIN = Blending(light=0)
ROOM = np.full((200, 260, 3), (90, 100, 110), np.uint8)
QUARTERS = np.zeros((240, 320, 3), np.uint8)
QUARTERS[:120, :160], QUARTERS[:120, 160:] = (200, 30, 30), (30, 200, 30)
QUARTERS[120:, :160], QUARTERS[120:, 160:] = (30, 30, 200), (200, 200, 30)


def drawn(corners: NDArray[np.float32]) -> NDArray[np.bool_]:
    mask = np.zeros(ROOM.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(corners).astype(np.int32), 1)
    return np.asarray(mask, np.bool_)


def test_the_corners_of_a_surface_are_found_from_the_top_left_clockwise() -> None:
    found = corners_of(drawn(CORNERS))
    assert found is not None
    assert np.abs(found - CORNERS).max() < 2.5


def test_fingers_in_front_of_a_surface_hide_no_corner() -> None:
    mask = drawn(CORNERS)
    mask[140:, 150:175] = False
    found = corners_of(mask)
    assert found is not None
    assert np.abs(found - CORNERS).max() < 2.5


@pytest.mark.parametrize("shape", ["ellipse", "triangle"])
def test_another_shape_has_no_corners(shape: str) -> None:
    mask = np.zeros((200, 260), np.uint8)
    if shape == "ellipse":
        cv2.ellipse(mask, (130, 100), (90, 60), 0, 0, 360, 1, -1)
    else:
        cv2.fillConvexPoly(mask, np.array([[130, 20], [230, 180], [30, 180]], np.int32), 1)
    assert corners_of(mask > 0) is None


def test_each_quarter_of_the_picture_shows_at_its_corner_and_nothing_outside_changes() -> None:
    mask = drawn(CORNERS)
    done = surface_filled(ROOM, mask, QUARTERS, PLAIN, max_enlargement=2)
    assert not isinstance(done, str)
    middle = CORNERS.mean(axis=0)
    for corner, color in zip(CORNERS, QUARTERS[[30, 30, 200, 200], [30, 290, 290, 30]], strict=True):
        x, y = np.rint(0.75 * corner + 0.25 * middle).astype(int)
        assert np.abs(done.pixels[y, x].astype(int) - color).max() <= 3
    assert np.array_equal(done.pixels[done.alpha == 0], ROOM[done.alpha == 0])
    far = cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5) > 6
    assert not done.alpha[far].any()
    assert done.facts["corners"] == [
        [float(value) for value in corner] for corner in np.round(done.facts["corners"], 1)
    ]


def test_a_surface_keeps_its_light_and_shade_but_a_screen_that_is_off_has_none() -> None:
    mask = drawn(CORNERS)
    shaded = np.array(ROOM)
    shaded[:, 130:] = shaded[:, 130:] // 2
    off = np.array(ROOM)
    off[mask] = 2
    off[:, 130:][mask[:, 130:]] = 6
    white = np.full((240, 320, 3), 150, np.uint8)
    halves = []
    for picture in (shaded, off):
        done = surface_filled(picture, mask, white, Blending(light=0.5), max_enlargement=2)
        assert not isinstance(done, str)
        halves.append(done.pixels[100, 80].mean() / done.pixels[100, 180].mean())
    assert halves[0] > 1.15
    assert halves[1] == pytest.approx(1, abs=0.02)


def test_a_picture_too_small_for_the_surface_is_refused() -> None:
    assert surface_filled(ROOM, drawn(CORNERS), QUARTERS[:40, :50], PLAIN, max_enlargement=2) == "donor_small"
