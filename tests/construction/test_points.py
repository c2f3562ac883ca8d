"""Interest points: their positions, whether they fit, and the similarity of their surroundings."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.marks.points import contrast, corners, is_inside, similarity


def textured(seed: int, height: int = 90, width: int = 130) -> np.ndarray:
    return np.random.default_rng(seed).integers(60, 160, (height, width), dtype=np.uint8)


def test_a_round_spot_is_found_at_the_centre_of_its_middle_pixel() -> None:
    y, x = np.mgrid[:60, :80]
    gray = np.round(200 * np.exp(-((x - 30) ** 2 + (y - 20) ** 2) / 8)).astype(np.uint8)
    [corner] = corners(gray, most=1, spacing_px=5)
    assert corner.tolist() == [30.5, 20.5]


def test_corners_keep_their_distance_and_number() -> None:
    found = corners(textured(1), most=12, spacing_px=9)
    away = np.hypot(*(found[:, None] - found[None]).transpose(2, 0, 1)) + 1000 * np.eye(len(found))
    assert len(found) == 12
    assert away.min() >= 9


@pytest.mark.parametrize(
    "gray",
    [
        pytest.param(np.full((50, 70), 90, np.uint8), id="flat"),
        pytest.param(np.zeros((1, 1), np.uint8), id="one-pixel"),
    ],
)
def test_where_nothing_is_there_are_no_corners(gray: np.ndarray) -> None:
    assert corners(gray, most=5, spacing_px=5).shape == (0, 2)


def test_a_point_is_inside_if_it_keeps_the_margin_from_every_border() -> None:
    points = np.array([(10.0, 10.0), (9.9, 20), (90, 40), (90.1, 40), (50, 9.9), (50, 40.1)])
    assert is_inside(points, (100, 50), margin_px=10).tolist() == [True, False, True, False, False, False]


def test_contrast_is_the_spread_of_grey_levels_around_a_point() -> None:
    gray = np.zeros((40, 60), np.uint8)
    gray[:, 21:] = 100
    assert contrast(gray, np.array([20.5, 15.5]), radius_px=5) == pytest.approx(49.8, abs=0.1)
    assert contrast(gray, np.array([10.5, 15.5]), radius_px=5) == 0


def test_equal_surroundings_are_fully_alike() -> None:
    gray = textured(2)
    gray[40:61, 80:101] = gray[10:31, 20:41]
    assert similarity(gray, np.array([30.5, 20.5]), np.array([90.5, 50.5]), radius_px=8) > 0.999


def test_equal_surroundings_in_another_light_are_alike_too() -> None:
    gray = textured(3)
    gray[40:61, 80:101] = gray[10:31, 20:41] // 2 + 70
    assert similarity(gray, np.array([30.5, 20.5]), np.array([90.5, 50.5]), radius_px=8) > 0.99


def test_equal_surroundings_that_were_marked_a_little_off_are_found() -> None:
    gray = textured(4)
    gray[40:61, 80:101] = gray[10:31, 20:41]
    assert similarity(gray, np.array([30.5, 20.5]), np.array([93.5, 47.5]), radius_px=7) > 0.999


def test_unrelated_surroundings_are_unlike() -> None:
    gray = textured(5)
    assert similarity(gray, np.array([30.5, 20.5]), np.array([90.5, 60.5]), radius_px=8) < 0.4


def test_flat_surroundings_are_like_nothing() -> None:
    gray = textured(6)
    gray[5:40, 5:60] = 80
    assert similarity(gray, np.array([30.5, 20.5]), np.array([30.5, 22.5]), radius_px=8) == 0
    assert similarity(gray, np.array([90.5, 60.5]), np.array([30.5, 22.5]), radius_px=8) < 0.6
