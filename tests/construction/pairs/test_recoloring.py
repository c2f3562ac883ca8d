"""Recolored parts: the hue changes, while light, other hues and everything outside stay the same."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.data import coffee

from benchwright.construction.manipulation.editors.recoloring import neighbors_inside, recolored
from benchwright.facts import Color

Changed = tuple[NDArray[np.uint8], NDArray[np.float32]]
CUP = np.ascontiguousarray(coffee()[40:380, 160:440])
ROWS, COLUMNS = np.mgrid[:120, :160]
DISC = np.asarray(np.hypot(ROWS - 60, COLUMNS - 80) < 40, np.bool_)
SHADE = np.asarray(0.5 + 0.5 * COLUMNS / 160, np.float64)
HUES = {"red": 0, "orange": 15, "yellow": 28, "green": 62, "blue": 108, "purple": 135, "pink": 165}
"""Rough hues of the names in OpenCV's HSV, 0-179."""


def scene(hsv: tuple[int, int, int] = (0, 200, 220)) -> NDArray[np.uint8]:
    """Return a disc of one hue, darker to the left, before gray."""
    own = cv2.cvtColor(np.array([[hsv]], np.uint8), cv2.COLOR_HSV2RGB)[0, 0]
    picture = np.where(DISC[..., None], own, 128) * SHADE[..., None]
    return np.asarray(np.rint(picture), np.uint8)


def changed(natural: NDArray[np.uint8], mask: NDArray[np.bool_], color: Color, band: float) -> Changed:
    done = recolored(natural, mask, color, band=band)
    assert not isinstance(done, str)
    return done


def hue_of(pixels: NDArray[np.uint8]) -> float:
    return float(np.median(cv2.cvtColor(pixels.reshape(1, -1, 3), cv2.COLOR_RGB2HSV)[..., 0]))


@pytest.mark.parametrize(
    ("own", "color"),
    [(62, "red"), (62, "orange"), (0, "yellow"), (0, "green"), (0, "blue"), (0, "purple"), (62, "pink")],
)
def test_a_part_gets_the_hue_of_the_name_and_keeps_its_shade(own: int, color: Color) -> None:
    natural = scene((own, 200, 220))
    after, alpha = changed(natural, DISC, color, 1.5)
    inner = np.hypot(ROWS - 60, COLUMNS - 80) < 34
    away = abs(hue_of(after[inner]) - HUES[color])
    assert min(away, 180 - away) < 14
    light, dark = after[58:62, 105:110].mean(), after[58:62, 50:55].mean()
    assert 0.5 < dark / light < 0.85
    assert np.array_equal(after[alpha == 0], natural[alpha == 0])
    assert not alpha[np.hypot(ROWS - 60, COLUMNS - 80) > 48].any()


def test_what_has_another_hue_keeps_it_within_the_outline() -> None:
    natural = scene()
    natural[40:80, 70:90] = (60, 150, 60)
    after, _ = changed(natural, DISC, "blue", 1.5)
    assert np.abs(after[45:75, 75:85].astype(int) - natural[45:75, 75:85]).max() <= 2


def test_a_rim_cut_off_by_a_tight_outline_changes_with_the_part() -> None:
    tight = np.asarray(np.hypot(ROWS - 60, COLUMNS - 80) < 37, np.bool_)
    after, _ = changed(scene(), tight, "blue", 2.0)
    rim = DISC & (np.hypot(ROWS - 60, COLUMNS - 80) > 37.5)
    assert (after[rim][:, 2].astype(int) > after[rim][:, 0]).mean() > 0.95


def with_an_arm() -> NDArray[np.uint8]:
    """Return the disc with a strip of skin beside it, whose color is between the disc's and that of the wall."""
    natural = scene((0, 230, 190))
    natural[30:90, 121:131] = (178, 118, 108)
    return natural


def test_skin_beside_a_part_keeps_its_color() -> None:
    natural = with_an_arm()
    after, _ = changed(natural, DISC, "blue", 4.0)
    arm = np.abs(after[30:90, 124:131].astype(int) - natural[30:90, 124:131])
    assert arm.max() <= 6
    assert np.median(after[40:80, 60:100, 2]) > np.median(natural[40:80, 60:100, 2]) + 40


def test_a_strip_of_skin_within_the_outline_is_reported() -> None:
    too_wide = DISC | ((ROWS >= 35) & (ROWS < 85) & (COLUMNS >= 115) & (COLUMNS < 126))
    assert neighbors_inside(with_an_arm(), DISC, band=2.5) < 0.005
    assert neighbors_inside(with_an_arm(), too_wide, band=2.5) > 0.015


def test_no_rim_of_the_old_color_stays_on_a_photograph() -> None:
    lab = cv2.cvtColor(CUP, cv2.COLOR_RGB2LAB).astype(int)
    saucer = np.asarray(lab[..., 1] > 155, np.bool_)  # the red saucer
    after, _ = changed(CUP, saucer, "blue", 1.7)
    red = (cv2.cvtColor(after, cv2.COLOR_RGB2LAB).astype(int)[..., 1] > 155).sum()
    assert red < 0.03 * saucer.sum()


@pytest.mark.parametrize(
    ("natural", "color", "reason"),
    [(scene(), "red", "same_color"), (scene((0, 8, 220)), "blue", "no_color")],
    ids=["red to red", "gray"],
)
def test_a_part_of_that_color_or_of_none_is_refused(natural: NDArray[np.uint8], color: Color, reason: str) -> None:
    assert recolored(natural, DISC, color, band=1.5) == reason


def test_a_fold_whose_hue_strays_takes_the_new_color_too() -> None:
    natural = scene()
    natural[40:80, 60:64] = (120, 70, 15)
    after, _ = changed(natural, DISC, "blue", 1.5)
    fold = after[45:75, 61:63].astype(int)
    assert (fold[..., 2] > fold[..., 0]).all(), "no scrap of the old color stays"
