"""Miniatures hold Pillow's very pixels, whatever the sizes; several of one picture are each as if alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from benchwright.filters.features import miniatures


def pixels(seed: int, width: int, height: int) -> NDArray[np.uint8]:
    """Black and white only: overshoot of the filter is clipped everywhere."""
    return np.random.default_rng(seed).integers(0, 2, (height, width), dtype=np.uint8) * np.uint8(255)


def by_pillow(grey: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(grey).resize(size, Image.Resampling.LANCZOS))


@pytest.mark.parametrize(
    ("width", "height"),
    [(1, 1), (1, 700), (700, 1), (31, 33), (32, 32), (64, 9), (333, 1000), (1600, 1200), (40_000, 2), (2, 40_000)],
)
def test_each_miniature_is_the_one_of_pillow(width: int, height: int) -> None:
    grey = pixels(7, width, height)
    for size, made in zip([(32, 32), (9, 8), (5, 40)], miniatures(grey, [(32, 32), (9, 8), (5, 40)]), strict=True):
        np.testing.assert_array_equal(made, by_pillow(grey, size))


@pytest.mark.parametrize("height", [168, 169])
def test_pillows_limit_of_tall_pictures_is_ours(height: int) -> None:
    grey = pixels(5, 100, height)
    (made,) = miniatures(grey, [(32, 32)])
    np.testing.assert_array_equal(made, by_pillow(grey, (32, 32)))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 9999), st.integers(1, 600), st.integers(1, 600), st.integers(1, 70), st.integers(1, 70))
def test_any_size_comes_out_as_from_pillow(seed: int, width: int, height: int, columns: int, rows: int) -> None:
    grey = pixels(seed, width, height)
    (made,) = miniatures(grey, [(columns, rows)])
    np.testing.assert_array_equal(made, by_pillow(grey, (columns, rows)))


def test_a_view_of_a_picture_is_read_as_it_stands() -> None:
    grey = pixels(3, 400, 300)[::-2, 10:390:3]
    (made,) = miniatures(grey, [(32, 32)])
    np.testing.assert_array_equal(made, by_pillow(np.ascontiguousarray(grey), (32, 32)))
