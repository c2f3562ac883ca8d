"""How much of an outline follows an edge of its picture: all of a whole one, less where it cuts through or takes in."""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.outline_quality import edges_followed
from benchwright.construction.manipulation.manipulation_settings import Masking

ROWS, COLUMNS = np.mgrid[:300, :400]
BALL = (ROWS - 150) ** 2 + (COLUMNS - 200) ** 2 < 90**2


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A shaded ball on a meadow of noise, (300, 400, 3)."""
    grass = np.random.default_rng(1).normal(110, 6, (300, 400, 3))
    shade = (COLUMNS / 400)[..., None] * np.array([90.0, 50.0, 10.0]) + np.array([150.0, 90.0, 20.0])
    return np.clip(np.where(BALL[..., None], shade, grass), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("scale", [1, 4])
def test_a_whole_outline_follows_edges_in_any_size(picture: np.ndarray, scale: int) -> None:
    large, mask = (np.repeat(np.repeat(each, scale, 0), scale, 1) for each in (picture, BALL))
    assert edges_followed(large, mask) > Masking().min_edges


@pytest.mark.parametrize(
    "torn",
    [BALL & (COLUMNS > 170), BALL | ((ROWS > 150) & (abs(COLUMNS - 200) < 60) & (ROWS < 290)), BALL & (ROWS > 110)],
    ids=["a-third-bitten-off", "with-a-patch-of-grass", "without-its-top"],
)
def test_a_torn_outline_does_not(picture: np.ndarray, torn: np.ndarray) -> None:
    assert edges_followed(picture, torn) < Masking().min_edges


def test_what_lies_on_the_frame_alone_is_not_judged(picture: np.ndarray) -> None:
    assert edges_followed(picture, np.ones((300, 400), bool)) == 1.0
