"""Widths of designs: Brennan's D studies, items of a finite release, fixed facets, the cheapest and the narrowest design.

Answers are made by hand or drawn; `test_plan_command` has those of stored results.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchwright.errors import BenchwrightError
from benchwright.evaluation.planning.design import Numbers, PlanSetting, as_run, contributions, interval_of, width
from benchwright.evaluation.planning.observations import Observations, difference_of
from benchwright.evaluation.planning.population import Population
from benchwright.evaluation.planning.search import (
    Costs,
    SearchBounds,
    cheapest,
    cheapest_beyond,
    checked_most,
    narrowest,
    twice_as_many,
)
from benchwright.evaluation.planning.study import VarianceStudy, assumed_study, study_of
from benchwright.statistics.proportions import wilson

# Brennan 2001, synthetic data set 3: ten persons; four items on the first occasion, the same four on the second.
BRENNAN = [
    [2, 6, 7, 5, 2, 5, 5, 5], [4, 5, 6, 7, 6, 7, 5, 7], [5, 5, 4, 6, 5, 4, 5, 5], [5, 9, 8, 6, 5, 7, 7, 6],
    [4, 3, 5, 6, 4, 5, 6, 4], [4, 4, 4, 7, 6, 4, 7, 8], [2, 6, 6, 5, 2, 7, 7, 5], [3, 4, 4, 5, 6, 6, 6, 4],
    [0, 5, 4, 5, 5, 5, 5, 3], [6, 8, 7, 6, 6, 8, 8, 6],
]  # fmt: skip


def population(sizes: Any) -> Population:
    """Return items in clusters of these sizes."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    ids = [f"{k:032x}" for k in range(len(group))]
    items = pa.table({"item_id": ids, "split": ["test"] * len(ids), "task": ["naming"] * len(ids)})
    return Population("drawn 1.0", "0" * 64, None, items, group)


def observed(value: Any, item: Any, title: str = "m", **levels: Any) -> Observations:
    """Return answers; facets that are not given have one level."""
    nothing = np.zeros(len(item), dtype=np.int64)
    codes = {facet: np.asarray(levels.get(facet, nothing)) for facet in ("orders", "wordings", "samples", "readers")}
    names = {facet: tuple(map(str, range(int(code.max()) + 1))) for facet, code in codes.items()}
    return Observations(title, np.asarray(value, float), {"items": np.asarray(item), **codes}, names, (), ())


def brennan() -> VarianceStudy:
    """Return his study, with persons as items, occasions as wordings, and items as readers."""
    table = np.array(BRENNAN)
    person, column = (axis.ravel() for axis in np.indices(table.shape))
    answers = observed(table.ravel(), person, wordings=column // 4, readers=column % 4)
    return study_of([answers], population([1] * 10), over_readers=True)


def drawn(sizes: Any, numbers: Numbers, *, seed: int = 0, wording: float = 0.3) -> tuple[VarianceStudy, Population]:
    """Return the study of drawn answers, and its population."""
    rng, items = np.random.default_rng(seed), population(sizes)
    item, order, word, sample = (
        axis.ravel() for axis in np.indices((numbers.items, numbers.orders, numbers.wordings, numbers.samples))
    )
    logit = 0.6 + 0.8 * rng.normal(size=items.clusters)[items.group[item]] + 1.2 * rng.normal(size=items.size)[item]
    logit += wording * rng.normal(size=numbers.wordings)[word] + 0.6 * rng.normal(size=(items.size, 12))[item, order]
    right = rng.random(len(item)) < 1 / (1 + np.exp(-logit))
    return study_of([observed(right, item, orders=order, wordings=word, samples=sample)], items), items


def setting(study: VarianceStudy, items: Population, *fixed: Any) -> PlanSetting:
    return PlanSetting(study, items.size, items.in_cluster, frozenset(fixed))


def test_the_effects_of_a_crossed_study_are_brennans() -> None:
    values = {component.effect.name: component.value for component in brennan().components}
    assert values == pytest.approx(
        {
            "items": 0.5528, "wordings": 0.0074, "items x wordings": 0.1009, "readers": 0.4417,
            "wordings x readers": 0.1565, "items x readers": 0.5750, "replies x readers": 0.9352,
        },
        abs=5e-5,
    )  # fmt: skip


def test_error_variances_of_d_studies_are_brennans() -> None:
    # Four items on two occasions: dependability .55, and .79 where the items are fixed (Brennan 2001, chapter 4).
    study, numbers = brennan(), Numbers(items=1, wordings=2, readers=4)
    parts = tuple(component._replace(contains=()) for component in study.components)  # persons have no orders
    study = study._replace(components=parts)
    random = contributions(PlanSetting(study, 10, 1.0), numbers, "items_like_these")
    error = sum(random.values()) - random["items"]
    assert error == pytest.approx(0.4448, abs=5e-4)
    assert random["items"] / (random["items"] + error) == pytest.approx(0.55, abs=0.005)
    fixed = contributions(PlanSetting(study, 1, 1.0, frozenset({"readers"})), numbers, "these_items")
    assert (fixed["items"], fixed["readers"], fixed["items x readers"]) == (0, 0, 0)
    universe = random["items"] + random["items x readers"]
    assert universe / (universe + sum(fixed.values())) == pytest.approx(0.79, abs=0.006)


def test_the_variance_of_the_mean_as_run_is_that_of_the_design_where_rows_are_balanced() -> None:
    study, items = drawn([2] * 50, Numbers(100, orders=3, wordings=2))
    numbers = Numbers(100, orders=3, wordings=2)
    for scope in ("items_like_these", "these_items"):
        assert as_run(setting(study, items), scope) == pytest.approx(
            contributions(setting(study, items), numbers, scope)
        )


def test_a_sample_of_the_release_adds_nothing_for_these_items_once_all_are_asked() -> None:
    study, items = drawn([2] * 50, Numbers(100, orders=3))
    half, all_of_them = (contributions(setting(study, items), Numbers(n), "these_items") for n in (50, 100))
    value = {component.effect.name: component.value for component in study.components}
    assert half["items"] == pytest.approx(value["items"] * (1 / 50 - 1 / 100))
    assert all_of_them["items"] == all_of_them["source pictures"] == 0
    assert all_of_them["orders of options"] == pytest.approx(value["orders of options"] / 100)


def test_clusters_of_a_sample_hold_as_many_items_as_those_of_random_samples() -> None:
    sizes = np.array([1, 2, 3, 10, 24])
    items = population(sizes)
    rng = np.random.default_rng(1)
    squares = [
        (np.bincount(items.group[rng.permutation(40)[:20]], minlength=5) ** 2).sum() / 20**2 for _ in range(4000)
    ]
    study = assumed_study(items, 0.5)
    assert 1 / setting(study, items).worth(20) == pytest.approx(np.mean(squares), rel=0.03)
    assert 1 / setting(study, items).worth(40) == pytest.approx((sizes**2).sum() / 40**2)


def test_without_answers_a_plan_is_binomial_with_items_of_a_cluster_alike() -> None:
    items = population([1] * 400)
    study = assumed_study(items, 0.7)
    low, high = wilson(280, 400).interval or (0, 0)
    assert width(setting(study, items), Numbers(400), "items_like_these") == pytest.approx(high - low, rel=0.01)
    twins = population([2] * 200)
    alike = width(setting(assumed_study(twins, 0.7), twins), Numbers(400), "items_like_these")
    low, high = wilson(140, 200).interval or (0, 0)
    assert alike == pytest.approx(high - low, rel=0.02)


@pytest.mark.parametrize(
    ("numbers", "unknown"),
    [
        (Numbers(60, orders=2), {"wordings", "samples", "readers"}),
        (Numbers(60, wordings=2), {"orders", "samples", "readers"}),
        (Numbers(60, samples=3), {"orders", "wordings", "readers"}),
        (Numbers(60), {"orders", "wordings", "samples", "readers"}),
        (Numbers(60, orders=2, wordings=2, samples=2), {"readers"}),
    ],
)
def test_a_facet_of_one_level_is_not_estimable_and_never_zero(numbers: Numbers, unknown: set[str]) -> None:
    study, _ = drawn([2] * 30, numbers)
    assert set(study.unknown) == unknown
    assert {"wordings", "readers"} & unknown <= {facet for facet, why in study.unknown.items() if "only one" in why}
    names = {component.effect.name for component in study.components}
    assert ("orders of options" in names) == ("orders" not in unknown)


def test_what_orders_and_samples_add_is_said_to_be_part_of_another_effect() -> None:
    study, items = drawn([1] * 60, Numbers(60))
    assert [component.contains for component in study.components] == [("orders", "samples")]
    assert study.unknown["samples"].endswith("part of 'items'")
    assert study.unknown["clusters"] == "every item has its own"
    assert setting(study, items).is_bound("these_items")
    assert not setting(study, items).is_bound("items_like_these")


def test_more_of_anything_never_widens_an_interval() -> None:
    study, items = drawn([2] * 60, Numbers(120, orders=2, wordings=2))
    for numbers in (Numbers(40), Numbers(60, 2, 2), Numbers(120, 4, 3)):
        for scope in ("items_like_these", "these_items"):
            now = width(setting(study, items), numbers, scope)
            for more in twice_as_many(setting(study, items), numbers):
                assert width(setting(study, items), more.numbers, scope) <= now + 1e-12


def test_the_cheapest_design_is_that_of_all_that_there_are() -> None:
    study, items = drawn([2] * 40, Numbers(80, orders=2, wordings=2), wording=0.0)
    here = setting(study, items)
    most = checked_most({"orders": 3, "wordings": 2}, here)
    assert most == {"items": 80, "orders": 3, "wordings": 2, "samples": 1, "readers": 1}
    costs = Costs(question=1.0, item=2.5)
    every = [Numbers(n, k, w) for n, k, w in product(range(2, 81), (1, 2, 3), (1, 2))]
    wanted = 0.25
    reaching = [(costs.of(n), n) for n in every if width(here, n, "items_like_these") <= wanted]
    found = cheapest(here, SearchBounds(costs, most), wanted, "items_like_these")
    assert found is not None
    assert costs.of(found) == min(reaching)[0]
    affordable = [width(here, n, "these_items") for n in every if costs.of(n) <= 200]
    best = narrowest(here, SearchBounds(costs, most), 200, "these_items")
    assert costs.of(best) <= 200
    assert width(here, best, "these_items") <= min(affordable) + 0.0005


def test_what_the_release_cannot_reach_takes_more_items_of_the_kind() -> None:
    study, items = drawn([1] * 80, Numbers(80, orders=2))
    here = setting(study, items)
    bounds = SearchBounds(Costs(), checked_most({}, here))
    assert cheapest(here, bounds, 0.03, "items_like_these") is None
    more = cheapest_beyond(here, bounds, 0.03, "items_like_these")
    assert more is not None
    assert more.items > 80
    assert (
        width(here, more, "items_like_these")
        <= 0.03
        < width(here, more._replace(items=more.items - 1), "items_like_these")
    )


def test_these_items_are_asked_in_more_orders_where_the_allowed_ones_do_not_do() -> None:
    study, items = drawn([1] * 80, Numbers(80, orders=2))
    here = setting(study, items)
    bounds = SearchBounds(Costs(), checked_most({"orders": 2}, here))
    allowed = width(here, Numbers(80, 2), "these_items")
    assert cheapest(here, bounds, allowed / 2, "these_items") is None
    more = cheapest_beyond(here, bounds, allowed / 2, "these_items")
    assert more is not None
    assert more.items <= 80
    assert more.orders >= 8  # a width half as wide takes four times as many replies, or nearly, by Wilson's interval
    assert width(here, more, "these_items") <= allowed / 2


def test_a_budget_that_buys_no_two_items_is_refused() -> None:
    study, items = drawn([1] * 80, Numbers(80, orders=2))
    here = setting(study, items)
    with pytest.raises(BenchwrightError, match="fewer than 2 items"):
        narrowest(here, SearchBounds(Costs(), checked_most({}, here)), 1, "items_like_these")


def test_fixed_wordings_add_nothing_and_are_all_asked() -> None:
    study, items = drawn([2] * 40, Numbers(80, orders=2, wordings=3), wording=0.6)
    here = setting(study, items, "wordings")
    assert contributions(here, Numbers(80, 1, 3), "items_like_these")["wordings"] == 0
    bounds = SearchBounds(Costs(), checked_most({}, here))
    found = cheapest(here, bounds, 0.2, "items_like_these")
    assert found is not None
    assert found.wordings == 3


def test_a_difference_pairs_answers_to_the_same_questions() -> None:
    rng = np.random.default_rng(4)
    item, order = (axis.ravel() for axis in np.indices((50, 2)))
    first = observed(rng.random(100) < 0.8, item, "first", orders=order)
    second = observed(rng.random(60) < 0.5, item[:60], "second", orders=order[:60])
    paired, unpaired = difference_of(first, second)
    assert unpaired == 40
    assert paired.value == pytest.approx(first.value[:60] - second.value)
    assert paired.title == "first less second"
    study = study_of([paired], population([1] * 50), is_difference=True)
    low, high = interval_of(
        PlanSetting(study, 50, 1.0), as_run(PlanSetting(study, 50, 1.0), "items_like_these"), Numbers(30, 2)
    )
    assert low < study.score < high
    assert study.score == pytest.approx(paired.value.mean())


def test_systems_of_which_less_is_told_are_left_out() -> None:
    rng = np.random.default_rng(6)
    item, order = (axis.ravel() for axis in np.indices((50, 2)))
    full = [observed(rng.random(100) < 0.6, item, name, orders=order) for name in ("one", "two")]
    plain = observed(rng.random(50) < 0.6, np.arange(50), "plain")
    study = study_of([plain, *full], population([1] * 50))
    assert study.systems == ("one", "two")
    assert [title for title, _ in study.others] == ["plain"]
    alone = [study_of([system], population([1] * 50)) for system in full]
    mean = np.mean([[component.estimate for component in one.components] for one in alone], axis=0)
    assert [component.estimate for component in study.components] == pytest.approx(mean.tolist())


def test_answers_that_are_all_alike_and_those_of_one_picture_are_refused() -> None:
    with pytest.raises(BenchwrightError, match="all equal"):
        study_of([observed(np.ones(40), np.arange(40))], population([1] * 40))
    with pytest.raises(BenchwrightError, match="one source picture"):
        study_of([observed([0, 1, 1], [0, 1, 2])], population([3, 1]))
