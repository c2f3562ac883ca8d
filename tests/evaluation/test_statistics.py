"""Intervals agree with another implementation and with hand-computed figures, and stay within [0, 1]."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.statistics import Estimate, wilson
from benchwright.statistics.proportions import exact_interval, mean_of_proportions
from benchwright.statistics.score_interval import Interval

counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.slow
@settings(deadline=None)
@given(counts)
def test_wilson_agrees_with_statsmodels(count: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    estimate = wilson(*count)
    assert estimate.interval == pytest.approx(proportion_confint(*count, alpha=0.05, method="wilson"), abs=1e-12)


def test_wilson_of_eight_in_ten_is_what_it_is_by_hand() -> None:
    # z^2 = 3.84146, d = 13.84146; centre (8 + 1.92073) / d = 0.716740;
    # half 1.959964 / d * sqrt(8 * 2 / 10 + 0.960365) = 0.141601 * 1.600114 = 0.226577.
    value, interval, n, _ = wilson(8, 10)
    assert (value, n) == (0.8, 10)
    assert interval == pytest.approx((0.490163, 0.943317), abs=2e-6)


def test_wilson_of_none_and_of_all_right_reaches_the_end_and_is_not_empty() -> None:
    none, every = wilson(0, 7).interval, wilson(7, 7).interval
    # At 0 of n the upper end is z^2 / (n + z^2) = 3.84146 / 10.84146.
    assert none == (0.0, pytest.approx(0.354331, abs=1e-6))
    assert every == (pytest.approx(1 - 0.354331, abs=1e-6), 1.0)


def test_wilson_takes_a_sum_of_shares_and_lies_between_the_whole_counts_around_it() -> None:
    # 2.5 of 4, z^2 = 3.84146, d = 7.84146: centre (2.5 + 1.92073) / d = 0.563764 and half-width
    # 1.959964 / d * sqrt(2.5 * 1.5 / 4 + 0.960365) = 0.249949 * 1.377630 = 0.344337.
    value, interval, _, _ = wilson(2.5, 4)
    assert value == 0.625
    assert interval == pytest.approx((0.219427, 0.908101), abs=2e-6)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_shares_vary_no_more_than_wilson_reckons_with(shares: list[float]) -> None:
    """The claim behind intervals of shares: around a mean m within [0, 1] no variance is more than m (1 - m)."""
    mean = np.mean(shares)
    assert np.var(shares) <= mean * (1 - mean) + 1e-12


@pytest.mark.slow
@settings(deadline=None)
@given(counts)
def test_the_exact_interval_agrees_with_statsmodels(count: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert exact_interval(*count) == pytest.approx(proportion_confint(*count, alpha=0.05, method="beta"), abs=1e-9)


def test_no_items_have_neither_value_nor_interval() -> None:
    assert wilson(0, 0) == Estimate(None, None, 0)
    assert mean_of_proportions([wilson(0, 0)]) == Estimate(None, None, 0)
    assert mean_of_proportions([]) == Estimate(None, None, 0)


@pytest.mark.parametrize("count", [(-1, 4), (5, 4)])
def test_a_count_that_is_no_proportion_is_refused(count: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="not a proportion"):
        wilson(*count)


def test_the_mean_of_one_proportion_is_that_proportion() -> None:
    alone, mean = mean_of_proportions([wilson(8, 10), wilson(0, 0)]), wilson(8, 10)
    assert (alone.value, alone.n) == (mean.value, mean.n)
    assert alone.interval == pytest.approx(mean.interval)


def test_the_mean_of_two_proportions_is_what_it_is_by_hand() -> None:
    # Distances below 0.3 and 0.4, above 0.1 and 0.2: sqrt(0.09 + 0.16) / 2 = 0.25, sqrt(0.01 + 0.04) / 2 = 0.111803.
    parts = [Estimate(0.8, Interval(0.5, 0.9), 10), Estimate(0.6, Interval(0.2, 0.8), 5)]
    value, interval, n, _ = mean_of_proportions(parts)
    assert (value, n) == (pytest.approx(0.7), 15)
    assert interval == pytest.approx((0.45, 0.811803), abs=1e-6)


@settings(deadline=None)
@given(st.lists(counts, min_size=1, max_size=8))
def test_the_interval_of_a_mean_holds_the_mean_and_never_leaves_zero_to_one(parts: list[tuple[int, int]]) -> None:
    value, interval, n, _ = mean_of_proportions([wilson(*part) for part in parts])
    assert value is not None
    assert interval is not None
    assert 0 <= interval.low <= value + 1e-12
    assert value - 1e-12 <= interval.high <= 1
    assert n == sum(n for _, n in parts)


def test_the_interval_of_a_mean_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    chances, sizes = np.array([0.95, 0.5, 0.7]), np.array([22, 35, 51])
    draws = rng.binomial(sizes, chances, (3000, 3))
    covered = 0
    for draw in draws:
        interval = mean_of_proportions(
            [wilson(int(right), int(n)) for right, n in zip(draw, sizes, strict=True)]
        ).interval
        assert interval is not None
        covered += interval.low <= chances.mean() <= interval.high
    assert 0.94 <= covered / len(draws) <= 0.97
