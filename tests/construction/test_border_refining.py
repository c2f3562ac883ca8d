"""A large picture is cut at reduced size and its border is refined: the mask fits the subject to a pixel or two at full
size.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchwright.construction.item_parts.border_refining import REDUCED_SIDE_PX, reduced_picture
from benchwright.construction.item_parts.cutting_out import Hints, find_mask

ROWS, COLUMNS = np.mgrid[:600, :900]
BALL = (ROWS - 300) ** 2 + (COLUMNS - 450) ** 2 < 180**2
SPIKE = BALL | ((abs(ROWS - 300) < 3) & (COLUMNS > 450) & (COLUMNS < 700))
"""A ball with a bar of 5 pixels, which is 2 pixels wide in the reduced picture."""
BOX = (255.0, 105.0, 715.0, 495.0)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """An orange shape on a meadow of noise, (600, 900, 3)."""
    grass = np.random.default_rng(1).normal(110, 6, (600, 900, 3))
    return np.clip(np.where(SPIKE[..., None], (220.0, 120.0, 30.0), grass), 0, 255).astype(np.uint8)


def test_the_mask_of_a_large_picture_is_exact_at_full_size(picture: np.ndarray) -> None:
    assert max(picture.shape) > REDUCED_SIDE_PX
    mask = find_mask(picture, Hints(BOX, inside=[(450, 300)]), seed=1)
    assert mask.shape == SPIKE.shape
    assert (mask ^ SPIKE).sum() < 0.002 * SPIKE.sum()
    assert np.array_equal(mask, find_mask(picture, Hints(BOX, inside=[(450, 300)]), seed=1))


def test_a_stated_point_outside_stays_outside_at_full_size(picture: np.ndarray) -> None:
    held = Hints(BOX, inside=[(450, 300)], outside=[(690, 300)])
    mask = find_mask(picture, held, seed=1)
    assert not mask[300, 690]
    assert mask[300, 450]


def test_a_picture_that_is_small_already_is_not_reduced(picture: np.ndarray) -> None:
    assert reduced_picture(picture[:200, :300], REDUCED_SIDE_PX).shape == (200, 300, 3)
    assert max(reduced_picture(picture, REDUCED_SIDE_PX).shape) == REDUCED_SIDE_PX
