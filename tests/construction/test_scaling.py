"""Sizes of scaled pictures: never larger, same aspect ratio, whole pixels."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.pictures.scaling import shrink, size_within


@pytest.mark.parametrize(
    ("size", "side", "expected"),
    [
        pytest.param((400, 300), 1024, (400, 300), id="small-stays"),
        pytest.param((1024, 7), 1024, (1024, 7), id="exactly-fits"),
        pytest.param((4000, 3000), 1000, (1000, 750), id="wide"),
        pytest.param((300, 900), 600, (200, 600), id="tall"),
        pytest.param((5000, 2), 500, (500, 0), id="extremely-long"),
    ],
)
def test_sizes_fit_and_keep_their_aspect(size: tuple[int, int], side: int, expected: tuple[int, int]) -> None:
    assert size_within(*size, max_side_px=side) == expected


def test_shrinking_averages_areas() -> None:
    pixels = np.zeros((4, 6, 3), np.uint8)
    pixels[:2, :2] = [[(8, 0, 0), (8, 4, 0)], [(8, 0, 0), (8, 4, 40)]]
    assert shrink(pixels, (3, 2))[0, 0].tolist() == [8, 2, 10]


def test_pixels_of_the_right_size_are_handed_through() -> None:
    pixels = np.zeros((4, 6, 3), np.uint8)
    assert shrink(pixels, (6, 4)) is pixels
