"""Agreement over sets of categories: MASI's distances and alpha by hand, undefined if no sets differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.annotation.agreement.coefficients import SetRating, agreement_of, alpha_by_category, masi_alpha
from benchwright.annotation.agreement.label_sets import masi
from benchwright.annotation.agreement.ratings import Rating

SETS = st.frozensets(st.sampled_from("abcd"), min_size=1)


@given(SETS, SETS)
def test_the_distance_is_the_same_both_ways_and_between_0_and_1(one: frozenset[str], other: frozenset[str]) -> None:
    assert masi(one, other) == masi(other, one)
    assert 0 <= masi(one, other) <= 1
    assert (masi(one, other) == 0) == (one == other)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=12))
def test_with_one_category_each_it_is_the_nominal_alpha(pairs: list[tuple[str, str]]) -> None:
    rows = [
        (str(unit), rater, label) for unit, pair in enumerate(pairs) for rater, label in zip("xy", pair, strict=True)
    ]
    sets = [SetRating(unit, rater, frozenset(label)) for unit, rater, label in rows]
    nominal = agreement_of([Rating(*row) for row in rows], resamples=0).krippendorff_alpha
    assert masi_alpha(sets) == (None if nominal is None else pytest.approx(nominal))


def test_what_is_undefined_is_none() -> None:
    assert masi_alpha([]) is None
    assert masi_alpha([SetRating("1", "x", frozenset("a")), SetRating("2", "x", frozenset("b"))]) is None
    assert masi_alpha([SetRating("1", name, frozenset("a")) for name in "xy"]) is None


def test_each_category_has_its_own_alpha() -> None:
    ratings = [
        SetRating(unit, rater, frozenset(named))
        for unit, (first, second) in {"1": ("a", "a"), "2": ("ab", "b"), "3": ("b", "ab")}.items()
        for rater, named in (("x", first), ("y", second))
    ]
    found = alpha_by_category(ratings, ["a", "b", "c"])
    # b: both raters name it in units 2 and 3 and neither in 1: perfect. c: never named, so undefined.
    assert (found["b"], found["c"]) == (1.0, None)
    # a: pairs 11, 10, 01; observed 2 x 2 = 4 of 6 values; 4 ones, 2 zeros: expected 2 x 4 x 2 = 16: 1 - 5 x 4 / 16.
    assert found["a"] == pytest.approx(1 - 5 * 4 / 16)
