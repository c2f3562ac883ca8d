"""Variances of crossed and nested effects: worked examples, statsmodels on balanced rows, drawn ones on uneven rows.

Facts held here: the estimates equal Brennan's (Generalizability Theory, Springer 2001) for three of his synthetic data
sets, one of them unbalanced and one with missing answers; they equal those of statsmodels where rows are balanced; on
uneven rows they are right on average; what is left out of the jackknife is what estimates without these rows give.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchwright.statistics.variance_components import grouping_of, jackknife_error, refines, variance_components

# Brennan 2001, synthetic data set 3 (table 3.1): ten persons, four items on each of two occasions.
PERSONS_ITEMS_OCCASIONS = [
    [2, 6, 7, 5, 2, 5, 5, 5],
    [4, 5, 6, 7, 6, 7, 5, 7],
    [5, 5, 4, 6, 5, 4, 5, 5],
    [5, 9, 8, 6, 5, 7, 7, 6],
    [4, 3, 5, 6, 4, 5, 6, 4],
    [4, 4, 4, 7, 6, 4, 7, 8],
    [2, 6, 6, 5, 2, 7, 7, 5],
    [3, 4, 4, 5, 6, 6, 6, 4],
    [0, 5, 4, 5, 5, 5, 5, 3],
    [6, 8, 7, 6, 6, 8, 8, 6],
]
# His unbalanced p x (i:h) design (section 7.1): eight persons; two, four and two items of three kinds.
UNBALANCED = [
    [4, 5, 3, 3, 5, 4, 5, 7],
    [2, 1, 2, 3, 1, 4, 4, 6],
    [2, 4, 4, 7, 6, 5, 8, 7],
    [1, 3, 5, 4, 5, 5, 4, 5],
    [3, 3, 6, 7, 5, 7, 8, 9],
    [1, 2, 5, 6, 4, 4, 5, 6],
    [3, 5, 6, 8, 6, 7, 7, 8],
    [0, 1, 1, 2, 0, 4, 7, 8],
]
# His p x i design with missing answers (section 7.1), right and wrong.
MISSING = [
    [1, 1, 1, 1, 0, 1],
    [1, 0, 1, 1, 1, 1],
    [None, 1, 1, 1, 0, 0],
    [0, None, None, 1, 0, 1],
    [1, None, 0, 1, 0, None],
    [1, 1, 1, 1, 0, 1],
    [0, None, 1, None, 0, 0],
    [0, None, 1, 1, 1, 1],
    [1, 1, 0, 1, None, 0],
    [None, 0, 0, 0, None, 0],
    [1, 1, 1, 1, 1, 1],
    [None, 0, None, 0, 0, 1],
]


def estimates(values: Any, *effects: tuple[Any, ...]) -> Any:
    codes = [grouping_of(*map(np.asarray, effect)) for effect in effects]
    return variance_components(np.asarray(values), codes, grouping_of(np.asarray(effects[0][0])))


def test_a_crossed_design_gives_brennans_components() -> None:
    table = np.array(PERSONS_ITEMS_OCCASIONS)
    p, column = (axis.ravel() for axis in np.indices(table.shape))
    o, i = column // 4, column % 4
    found = estimates(table.ravel(), (p,), (i,), (o,), (p, i), (p, o), (i, o), (p, i, o))
    assert found.values == pytest.approx([0.5528, 0.4417, 0.0074, 0.5750, 0.1009, 0.1565, 0.9352], abs=5e-5)
    assert found.in_mean == pytest.approx([1 / 10, 1 / 4, 1 / 2, 1 / 40, 1 / 20, 1 / 8, 1 / 80])
    assert found.mean == pytest.approx(5.275)


def test_an_unbalanced_design_gives_brennans_components() -> None:
    table = np.array(UNBALANCED)
    p, i = (axis.ravel() for axis in np.indices(table.shape))
    h = np.array([0, 0, 1, 1, 1, 1, 2, 2])[i]
    found = estimates(table.ravel(), (p,), (h,), (h, i), (p, h), (p, i))
    printed = [1.2014, 2.9161, 0.2946, 0.9913, 0.8429]  # the fourth is .99143; it is printed from rounded parts
    assert found.values == pytest.approx(printed, abs=1.5e-4)


def test_missing_answers_give_brennans_components() -> None:
    rows = [(p, i, right) for p, row in enumerate(MISSING) for i, right in enumerate(row) if right is not None]
    p, i, right = map(np.array, zip(*rows, strict=True))
    assert estimates(right, (p,), (i,), (p, i)).values == pytest.approx([0.0473, 0.0117, 0.1840], abs=5e-5)


def balanced(rng: np.random.Generator) -> tuple[Any, ...]:
    """Return rows of 24 clusters of two items in three orders and two wordings: cluster, item, order, wording, value."""
    c, k, o, w = (axis.ravel() for axis in np.indices((24, 2, 3, 2)))
    i = 2 * c + k
    value = 0.9 * rng.normal(size=24)[c] + 0.8 * rng.normal(size=48)[i] + 0.6 * rng.normal(size=(48, 3))[i, o]
    value += np.array([0.0, 0.7])[w] + 0.5 * rng.normal(size=(48, 2))[i, w] + 0.4 * rng.normal(size=len(i))
    return c, i, o, w, value


@pytest.mark.slow
def test_balanced_rows_give_what_the_analysis_of_variance_of_statsmodels_gives() -> None:
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    c, i, o, w, value = balanced(np.random.default_rng(2))
    frame = pd.DataFrame({"c": c, "k": i % 2, "o": o, "w": w, "y": value})
    fitted = ols("y ~ C(c) + C(c):C(k) + C(c):C(k):C(o) + C(w) + C(c):C(k):C(w)", frame).fit()
    square = anova_lm(fitted)["sum_sq"] / anova_lm(fitted)["df"]
    ms_c, ms_i, ms_o, ms_w, ms_iw, ms = (
        square[name] for name in ("C(c)", "C(c):C(k)", "C(c):C(k):C(o)", "C(w)", "C(c):C(k):C(w)", "Residual")
    )
    expected = [  # from the expected mean squares: 2 items a cluster, 3 orders, 2 wordings
        (ms_c - ms_i) / 12,
        (ms_i - ms_o - ms_iw + ms) / 6,
        (ms_o - ms) / 2,
        (ms_w - ms_iw) / 144,
        (ms_iw - ms) / 3,
        ms,
    ]
    found = estimates(value, (c,), (i,), (i, o), (w,), (i, w), (i, o, w))
    assert found.values == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_balanced_rows_give_what_the_mixed_model_of_statsmodels_gives() -> None:
    import pandas as pd
    from statsmodels.formula.api import mixedlm

    c, i, _, _, value = balanced(np.random.default_rng(3))
    frame = pd.DataFrame({"c": c, "i": i, "y": value})
    fitted = mixedlm("y ~ 1", frame, groups="c", vc_formula={"i": "0 + C(i)"}, re_formula="1").fit()
    found = estimates(value, (c,), (i,), (np.arange(len(i)),))
    assert found.values == pytest.approx([fitted.cov_re.iloc[0, 0], fitted.vcomp[0], fitted.scale], rel=1e-3)


@pytest.mark.slow
def test_uneven_rows_give_the_true_variances_on_average() -> None:
    true = np.array([0.05, 0.10, 0.04, 0.03, 0.06, 0.20])
    sizes = np.array([1, 1, 1, 2, 2, 3, 4, 6, 9, 14] * 3)
    group = np.repeat(np.arange(len(sizes)), sizes)
    all_found = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        i, o, w = (axis.ravel() for axis in np.indices((len(group), 3, 4)))
        held = rng.random(len(i)) < np.where(w == 0, 0.9, 0.35)  # most items are asked in one wording only
        i, o, w = i[held], o[held], w[held]
        effects = [(group[i],), (i,), (i, o), (w,), (i, w), (np.arange(len(i)),)]
        value = sum(
            np.sqrt(variance) * rng.normal(size=int(codes.max()) + 1)[codes]
            for variance, codes in zip(true, (grouping_of(*effect) for effect in effects), strict=True)
        )
        all_found.append(estimates(value, *effects).values)
    mean, error = np.mean(all_found, axis=0), np.std(all_found, axis=0) / np.sqrt(len(all_found))
    assert np.abs(mean - true) / error == pytest.approx(np.zeros(6), abs=3.5)
    assert (error < 0.1 * true + 0.002).all()  # so that a bias would show


def test_what_is_left_out_is_what_estimates_without_these_rows_give() -> None:
    rng = np.random.default_rng(5)
    i, w = rng.integers(0, 40, 300), rng.integers(0, 3, 300)
    i, w = np.unique(np.column_stack([i, w]), axis=0).T
    value, block = rng.normal(size=len(i)), i % 7
    effects = [(i,), (w,), (np.arange(len(i)),)]
    found = variance_components(value, [grouping_of(*effect) for effect in effects], block)
    for number in range(7):
        kept = block != number
        rest = [grouping_of(*(labels[kept] for labels in effect)) for effect in effects]
        alone = variance_components(value[kept], rest, np.zeros(int(kept.sum()), dtype=np.int64))
        assert found.without[number] == pytest.approx(alone.values)


def test_the_jackknife_of_a_mean_has_the_usual_error() -> None:
    values = np.array([1.0, 2.0, 4.0, 9.0])
    without = (values.sum() - values)[:, None] / 3
    assert jackknife_error(without) == pytest.approx([values.std(ddof=1) / 2])
    assert np.isnan(jackknife_error(without[:1])).all()


def test_one_grouping_refines_another_if_each_of_its_groups_lies_in_one_of_the_other() -> None:
    fine, coarse = np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1])
    assert refines(fine, coarse)
    assert not refines(coarse, fine)
