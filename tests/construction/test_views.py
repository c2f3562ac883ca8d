"""Second views: drawn through the homography, within the photograph, with different lighting."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.construction.item_parts.pictures.views import (
    LightChange,
    LightLimits,
    ViewLimits,
    map_points,
    random_homography,
    random_light,
    relight,
    second_view,
    warp,
)

SIZE = (320, 230)
LIMITS = ViewLimits(max_rotation_deg=40, max_perspective=0.15, min_zoom=1.0, max_zoom=1.8)
SEEDS = st.integers(0, 2**32)


def smooth(width: int, height: int, *, scale: float = 1) -> np.ndarray:
    """Waves of at most 4 gray levels a pixel, so that half a pixel shows; the same at every scale."""
    y, x = (np.mgrid[:height, :width] + 0.5) / scale
    waves = [np.sin(x / 25 + y / 60), np.cos(y / 27 - x / 80), np.sin((x + y) / 40)]
    return np.round(128 + 100 * np.stack(waves, axis=2)).astype(np.uint8)


def sampled(pixels: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Bilinear values at continuous coordinates."""
    x, y = (points[:, axis].astype(np.float32)[None] - np.float32(0.5) for axis in (0, 1))
    return cv2.remap(pixels.astype(np.float32), x, y, cv2.INTER_LINEAR)[0]


def grid(homography: np.ndarray) -> np.ndarray:
    """Points of view 1 whose images lie well inside view 2."""
    points = np.array([(x, y) for x in np.linspace(4, 316, 23) for y in np.linspace(4, 226, 17)])
    mapped = map_points(homography, points)
    return points[((mapped > 4) & (mapped < np.array(SIZE) - 4)).all(axis=1)]


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_view_shows_at_each_mapped_point_what_the_photograph_shows_there(seed: int) -> None:
    homography = random_homography(SIZE, LIMITS, np.random.default_rng(seed))
    photo = smooth(*SIZE)
    points = grid(homography)
    assert len(points) > 20
    shown = sampled(second_view(photo, homography, SIZE), map_points(homography, points))
    assert np.abs(shown - sampled(photo, points)).max() < 1.6


@pytest.mark.slow
@settings(max_examples=10)
@given(seed=SEEDS)
def test_a_view_of_a_larger_photograph_shows_the_same_points(seed: int) -> None:
    homography = random_homography(SIZE, LIMITS, np.random.default_rng(seed))
    large = smooth(3 * SIZE[0], 3 * SIZE[1], scale=3)
    points = grid(homography)
    shown = sampled(second_view(large, homography, SIZE), map_points(homography, points))
    assert np.abs(shown - sampled(smooth(*SIZE), points)).max() < 1.6


@given(seed=SEEDS)
def test_the_view_lies_within_the_photograph(seed: int) -> None:
    homography = random_homography(SIZE, LIMITS, np.random.default_rng(seed))
    corners = np.array([(0, 0), (SIZE[0], 0), SIZE, (0, SIZE[1])], np.float64)
    window = map_points(np.linalg.inv(homography), corners)
    assert (window > -0.01).all()
    assert (window < np.array(SIZE) + 0.01).all()


def test_nothing_of_a_view_is_filled_in_from_outside() -> None:
    white = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)
    for seed in range(20):
        homography = random_homography(SIZE, LIMITS, np.random.default_rng(seed))
        assert second_view(white, homography, SIZE).min() == 255


def test_limits_of_nothing_give_the_photograph_itself() -> None:
    homography = random_homography(SIZE, ViewLimits(0, 0, 1, 1), np.random.default_rng(1))
    assert np.allclose(homography, np.eye(3))
    assert np.array_equal(second_view(smooth(*SIZE), homography, SIZE), smooth(*SIZE))


def test_a_homography_is_recorded_with_the_digits_it_is_drawn_with() -> None:
    homography = random_homography(SIZE, LIMITS, np.random.default_rng(4))
    assert all(float(f"{entry:.10g}") == entry for entry in homography.ravel())
    assert homography[2, 2] == 1


def test_moving_by_whole_pixels_moves_whole_pixels() -> None:
    photo = smooth(*SIZE)
    moved = warp(photo, np.array([(1.0, 0, -7), (0, 1, -3), (0, 0, 1)]), (300, 200))
    assert np.array_equal(moved, photo[3:203, 7:307])


def test_doubling_in_size_puts_each_pixel_over_four() -> None:
    photo = smooth(12, 9)
    doubled = warp(photo, np.diag([2.0, 2.0, 1.0]), (24, 18))
    expected = cv2.resize(photo, (24, 18), interpolation=cv2.INTER_LINEAR)
    assert np.abs(doubled.astype(int) - expected).max() <= 1


@given(seed=SEEDS)
def test_light_stays_within_its_limits(seed: int) -> None:
    limits = LightLimits(max_gamma=1.5, max_contrast=1.2, max_brightness=0.1, max_blur_px=0.8, max_noise=3)
    light = random_light(limits, np.random.default_rng(seed))
    assert 1 / 1.501 <= light.gamma <= 1.5
    assert 1 / 1.201 <= light.contrast <= 1.2
    assert abs(light.brightness) <= 0.1
    assert 0 <= light.blur_px <= 0.8
    assert 0 <= light.noise <= 3


def test_no_change_of_light_leaves_the_pixels() -> None:
    photo = smooth(40, 30)
    assert np.array_equal(relight(photo, LightChange(1, 1, 0, 0, 0), np.random.default_rng(0)), photo)


@pytest.mark.parametrize(
    ("light", "expected"),
    [
        pytest.param(LightChange(2, 1, 0, 0, 0), [0, 64, 255], id="gamma-darkens-the-middle"),
        pytest.param(LightChange(1, 0.5, 0, 0, 0), [64, 128, 191], id="contrast-moves-towards-the-middle"),
        pytest.param(LightChange(1, 1, 0.2, 0, 0), [51, 179, 255], id="brightness-is-cut-off-at-white"),
    ],
)
def test_light_changes_grey_levels_as_stated(light: LightChange, expected: list[int]) -> None:
    levels = np.repeat(np.array([[0, 128, 255]], np.uint8)[..., None], 3, axis=2)
    assert relight(levels, light, np.random.default_rng(0))[0, :, 1].tolist() == expected


def test_noise_has_the_stated_strength() -> None:
    flat = np.full((90, 110, 3), 128, np.uint8)
    noisy = relight(flat, LightChange(1, 1, 0, 0, 3), np.random.default_rng(1)).astype(float)
    assert noisy.std() == pytest.approx(3, rel=0.05)
    assert noisy.mean() == pytest.approx(128, abs=0.1)


def test_blur_smooths() -> None:
    edge = np.zeros((20, 31, 3), np.uint8)
    edge[:, 15:] = 200
    blurred = relight(edge, LightChange(1, 1, 0, 0.8, 0), np.random.default_rng(1)).astype(int)
    assert 0 < blurred[10, 14, 0] < blurred[10, 15, 0] < 200
