"""Agreement statistics: published worked examples, statsmodels, undefined cases, and the bootstrap.

Krippendorff 2011 ("Computing Krippendorff's Alpha-Reliability") has four observers, twelve units and missing data;
Gwet's R package irrCAC works AC1 on the same ratings and on a table of two abstractors. Fleiss 1971, table 1, has six
psychiatrists on thirty patients. Cohen 1960's example is 200 cases in three categories.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.agreement.coefficients import (
    LEAST_COMPARED,
    STATISTICS,
    Agreement,
    agreement_in,
    agreement_of,
)
from benchwright.annotation.agreement.ratings import Rating, RatingTally
from benchwright.errors import DataError

KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
FLEISS = """
0 0 0 6 0, 0 3 0 0 3, 0 1 4 0 1, 0 0 0 0 6, 0 3 0 3 0, 2 0 4 0 0, 0 0 4 0 2, 2 0 3 1 0, 2 0 0 4 0, 0 0 0 0 6,
1 0 0 5 0, 1 1 0 4 0, 0 3 3 0 0, 1 0 0 5 0, 0 2 0 3 1, 0 0 5 0 1, 3 0 0 1 2, 5 1 0 0 0, 0 2 0 4 0, 1 0 2 0 3,
0 0 0 0 6, 0 1 0 5 0, 0 2 0 1 3, 2 0 0 4 0, 1 0 0 4 1, 0 5 0 1 0, 4 0 0 0 2, 0 2 0 4 0, 1 0 5 0 0, 0 0 0 0 6
"""
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]
COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]


def by_rater(table: str) -> list[Rating]:
    """Read one line per rater, one column per unit, a dot where there is no rating."""
    return [
        Rating(f"unit-{unit:02}", f"rater-{rater}", label)
        for rater, line in enumerate(table.split("\n"))
        for unit, label in enumerate(line.split())
        if label != "."
    ]


def by_count(table: str) -> list[Rating]:
    """Read one entry per unit: how many raters chose each category."""
    ratings = []
    for unit, entry in enumerate(table.split(",")):
        labels = Counter({str(label): int(n) for label, n in enumerate(entry.split())}).elements()
        ratings += [Rating(f"unit-{unit:02}", f"rater-{n}", label) for n, label in enumerate(labels)]
    return ratings


def by_pair(table: list[list[int]]) -> list[Rating]:
    """Read a cross table of two raters."""
    pairs = [(a, b) for a, row in enumerate(table) for b, n in enumerate(row) for _ in range(n)]
    return [
        Rating(f"unit-{unit:03}", rater, str(label))
        for unit, pair in enumerate(pairs)
        for rater, label in zip(("first", "second"), pair, strict=True)
    ]


def test_alpha_and_ac1_of_krippendorffs_example_are_as_published() -> None:
    found = agreement_of(by_rater(KRIPPENDORFF))
    assert (found.units, found.raters) == (12, 4)
    assert found.krippendorff_alpha == pytest.approx(0.743, abs=5e-4)
    assert found.gwet_ac1 == pytest.approx(0.77544, abs=5e-6)
    assert found.percent == pytest.approx(0.8181818, abs=5e-8)


def test_ordinal_alpha_of_krippendorffs_example_is_as_published() -> None:
    assert agreement_of(by_rater(KRIPPENDORFF), metric="ordinal").krippendorff_alpha == pytest.approx(0.815, abs=5e-4)


def test_fleiss_kappa_of_his_example_is_as_published() -> None:
    found = agreement_of(by_count(FLEISS))
    assert (found.units, found.raters) == (30, 6)
    assert found.fleiss_kappa == pytest.approx(0.430, abs=5e-4)
    assert found.percent == pytest.approx(0.556, abs=5e-4)


def test_two_abstractors_agree_as_gwet_works_it() -> None:
    found = agreement_of(by_pair(ABSTRACTORS))
    assert found.percent == pytest.approx(0.89)
    assert found.cohen_kappa == pytest.approx(0.7964094, abs=5e-8)
    assert found.gwet_ac1 == pytest.approx(0.8493305, abs=5e-8)
    assert found.krippendorff_alpha == pytest.approx(0.7972585, abs=5e-8)


def test_cohens_kappa_of_his_example_is_as_published() -> None:
    assert agreement_of(by_pair(COHEN)).cohen_kappa == pytest.approx(0.492, abs=5e-4)


@pytest.mark.slow
def test_kappas_equal_those_of_statsmodels() -> None:
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

    rng = np.random.default_rng(3)
    for categories, units, raters in ((2, 17, 5), (4, 40, 3), (7, 23, 9)):
        counts = rng.multinomial(raters, rng.dirichlet(np.ones(categories)), size=units)
        table = ", ".join(" ".join(map(str, row)) for row in counts)
        assert agreement_of(by_count(table), resamples=0).fleiss_kappa == pytest.approx(fleiss_kappa(counts))
        cross = rng.integers(0, 9, size=(categories, categories))
        expected = cohens_kappa(cross, return_results=False)
        assert agreement_of(by_pair(cross.tolist()), resamples=0).cohen_kappa == pytest.approx(expected)


def test_ordinal_alpha_equals_the_definition_written_out() -> None:
    """Krippendorff's distance is the square of (the values from c to k, less half of those at c and at k)."""
    ratings = by_rater("1 3 2 2 5 1 . 4\n2 3 2 1 5 . 1 4\n1 3 4 2 . 1 1 5")
    units: dict[str, list[int]] = {}
    for rating in ratings:
        units.setdefault(rating.unit, []).append(int(rating.label))
    pairable = {unit: values for unit, values in units.items() if len(values) > 1}
    n = Counter(value for values in pairable.values() for value in values)
    total = n.total()

    def distance(c: int, k: int) -> float:
        low, high = sorted((c, k))
        return float((sum(n[g] for g in range(low, high + 1)) - (n[c] + n[k]) / 2) ** 2)

    observed = sum(
        distance(c, k) / (len(values) - 1)
        for values in pairable.values()
        for i, c in enumerate(values)
        for j, k in enumerate(values)
        if i != j
    )
    expected = sum(n[c] * n[k] * distance(c, k) for c in n for k in n) / (total - 1)
    found = agreement_of(ratings, metric="ordinal", resamples=0).krippendorff_alpha
    assert found == pytest.approx(1 - observed / expected)


def test_ordinal_labels_are_sorted_as_numbers() -> None:
    ratings = [r._replace(label={"4": "10", "5": "200"}.get(r.label, r.label)) for r in by_rater(KRIPPENDORFF)]
    assert agreement_of(ratings, metric="ordinal").krippendorff_alpha == pytest.approx(0.815, abs=5e-4)


def test_ordinal_labels_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(DataError, match=r"numbers as labels, not .*'good'"):
        agreement_of([Rating("u", "a", "good"), Rating("u", "b", "1")], metric="ordinal")


@pytest.mark.parametrize(
    ("ratings", "undefined"),
    [
        pytest.param([], set(STATISTICS), id="no ratings"),
        pytest.param(by_rater("1 2 1"), set(STATISTICS) , id="one rater"),
        pytest.param(by_rater("1 . 2\n. 1 ."), set(STATISTICS), id="no unit twice"),
        pytest.param(by_rater("1 1 1\n1 1 1"), set(STATISTICS) - {"percent"}, id="one category"),
        pytest.param(by_rater("1 2 1\n1 2 2\n2 2 1"), {"cohen_kappa"}, id="three raters"),
        pytest.param(by_rater("1 2 1 .\n1 2 2 1"), {"fleiss_kappa"}, id="unequal numbers per unit"),
    ],
)  # fmt: skip
def test_what_is_undefined_is_null_and_has_no_interval(ratings: list[Rating], undefined: set[str]) -> None:
    document = agreement_of(ratings).to_json()
    assert {name for name in STATISTICS if document[name] is None} == undefined
    assert {name for name in STATISTICS if document["ci"][name] is None} >= undefined


def halves(units: int) -> list[Rating]:
    """Two raters who agree on every second unit, and as many units again that only one of them saw."""
    rows = []
    for n in range(units):
        rows += [Rating(f"u{n}", "ann", "x"), Rating(f"u{n}", "ben", "xy"[n % 2]), Rating(f"own {n}", "ann", "y")]
    return rows


def test_units_that_were_compared_are_told_apart_from_those_that_one_rater_saw() -> None:
    found = agreement_of(halves(4))
    assert (found.units, found.compared, found.percent) == (8, 4, 0.5)


def test_a_few_units_have_no_interval_and_enough_have_one_that_is_not_empty() -> None:
    assert set(agreement_of(halves(1)).ci.values()) == {None}
    assert set(agreement_of(halves(LEAST_COMPARED - 1)).ci.values()) == {None}
    bounds = agreement_of(halves(LEAST_COMPARED)).ci["percent"]
    assert bounds is not None
    assert bounds[0] < 0.5 < bounds[1]


def test_units_that_all_agree_alike_have_no_interval() -> None:
    ratings = [Rating(f"u{n}", who, "xy"[n % 2]) for n in range(40) for who in ("ann", "ben")]
    found = agreement_of(ratings)
    assert (found.percent, found.ci["percent"]) == (1.0, None)


def test_declared_categories_make_ac1_defined_where_all_accept() -> None:
    found = agreement_of(by_rater("accept accept\naccept accept"), categories=("accept", "reject"))
    assert (found.gwet_ac1, found.krippendorff_alpha) == (1.0, None)


def test_a_label_outside_the_declared_categories_is_refused() -> None:
    with pytest.raises(DataError, match="'maybe' is not one of the categories"):
        agreement_of(by_rater("maybe\naccept"), categories=("accept", "reject"))


def test_a_unit_rated_twice_by_one_rater_is_refused() -> None:
    with pytest.raises(DataError, match="rater 'ann' rated unit 'u1' twice"):
        agreement_of([Rating("u1", "ann", "x"), Rating("u1", "ann", "y")])


@pytest.mark.parametrize(
    ("ratings", "categories"),
    [
        (by_rater(KRIPPENDORFF), ()), (by_rater(KRIPPENDORFF), ("5", "1", "2", "3", "4", "6")), (by_pair(COHEN), ()),
        ([], ("accept",)),
    ],
    ids=["five labels", "declared labels", "two raters", "none"],
)  # fmt: skip
def test_ratings_taken_in_unit_by_unit_have_the_agreement_of_all_together(
    ratings: list[Rating], categories: tuple[str, ...]
) -> None:
    tally = RatingTally()
    for unit in sorted({rating.unit for rating in ratings}, reverse=True):
        tally.add(unit, [(rating.rater, rating.label) for rating in reversed(ratings) if rating.unit == unit])
    assert agreement_in(tally.columns(categories), seed=3) == agreement_of(ratings, categories=categories, seed=3)


def test_a_unit_taken_in_with_two_ratings_of_one_rater_is_refused() -> None:
    with pytest.raises(DataError, match="rater 'ann' rated unit 'u1' twice"):
        RatingTally().add("u1", [("ann", "x"), ("bob", "x"), ("ann", "y")])


def test_texts_in_place_of_categories_are_refused_before_they_fill_the_memory() -> None:
    ratings = [Rating(f"u{n}", "ann", f"a text about {n}") for n in range(5000)]
    with pytest.raises(DataError, match="5,000 different labels over 5,000 units"):
        agreement_of(ratings)


def test_the_document_has_exactly_the_promised_keys() -> None:
    document = agreement_of(by_pair(COHEN)).to_json()
    names = ["percent", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
    assert list(document) == ["units", "raters", "compared", *names, "ci"]
    assert list(document["ci"]) == names


def test_intervals_are_equal_for_equal_seeds_and_hold_the_value() -> None:
    one, same, other = (agreement_of(by_pair(COHEN), seed=seed) for seed in (4, 4, 5))
    assert one == same
    assert one.ci != other.ci
    for name, bounds in one.ci.items():
        assert bounds is not None
        assert bounds[0] < getattr(one, name) < bounds[1]


def test_the_kappa_interval_is_near_the_published_normal_one() -> None:
    """IrrCAC prints (0.68, 0.913) for Cohen's kappa of the two abstractors, from a variance formula."""
    bounds = agreement_of(by_pair(ABSTRACTORS)).ci["cohen_kappa"]
    assert bounds == pytest.approx((0.68, 0.913), abs=0.02)


def test_no_interval_is_given_where_resamples_are_often_undefined() -> None:
    """One unit of twenty holds the only rejects: a third of all resamples miss it and have one category."""
    found = agreement_of(by_rater("\n".join([" ".join(["accept"] * 19 + ["reject"])] * 2)))
    assert found.krippendorff_alpha == 1.0
    assert found.ci["krippendorff_alpha"] is None
    assert found.ci["gwet_ac1"] is None


fixed = settings(max_examples=60, deadline=None, derandomize=True)
tables = st.lists(st.lists(st.sampled_from("xyz."), min_size=3, max_size=3), min_size=2, max_size=9)


@fixed
@given(tables, st.randoms())
def test_order_names_and_spelling_of_ratings_do_not_matter(table: list[list[str]], shuffler: random.Random) -> None:
    ratings = by_rater("\n".join(" ".join(row) for row in table))
    renamed = [Rating(f"a{r.unit}", f"q{r.rater}", {"x": "9", "y": "p", "z": "5"}[r.label]) for r in ratings]
    shuffler.shuffle(renamed)
    one, other = (agreement_of(rows, resamples=0) for rows in (ratings, renamed))
    for name in STATISTICS:
        assert getattr(one, name) == pytest.approx(getattr(other, name))


@fixed
@given(tables)
def test_no_statistic_is_above_one_and_percent_is_a_fraction(table: list[list[str]]) -> None:
    found: Agreement = agreement_of(by_rater("\n".join(" ".join(row) for row in table)), resamples=20)
    values = [value for name in STATISTICS if (value := getattr(found, name)) is not None]
    assert all(value <= 1 + 1e-12 for value in values)
    assert found.percent is None or 0 <= found.percent <= 1


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(2, 60), st.integers(2, 7), st.booleans())
def test_a_single_category_in_use_leaves_all_but_the_percentage_undefined(
    units: int, raters: int, is_ordinal: bool
) -> None:
    ratings = by_rater("\n".join([" ".join(["2"] * units)] * raters))
    metric: Literal["nominal", "ordinal"] = "ordinal" if is_ordinal else "nominal"
    found = agreement_of(ratings, categories=("1", "2", "3"), metric=metric, resamples=0)
    assert found.percent == 1.0
    assert (found.cohen_kappa, found.fleiss_kappa, found.krippendorff_alpha) == (None, None, None)
