"""Soft outlines on composites of real photographs whose opacity is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from skimage.data import astronaut, coffee

from benchwright.construction.item_parts.cutting_out import Hints, composite, find_mask, opacity
from benchwright.construction.item_parts.matting import matted, trimmed
from benchwright.filters.pairs.seams import Joint, halo

pytestmark = pytest.mark.slow

ASTRONAUT = np.ascontiguousarray(astronaut())[:300, :300]
COFFEE = np.ascontiguousarray(coffee())[100:400, 100:400]
AWAY = np.hypot(*np.mgrid[-150:150, -150:150].astype(float))
DISC = AWAY < 80
SOFT = np.asarray(np.clip((80 - AWAY) / 3 + 0.5, 0, 1), np.float32)
"""The disc's opacity: its rim is three pixels wide."""
NATURAL = composite(COFFEE, SOFT, ASTRONAUT)


def grown(by_px: int) -> NDArray[np.bool_]:
    return np.asarray(cv2.dilate(DISC.astype(np.uint8), np.ones((2 * by_px + 1,) * 2, np.uint8)), np.bool_)


def test_opacity_is_whole_inside_and_none_outside_and_only_the_rim_changes_color() -> None:
    found = matted(NATURAL, DISC, band=2.5)
    assert np.all(found.alpha[AWAY > 84] == 0)
    assert np.all(found.alpha[AWAY < 64] == 1)
    whole = (found.alpha == 0) | (found.alpha == 1)
    assert np.array_equal(found.pixels[whole], NATURAL[whole])


@pytest.mark.parametrize(("by_px", "at_most"), [(0, 0.9), (4, 0.5)])
def test_on_a_new_background_the_rim_is_nearer_to_the_truth_than_a_softened_outline(by_px: int, at_most: float) -> None:
    blurred = np.asarray(cv2.GaussianBlur(ASTRONAUT, (0, 0), 4), np.uint8)
    natural, wall = composite(COFFEE, SOFT, blurred), np.full_like(NATURAL, (40, 160, 90))
    truth = composite(COFFEE, SOFT, wall).astype(int)
    found = matted(natural, grown(by_px), band=2.5)
    softened = opacity(grown(by_px), feather_px=0.94)
    rim = np.abs(AWAY - 80) < 7
    ours, theirs = (
        float(np.abs(composite(pixels, alpha, wall).astype(int) - truth)[rim].mean())
        for pixels, alpha in ((found.pixels, found.alpha), (natural, softened))
    )
    assert ours < at_most * theirs


def test_an_outline_drawn_too_wide_leaves_no_halo() -> None:
    green = np.full_like(NATURAL, (60, 150, 50))
    natural, wall = composite(COFFEE, SOFT, green), np.full_like(NATURAL, (70, 90, 190))
    found = matted(natural, grown(4), band=2.5)
    hard = composite(natural, grown(4).astype(np.float32), wall)
    soft = composite(found.pixels, found.alpha, wall)
    before, after = (halo(Joint(picture, natural, DISC)) for picture in (hard, soft))
    assert before is not None
    assert after is not None
    assert after < 0.12 < before


def test_where_both_sides_look_alike_nothing_is_trimmed() -> None:
    assert np.array_equal(trimmed(np.full_like(NATURAL, 120), DISC, width=8), DISC)


def test_where_the_frame_cuts_a_subject_off_its_edge_stays_sharp() -> None:
    half = DISC[150:]
    found = matted(NATURAL[150:], half, band=2.5)
    assert np.all(found.alpha[0, 90:210] == 1)


def test_a_narrow_band_softens_nothing() -> None:
    found = matted(NATURAL, DISC, band=0.3)
    assert np.array_equal(found.alpha, DISC.astype(np.float32))
    assert np.array_equal(found.pixels, NATURAL)


def test_a_hole_stays_open_only_where_a_point_outside_lies_in_it() -> None:
    pixels = np.full((160, 160, 3), (30, 120, 40), np.uint8)
    away = np.hypot(*np.mgrid[-80:80, -80:80].astype(float))
    pixels[(away < 60) & (away > 25)] = (220, 60, 50)
    box = (15.0, 15.0, 145.0, 145.0)
    filled = find_mask(pixels, Hints(box, inside=[(80, 30)]), seed=1)
    opened = find_mask(pixels, Hints(box, inside=[(80, 30)], outside=[(80, 80)]), seed=1)
    assert filled[80, 80]
    assert not opened[80, 80]
    assert opened[80, 40]
