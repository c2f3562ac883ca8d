"""Intervals over clusters cover the truth, and the resampled ones agree with SciPy.

- Correlated items widen an interval; independent items yield Wilson's.
- Equal data yield equal limits, whatever the order of rows or the numbering of clusters.
- Few clusters, clusters of very uneven size and very few wrong answers are covered as well.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from benchwright.statistics import Estimate, kinds_of, resampled_sums, resampling, share_right, wilson
from benchwright.statistics.clustered import design_effect, items_worth, mean_share_right
from benchwright.statistics.score_interval import Interval

pytestmark = pytest.mark.slow


def clusters(count: int, *, seed: int, mean: float = 0.7, most: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return right and group of clusters whose items are alike, of sizes from 1 to `most`."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, count)
    chance = rng.beta(mean, 1 - mean, count)
    group = np.repeat(np.arange(count), sizes)
    return rng.random(len(group)) < chance[group], group


def width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def test_single_items_have_wilsons_interval() -> None:
    right = np.arange(30) % 3 > 0
    assert share_right(right, np.arange(30) + 5) == wilson(20, 30)


def test_drawing_kinds_is_drawing_clusters() -> None:
    """Mean and variance of the resampled sums are those of draws with replacement: G m and G s^2."""
    right, group = clusters(50, seed=2)
    kinds = kinds_of(group, right)
    sums = np.repeat(kinds.sums, kinds.counts, axis=0)
    assert sorted(map(tuple, sums)) == sorted(
        zip(np.bincount(group), np.bincount(group, weights=right).astype(int), strict=True)
    )
    drawn = resampled_sums(kinds, "x", resamples=40_000)
    assert drawn.mean(axis=0) == pytest.approx(50 * sums.mean(axis=0), rel=0.005)
    assert np.cov(drawn.T).ravel() == pytest.approx(50 * np.cov(sums.T, bias=True).ravel(), rel=0.05)


@given(st.integers(1, 12), st.integers(0, 2**31))
def test_kinds_are_the_different_rows_in_order(columns: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 30, 80)
    scales = 10 ** rng.integers(0, 9, columns)
    added = [rng.integers(-2, 3, 80) * scale for scale in scales]
    sums = np.column_stack([np.bincount(group), *(np.bincount(group, weights=values).astype(int) for values in added)])
    rows, counts = np.unique(sums[sums[:, 0] > 0], axis=0, return_counts=True)
    kinds = kinds_of(group, *added)
    assert np.array_equal(kinds.sums, rows)
    assert np.array_equal(kinds.counts, counts)


def test_items_that_are_right_or_wrong_together_count_as_one_draw() -> None:
    """A thousand items in clusters of ten say as much as a hundred items."""
    alike = np.repeat(np.arange(100) % 4 > 0, 10)
    estimate = share_right(alike, np.repeat(np.arange(100), 10))
    assert estimate.n == 1000
    assert width(estimate.interval) == pytest.approx(width(wilson(75, 100).interval), rel=0.05)
    assert width(estimate.interval) > 2.5 * width(wilson(750, 1000).interval)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    covered = 0
    for seed in range(400):
        interval = share_right(*clusters(60, seed=seed)).interval
        assert interval is not None
        covered += interval.low <= 0.7 <= interval.high
    assert 0.91 <= covered / 400 <= 0.98


@pytest.mark.parametrize(("count", "mean", "large"), [(6, 0.7, 0), (15, 0.8, 0), (25, 0.93, 0), (20, 0.7, 40)])
def test_where_clusters_say_little_the_interval_is_rather_too_wide(count: int, mean: float, large: int) -> None:
    covered = 0
    for seed in range(400):
        right, group = clusters(count, seed=seed, mean=mean)
        if large:  # one more cluster that holds a third of the items
            rng = np.random.default_rng(seed)
            more = rng.random(large) < rng.beta(2 * mean, 2 * (1 - mean))
            right, group = np.concatenate([right, more]), np.concatenate([group, np.full(large, count)])
        interval = share_right(right, group).interval
        assert interval is not None
        covered += interval.low <= mean <= interval.high
    assert covered / 400 >= 0.92


def test_all_right_has_no_empty_interval() -> None:
    estimate = share_right(np.ones(90, dtype=bool), np.arange(90) // 3)
    # 30 clusters of one size: z^2 / (30 + z^2) = 3.84146 / 33.84146 off the end.
    assert estimate == Estimate(1.0, Interval(pytest.approx(1 - 0.113513, abs=1e-6), 1.0), 90, "wilson_clustered")


@pytest.mark.slow
def test_clusters_of_unequal_size_are_worth_less_than_their_number() -> None:
    # Sizes 4, 1, 1, and too little to know how alike their items are: 36 / 18 = 2 items' worth; Wilson of 1 in 2.
    from statsmodels.stats.proportion import proportion_confint

    estimate = share_right(np.array([1, 1, 0, 0, 1, 0], dtype=bool), np.array([0, 0, 0, 0, 1, 2]))
    assert estimate.interval == pytest.approx(proportion_confint(1, 2, method="wilson"))


def test_few_clusters_are_worth_what_their_design_effect_says_by_hand() -> None:
    # Six clusters of two; right are 2, 2, 1, 1, 0, 0: p = 1/2, squares of (x - p m) are 1 1 0 0 1 1, their sum 4.
    # Effect: 6/5 * 4 / 12 / (1/4) = 1.6. t of 5 degrees of freedom is 2.570582, (1.959964 / 2.570582)^2 = 0.581344.
    right = np.array([1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
    kinds = kinds_of(np.arange(12) // 2, right)
    assert design_effect(kinds, 0.5, 0.25) == pytest.approx(1.6)
    assert items_worth(kinds, 1.6) == pytest.approx(12 / 1.6 * 0.581344, rel=1e-6)
    assert items_worth(kinds, None) == 6


def test_a_large_cluster_leaves_few_degrees_of_freedom_by_hand() -> None:
    # Sizes 6, 2, 2, 2: worth as many as 144 / 48 = 3 equal clusters, so t has 2 degrees of freedom: 4.302653.
    # Right are 4, 0, 2, 2: p = 2/3, (x - p m)^2 are 0, 16/9, 4/9, 4/9, each over 1 - 2/12: 3.2; the effect is 3.2 / 12 / (2/9).
    right = np.array([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)
    kinds = kinds_of(np.array([0] * 6 + [1] * 2 + [2] * 2 + [3] * 2), right)
    assert design_effect(kinds, 2 / 3, 2 / 9) == pytest.approx(1.2)
    assert items_worth(kinds, 1.2) == pytest.approx(10 * (1.959964 / 4.302653) ** 2, rel=1e-6)


@settings(deadline=None, max_examples=25)
@given(st.permutations(range(60)))
def test_neither_the_order_of_rows_nor_the_numbers_of_clusters_matter(order: list[int]) -> None:
    right, group = clusters(60, seed=4)
    rows = np.random.default_rng(order[0]).permutation(len(group))
    assert share_right(right[rows], np.array(order)[group[rows]]) == share_right(right, group)


def test_no_rows_have_neither_value_nor_interval() -> None:
    assert share_right(np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)) == Estimate(None, None, 0)


def test_many_kinds_are_drawn_in_blocks_with_the_same_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    right, group = clusters(3000, seed=6)
    whole = share_right(right, group)
    monkeypatch.setattr(resampling, "MOST_KINDS", 8)
    monkeypatch.setattr(resampling, "_DRAWN_AT_ONCE", 100)
    few = resampled_sums(kinds_of(group, right), "x")
    monkeypatch.setattr(resampling, "MOST_KINDS", 26)
    many = resampled_sums(kinds_of(group, right), "x")
    assert len(few) == len(many) == resampling.RESAMPLES
    low, high = np.quantile(many[:, 1] / many[:, 0], [0.025, 0.975])
    assert high - low == pytest.approx(width(whole.interval), rel=0.4)


def by_task(right: np.ndarray, group: np.ndarray, task: np.ndarray) -> list[Estimate]:
    return [share_right(right[task == number], group[task == number]) for number in range(3)]


def test_the_mean_over_tasks_resamples_clusters_with_all_their_tasks() -> None:
    rng = np.random.default_rng(7)
    group, task = np.repeat(np.arange(70), 3), np.tile(np.arange(3), 70)
    right = (rng.random(70) < 0.6)[group] ^ (rng.random(210) < 0.1)
    estimate = mean_share_right(right, group, task, by_task(right, group, task), "macro")
    table = right.reshape(70, 3).astype(float)
    theirs = bootstrap(
        (table.mean(axis=1),), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(0)
    )
    assert estimate.value == pytest.approx(right.mean())
    assert estimate.method == "clustered_bootstrap"
    assert estimate.interval == pytest.approx(tuple(theirs.confidence_interval), abs=0.15 * theirs.standard_error)


def test_the_mean_over_tasks_that_share_no_cluster_combines_their_intervals() -> None:
    right, group = clusters(90, seed=8)
    task = group % 3
    estimate = mean_share_right(right, group, task, by_task(right, group, task), "macro")
    assert estimate.method == "combined"
