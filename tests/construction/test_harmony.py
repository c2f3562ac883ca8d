"""Light, focus and shadow of pixels that are pasted into another photograph."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage.data import astronaut, coffee

from benchwright.construction.manipulation.editors.harmony import (
    contact_shadow,
    focused_like,
    in_the_light_of,
    shaded,
)

pytestmark = pytest.mark.slow

ASTRONAUT = np.ascontiguousarray(astronaut())[:300, :300]
COFFEE = np.ascontiguousarray(coffee())[100:400, 100:400]


def lightness(pixels: np.ndarray) -> float:
    return float(cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[..., 0].mean())


def test_light_moves_by_its_share_and_never_by_more_than_its_bound() -> None:
    darker = (COFFEE * 0.8).astype(np.uint8)
    black = np.zeros_like(COFFEE)
    own = COFFEE.reshape(-1, 3)
    gap = lightness(darker) - lightness(COFFEE)
    moved = lightness(in_the_light_of(COFFEE, own, darker.reshape(-1, 3), share=0.5)) - lightness(COFFEE)
    assert moved == pytest.approx(0.5 * gap, abs=1.0)
    night = in_the_light_of(COFFEE, own, black.reshape(-1, 3), share=1)
    assert lightness(night) - lightness(COFFEE) == pytest.approx(-14, abs=1.5)
    assert in_the_light_of(COFFEE, own, black.reshape(-1, 3), share=0) is COFFEE


def test_of_a_few_pixels_no_light_is_taken() -> None:
    assert in_the_light_of(COFFEE, COFFEE.reshape(-1, 3), ASTRONAUT[0, :10], share=1) is COFFEE


def test_a_background_is_blurred_only_where_the_old_one_was_out_of_focus() -> None:
    subject = np.hypot(*np.mgrid[-150:150, -150:150].astype(float)) < 70
    portrait = np.where(subject[..., None], ASTRONAUT, cv2.GaussianBlur(ASTRONAUT, (0, 0), 6)).astype(np.uint8)
    blurred = focused_like(COFFEE, portrait, subject)
    assert cv2.Laplacian(blurred, cv2.CV_32F).var() < 0.3 * cv2.Laplacian(COFFEE, cv2.CV_32F).var()
    assert focused_like(COFFEE, ASTRONAUT, subject) is COFFEE


def test_a_shadow_is_darkest_where_the_subject_stands_and_gone_far_from_it() -> None:
    alpha = np.zeros((200, 200), np.float32)
    alpha[60:140, 80:120] = 1
    shade = contact_shadow(alpha, darkness=0.4)
    assert shade is not None
    assert shade.max() <= 0.4
    assert shade[141, 100] > 0.2 > 0.02 > shade[175, 100]
    assert shade[100, 60] == shade[20, 100] == 0
    assert np.array_equal(shaded(COFFEE, None), COFFEE)
    assert shaded(np.full((200, 200, 3), 200, np.uint8), shade)[141, 100, 0] < 165


def test_a_subject_that_the_frame_cuts_off_below_casts_no_shadow_and_neither_does_none() -> None:
    alpha = np.zeros((200, 200), np.float32)
    assert contact_shadow(alpha, darkness=0.4) is None
    alpha[60:, 80:120] = 1
    assert contact_shadow(alpha, darkness=0.4) is None
    alpha[150:] = 0
    assert contact_shadow(alpha, darkness=0) is None
