"""Boxes: agreement worked by hand, and noise that stays within its limits."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts import MOST_DEVIATIONS, BoxNoise, iou, noised_box


def test_the_agreement_of_boxes_that_share_a_corner() -> None:
    # 20 x 10 and 20 x 30 share 10 x 5 = 50 of 200 + 600 - 50 = 750.
    assert iou((0, 0, 20, 10), (10, 5, 30, 35)) == pytest.approx(50 / 750)


def test_boxes_that_only_touch_share_nothing() -> None:
    assert iou((0, 0, 20, 10), (20, 0, 25, 10)) == 0


@pytest.mark.parametrize("seed", range(40))
def test_a_noised_box_lies_in_the_picture_and_within_its_limits(seed: int) -> None:
    box, noise = (12.0, 30.0, 90.0, 55.0), BoxNoise(0.2, 0.3, 0.65)
    noised = noised_box(box, (100, 61), noise, np.random.default_rng(seed))
    assert noised is not None
    x0, y0, x1, y1 = noised
    assert 0 <= x0 < x1 <= 100
    assert 0 <= y0 < y1 <= 61
    assert 0.3 <= iou(box, noised) <= 0.65
    moved = np.abs(np.subtract(noised, box)) / (78, 25, 78, 25)
    assert moved.max() <= MOST_DEVIATIONS * 0.2 + 0.001


def test_where_noise_is_too_small_to_tell_boxes_apart_there_is_none() -> None:
    assert noised_box((10, 10, 90, 50), (100, 61), BoxNoise(0.001, 0.3, 0.65), np.random.default_rng(1)) is None
