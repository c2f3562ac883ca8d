"""Boxes as models write them: every convention leads to the same pixels, and anything but a box in the picture is
refused.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.regions import BoxConvention, MisplacedBox

SIZE, SENT = (641, 359), (320, 179)


@given(
    unit=st.sampled_from(["unit", "thousand", "pixels"]),
    order=st.sampled_from(["xyxy", "yxyx"]),
    box=st.tuples(st.floats(0, 0.4), st.floats(0, 0.4), st.floats(0.5, 1), st.floats(0.5, 1)),
)
def test_a_box_survives_the_way_to_the_model_and_back(unit: Any, order: Any, box: Any) -> None:
    pixels = (box[0] * SIZE[0], box[1] * SIZE[1], box[2] * SIZE[0], box[3] * SIZE[1])
    convention = BoxConvention(unit, order, SENT)
    coarse = max(SIZE[k] / scale for k, scale in enumerate(convention.scale)) if unit != "unit" else SIZE[0] / 1000
    back = convention.to_pixels(convention.of_pixels(pixels, SIZE), SIZE)
    assert back == pytest.approx(pixels, abs=coarse)


@given(
    numbers=st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), max_size=6),
    unit=st.sampled_from(["unit", "thousand", "pixels"]),
)
def test_any_numbers_are_a_box_within_the_picture_or_refused(numbers: list[float], unit: Any) -> None:
    try:
        x0, y0, x1, y1 = BoxConvention(unit, "xyxy", SENT).to_pixels(numbers, SIZE)
    except MisplacedBox as error:
        assert error.reason in {"box_malformed", "box_outside", "box_empty"}  # noqa: PT017 - either is right
    else:
        assert 0 <= x0 < x1 <= SIZE[0]
        assert 0 <= y0 < y1 <= SIZE[1]


def test_a_box_that_sticks_out_a_little_is_clipped() -> None:
    assert BoxConvention("unit", "xyxy", SENT).to_pixels([-0.01, 0, 1.015, 0.5], SIZE) == (0, 0, 641, 179.5)


def test_the_model_is_told_how_to_write() -> None:
    assert BoxConvention("pixels", "yxyx", SENT).in_words() == (
        "A box is [y0, x0, y1, x1], from its top left to its bottom right corner, in pixels of the picture, which is "
        "320 wide and 179 high."
    )
