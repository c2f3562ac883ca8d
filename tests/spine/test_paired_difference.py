"""Paired tests agree with statsmodels, SciPy and hand counts; intervals cover; models that do not differ share
ranks.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from benchwright.evaluation.analysis.ranking import group_letters, rank_intervals
from benchwright.statistics import holm
from benchwright.statistics.joint_signs import joint_test, least_joint_p
from benchwright.statistics.paired_difference import adjusted_wald, compare_pair, mcnemar_exact, sign_flip
from benchwright.statistics.paired_power import items_needed, joint_threshold, least_difference

pytestmark = pytest.mark.slow


@pytest.mark.slow
@given(st.integers(0, 300), st.integers(0, 300))
def test_the_exact_mcnemar_test_agrees_with_statsmodels(b: int, c: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    theirs = mcnemar([[0, b], [c, 0]], exact=True).pvalue
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, theirs), rel=1e-9)


def test_the_exact_mcnemar_test_by_hand() -> None:
    # 1 against 6: 2 (C(7,0) + C(7,1)) / 2^7 = 16 / 128.
    assert mcnemar_exact(1, 6) == pytest.approx(0.125)
    assert mcnemar_exact(0, 5) == pytest.approx(2 / 32)
    assert mcnemar_exact(4, 4) == mcnemar_exact(0, 0) == 1.0


def test_the_exact_mcnemar_test_takes_hundreds_of_thousands_of_items() -> None:
    n, k = 400_000, 199_000  # 3.16 standard deviations off the middle
    assert mcnemar_exact(k, n - k) == pytest.approx(0.001573, rel=0.01)
    assert mcnemar_exact(0, n) == 0.0  # 2^-399999 is nothing that a float can hold
    small = sum(comb(1200, i) for i in range(551))
    assert mcnemar_exact(550, 650) == pytest.approx(float(2 * Fraction(small, 2**1200)), rel=1e-9)


def by_all_signs(differences: list[int]) -> float:
    """Return the share of all ways to give signs in which the sum is as far off as it is."""
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(total >= seen for total in sums) / len(sums)


@settings(deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_sign_flip_test_counts_all_ways_to_give_signs(differences: list[int]) -> None:
    sums, counts = np.unique(differences, return_counts=True)
    assert sign_flip(sums, counts) == pytest.approx(by_all_signs(differences), abs=1e-9)


def test_the_sign_flip_test_agrees_with_scipys_permutation_test() -> None:
    rng = np.random.default_rng(3)
    differences = rng.integers(-2, 4, 40)
    sums, counts = np.unique(differences, return_counts=True)
    theirs = permutation_test(
        (differences,),
        lambda d, axis: d.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=rng,
    )
    assert sign_flip(sums, counts) == pytest.approx(theirs.pvalue, abs=0.01)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 50))
def test_with_single_items_the_sign_flip_test_is_mcnemars(b: int, c: int, ties: int) -> None:
    assert sign_flip(np.array([-1, 0, 1]), np.array([c, ties, b])) == pytest.approx(mcnemar_exact(b, c))


def test_the_sign_flip_test_is_quick_and_never_zero_on_a_million_items() -> None:
    sums, counts = np.array([-3, -1, 0, 1, 2]), np.array([20_000, 90_000, 100_000, 91_000, 160_000])
    assert 0 < sign_flip(sums, counts) < 1e-9
    assert sign_flip(np.array([-1, 1, 2]), np.array([100, 104, 100])) < 1e-6


def test_the_adjusted_interval_by_hand() -> None:
    # b = 9, c = 1, n = 40: p = 10/42, q = 2/42; 8/42 +- 1.959964 sqrt((12/42 - 64/1764) / 42).
    half = 1.959964 * ((12 / 42 - 64 / 1764) / 42) ** 0.5
    assert adjusted_wald(9, 1, 40) == pytest.approx((8 / 42 - half, 8 / 42 + half), abs=1e-6)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_adjusted_interval_is_never_empty_and_stays_within_bounds(b: int, c: int, same: int) -> None:
    low, high = adjusted_wald(b, c, b + c + same)
    assert -1 <= low < high <= 1


def drawn(count: int, seed: int, better: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return two models whose items are alike within clusters; the first is better by that much."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(count), rng.integers(1, 5, count))
    chance = rng.beta(1, 1, count)[group] * (1 - better)
    return rng.random(len(group)) < chance + better, rng.random(len(group)) < chance, group


@pytest.mark.parametrize("count", [8, 15, 60])
def test_the_interval_of_a_difference_covers_the_truth(count: int) -> None:
    covered = 0
    for seed in range(300):
        pair = compare_pair(*drawn(count, seed, 0.1))
        assert pair is not None
        covered += pair.interval.low <= 0.1 <= pair.interval.high
    assert covered / 300 >= 0.92


def test_under_the_hypothesis_p_is_below_a_twentieth_once_in_twenty() -> None:
    results = [compare_pair(*drawn(50, seed)) for seed in range(600)]
    assert 0.02 <= np.mean([pair is not None and pair.p < 0.05 for pair in results]) <= 0.065


def test_mcnemar_alone_would_be_sure_of_what_clusters_leave_open() -> None:
    """One model is right on all twenty items of seven images, the other on those of three."""
    group = np.repeat(np.arange(10), 20)
    pair = compare_pair(group < 7, group >= 7, group)
    assert pair is not None
    assert (pair.only_first, pair.only_second) == (140, 60)
    assert pair.p_mcnemar < 1e-7
    assert pair.p == pytest.approx(mcnemar_exact(7, 3))
    assert pair.design_effect == pytest.approx(20 * 10 / 9)


def test_models_that_never_differ_are_not_told_apart_and_the_interval_is_not_empty() -> None:
    same = np.arange(30) % 2 == 0
    pair = compare_pair(same, same, np.arange(30))
    assert pair is not None
    assert pair.p == 1.0
    assert pair.interval == adjusted_wald(0, 0, 30)
    assert items_needed(pair.discordant, pair.difference) is None


def test_without_a_common_item_there_is_no_comparison() -> None:
    assert compare_pair(np.zeros(0, dtype=bool), np.zeros(0, dtype=bool), np.zeros(0, dtype=np.int64)) is None


@pytest.mark.slow
@settings(max_examples=8)  # statsmodels collects the process's garbage at each call
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


def test_weights_share_out_the_level() -> None:
    # 0.01 has three quarters of the level: 0.01 * 4 / 3, and then 0.03 alone: 0.03 * 1 / 1.
    assert holm([0.03, 0.01], [1, 3]) == pytest.approx([0.03, 0.04 / 3])


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []


def test_the_number_of_items_by_hand_and_by_drawing() -> None:
    # psi = 0.3, delta = 0.1: (1.959964 sqrt(0.3) + 0.841621 sqrt(0.29))^2 / 0.01 = 233.09.
    n = items_needed(0.3, 0.1)
    assert n == 234
    assert items_needed(0.3, -0.1, design_effect=2.0) == 467
    rng = np.random.default_rng(1)
    kinds = rng.multinomial(n, [0.2, 0.1, 0.7], 1500)
    power = np.mean([mcnemar_exact(int(b), int(c)) < 0.05 for b, c, _ in kinds])
    assert 0.74 <= power <= 0.84  # the exact test holds its level, so it finds a little less


def test_items_needed_among_many_systems_are_those_that_the_joint_threshold_needs() -> None:
    # psi = 0.3, delta = 0.1, z = 3.2683 of 12 systems: (3.2683 sqrt(0.3) + 0.841621 sqrt(0.29))^2 / 0.01 = 503.3.
    threshold = joint_threshold(12)
    n = items_needed(0.3, 0.1, threshold=threshold)
    assert n == 504
    assert least_difference(n, 0.3, threshold=threshold) == pytest.approx(0.1, abs=1e-3)
    b, c, _ = np.random.default_rng(1).multinomial(n, [0.2, 0.1, 0.7], 4000).T
    assert np.mean(np.abs(b - c) / np.sqrt(b + c) > threshold) == pytest.approx(0.8, abs=0.03)


def test_the_threshold_of_replies_that_are_independent_is_that_of_the_studentized_range() -> None:
    right = np.random.default_rng(2).random((500, 8)) < 0.5
    pairs = np.array(list(combinations(range(8), 2))).T
    assert joint_test(right, *pairs).threshold == pytest.approx(joint_threshold(8), abs=0.06)
    alike = np.repeat(right[:, :2], 4, axis=1)  # two models, four times each: one comparison
    assert joint_test(alike, *pairs).threshold == pytest.approx(joint_threshold(2), abs=0.1)


def ranks(count: int, apart: set[tuple[int, int]]) -> list[tuple[int, int]]:
    return [tuple(rank) for rank in rank_intervals(count, lambda i, k: (i, k) in apart)]


def test_a_rank_runs_from_those_found_better_to_those_found_worse() -> None:
    assert ranks(3, {(0, 1), (0, 2), (1, 2)}) == [(1, 1), (2, 2), (3, 3)]
    assert ranks(3, set()) == [(1, 3)] * 3
    assert ranks(3, {(0, 1), (0, 2)}) == [(1, 1), (2, 3), (2, 3)]
    # The first and the last are told apart, but the one between them from neither.
    assert ranks(3, {(0, 2)}) == [(1, 2), (1, 3), (2, 3)]


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n + 1), 2)))))
    )
)
def test_models_share_a_letter_exactly_where_they_are_not_told_apart(case: tuple[int, set[tuple[int, int]]]) -> None:
    n, apart = case
    letters = group_letters(n, lambda i, k: (i, k) in apart)
    assert all(letters)
    for i, k in combinations(range(n), 2):
        assert bool(set(letters[i]) & set(letters[k])) is ((i, k) not in apart)
    assert letters[0].startswith("a")


def joint_by_hand(right: np.ndarray, pairs: list[tuple[int, int]]) -> list[float]:
    """The step-down of Romano and Wolf, written out: all signs, and the largest statistic of the pairs that are left."""
    differences = np.stack([right[:, i] - right[:, k] for i, k in pairs], axis=1).astype(float)
    scale = np.sqrt((differences**2).sum(axis=0))
    scale[scale == 0] = np.inf
    drawn = np.array([np.abs(np.array(signs) @ differences) / scale for signs in product((-1, 1), repeat=len(right))])
    observed = np.abs(differences.sum(axis=0)) / scale
    left, adjusted, floor = set(range(len(pairs))), [0.0] * len(pairs), 0.0
    for place in sorted(left, key=lambda place: -observed[place]):
        floor = max(floor, float(np.mean(drawn[:, sorted(left)].max(axis=1) >= observed[place] - 1e-9)))
        adjusted[place] = floor
        left.remove(place)
    return adjusted


def test_the_joint_test_is_the_step_down_over_all_signs() -> None:
    rng = np.random.default_rng(4)
    right = rng.binomial(3, [0.9, 0.8, 0.5, 0.5, 0.2], size=(9, 5))
    pairs = list(combinations(range(5), 2))
    joint = joint_test(right, *np.array(pairs).T).p
    assert joint == pytest.approx(joint_by_hand(right, pairs))
    assert joint.min() >= least_joint_p(9) == 2 / 2**9


def test_no_difference_is_found_in_more_than_one_study_of_twenty() -> None:
    """Eight models that are equally able, over 24 clusters of unlike size in which all find the same items hard."""
    rng, pairs, found = np.random.default_rng(8), np.array(list(combinations(range(8), 2))).T, 0
    for _ in range(200):
        sizes, ease = rng.integers(1, 12, size=24), rng.beta(2, 2, size=24)
        right = rng.binomial(sizes[:, None], ease[:, None], size=(24, 8))
        found += bool(joint_test(right, *pairs).p.min() < 0.05)
    assert found <= 20
