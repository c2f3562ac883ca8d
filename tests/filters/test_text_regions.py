"""Windows over long pictures: nothing is missed, and nothing is counted twice."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.diagnostics.picture_text.regions import windows


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1, 1), (2000, 800), (900, 20), (1000, 2500)])
def test_ordinary_and_small_pictures_are_looked_at_whole(width: int, height: int) -> None:
    [window] = windows(width=width, height=height, side_px=960)
    assert window[:4] == (0, 0, width, height)


def test_a_long_strip_is_cut_along_its_length() -> None:
    cut = windows(width=800, height=9000, side_px=960)
    assert len(cut) > 8
    assert all((one.left, one.right) == (0, 800) for one in cut)
    assert [one._replace(left=one.top, top=one.left, right=one.bottom, bottom=one.right) for one in cut] == windows(
        width=9000, height=800, side_px=960
    )


@given(st.integers(1, 100_000), st.integers(1, 100_000), st.integers(64, 2000))
def test_every_place_is_owned_by_one_window_that_sees_it(width: int, height: int, side_px: int) -> None:
    cut = windows(width=width, height=height, side_px=side_px)
    long = max(width, height)
    spans = [(one.left, one.right) if width > height else (one.top, one.bottom) for one in cut]
    assert 1 <= len(cut) <= 48
    assert (spans[0][0], spans[-1][1]) == (0, long)
    assert (cut[0].owns_from, cut[-1].owns_to) == (0, float("inf"))
    for before, after in pairwise(cut):
        assert before.owns_to == after.owns_from
    for one, (start, end) in zip(cut, spans, strict=True):
        assert start <= one.owns_from < min(one.owns_to, end)
        assert min(one.owns_to, long) <= end
