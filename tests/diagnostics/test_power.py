"""Power: the smallest difference is the inverse of the number of items needed; replies supply the other assumptions."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys.power import PowerAssumptions, assumed_design_effect, power_by_task
from benchwright.statistics.paired_power import items_needed, least_difference


def test_the_least_difference_solves_the_equation_of_power() -> None:
    difference = least_difference(300, 0.25, 1.5)
    assert difference is not None
    m = 300 / 1.5
    assert sqrt(m) * difference == pytest.approx(
        1.959964 * sqrt(0.25) + 0.841621 * sqrt(0.25 - difference**2), rel=1e-5
    )


@pytest.mark.parametrize("discordant", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("items", [200, 1000, 12345])
def test_it_undoes_the_number_of_items_needed(items: int, discordant: float) -> None:
    difference = least_difference(items, discordant)
    assert difference is not None
    assert items_needed(discordant, difference) in {items, items + 1}


def test_a_simulated_difference_of_that_size_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(0)
    difference = least_difference(400, 0.3)
    assert difference is not None
    only = np.array([(0.3 + difference) / 2, (0.3 - difference) / 2, 0.7])
    b, c, _ = rng.multinomial(400, only, size=4000).T
    found = np.abs(b - c) / np.sqrt(b + c) > 1.959964  # McNemar's test without correction
    assert found.mean() == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(("items", "discordant"), [(3, 0.5), (20, 0.05), (100, 0.0)])
def test_where_no_possible_difference_is_found_there_is_none(items: int, discordant: float) -> None:
    assert least_difference(items, discordant) is None


def test_assumptions_by_hand() -> None:
    # 2 x .8 x .2 x (1 - .5); clusters of 3, 3, 1, 1 items: 1 + (20 / 8 - 1) x .2.
    assert PowerAssumptions(accuracy=0.8).discordant == pytest.approx(0.16)
    assert assumed_design_effect(np.array([3, 3, 1, 1]), 0.2) == pytest.approx(1.3)


def test_without_replies_each_task_has_what_is_assumed() -> None:
    key = [0] * 300 + [-1] * 10
    matrix = matrix_of(np.zeros((0, 310)), key, task=[0] * 200 + [1] * 110, group=np.arange(310) // 2)
    every, first, second = power_by_task(matrix)
    assert [(row.task, row.items, row.clusters, row.pairs) for row in (every, first, second)] == [
        ("", 300, 150, 0),
        ("t0", 200, 100, 0),
        ("t1", 100, 50, 0),
    ]
    assert every.is_assumed
    assert every.discordant == pytest.approx(0.25)
    assert every.design_effect == pytest.approx(1.2)
    assert every.least_difference == least_difference(300, 0.25, 1.2)
    assert every.items_needed == items_needed(0.25, 0.05, 1.2)
    assert power_by_task(matrix_of(np.zeros((0, 2)), [-1, -1])) == []


def test_replies_give_discordance_and_the_pairs_that_are_too_close_by_hand() -> None:
    # m0 has all 100 items right, m1 misses the first 40, m2 misses the first 30 and the last 5.
    letter = np.zeros((3, 100), dtype=int)
    letter[1, :40] = letter[2, :30] = letter[2, 95:] = 1
    (row,) = power_by_task(matrix_of(letter, np.zeros(100)))
    # Discordant: .40 (m0, m1), .35 (m0, m2), .15 (m1, m2: items 30-39 and 95-99); differences .40, .35, .05.
    assert (row.pairs, row.design_effect) == (3, 1.0)
    assert row.discordant == pytest.approx(0.35)
    assert row.least_difference == least_difference(100, 0.35)
    assert [(a, b, round(d, 9)) for a, b, d in row.too_close] == [("m1", "m2", 0.05)]


def test_items_that_hang_together_find_less() -> None:
    rng = np.random.default_rng(1)
    of_pair = rng.integers(0, 2, (2, 100)).repeat(2, axis=1)  # both items of a pair are right or wrong together
    alone, together = (
        power_by_task(matrix_of(of_pair, np.zeros(200), group=group))[0]
        for group in (np.arange(200), np.arange(200) // 2)
    )
    assert together.design_effect == pytest.approx(2, abs=0.05)
    assert alone.least_difference is not None
    assert together.least_difference is not None
    assert together.least_difference > 1.3 * alone.least_difference
