"""The adversary's learners: rows of whole items and rows of options give equal results, as an independent ridge
regression confirms.

Folds and numbers of options are unequal, and measures are random numbers, one of which reveals the key.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import Ridge

from benchwright.diagnostics.adversary import probes
from benchwright.diagnostics.adversary.probes import KeyedItems, OfItems, centred, of_letters

ITEMS = 23


def _keyed(options: NDArray[np.int64], rng: np.random.Generator) -> KeyedItems:
    groups = np.arange(ITEMS)
    return KeyedItems(rng.integers(0, options), options, groups, np.array([number % 5 % 3 for number in groups]))


def _of_ridge(measures: NDArray[np.float32], items: KeyedItems) -> NDArray[np.float64]:
    """Return the held-out scores of scikit-learn's ridge regression on rows of options."""
    exists = items.exists
    rows = measures[exists].astype(np.float64)
    item, place = np.nonzero(exists)
    targets = (items.right[item] == place) - 1 / items.options[item]
    found = np.full(exists.shape, np.nan)
    for fold in np.unique(items.folds):
        test = items.folds[item] == fold
        trained = rows[~test]
        size = len(trained) if len(rows) <= rows.shape[1] else rows.shape[1]
        ridge = Ridge(alpha=float((trained**2).sum()) / size, fit_intercept=False).fit(trained, targets[~test])
        found[item[test], place[test]] = ridge.predict(rows[test])
    return found


@pytest.mark.parametrize("count", [3, 200], ids=["fewer measures than rows", "more measures than rows"])
@pytest.mark.parametrize("options", [(2, 2), (2, 5), (4, 5)], ids=["two options", "two to four", "four options"])
def test_the_ridge_scores_are_those_of_a_regression_on_rows_of_options(count: int, options: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    items = _keyed(rng.integers(*options, ITEMS) if options[0] < options[1] else np.full(ITEMS, options[0]), rng)
    measures = centred(rng.normal(size=(*items.exists.shape, count)), items, by_place=True)
    found = probes._Learners(measures, items).scores(2, items.right)
    np.testing.assert_allclose(found, _of_ridge(measures, items), atol=2e-5)


@pytest.mark.parametrize("count", [4, 90], ids=["fewer measures than rows", "more measures than rows"])
@pytest.mark.parametrize("options", [2, 3, 4])
def test_measures_of_items_tell_what_their_rows_of_options_tell(options: int, count: int) -> None:
    rng = np.random.default_rng(2)
    items = _keyed(np.full(ITEMS, options), rng)
    values = rng.normal(size=(ITEMS, count)) ** 3  # heavy tails, which are clipped
    values[:, 1] = items.right == 0
    values[:, 2] = 1
    values = (values - values.mean(axis=0)).astype(np.float32)
    letters = 1 if options == 2 else options
    parts = np.eye(options)[:, :letters, None] * values[:, None, None, :]
    rows = centred(parts.reshape(ITEMS, options, -1), items, by_place=False)
    found = of_letters(values, items)
    np.testing.assert_allclose(found.rows(), rows, atol=2e-6)
    of_items, of_rows = (_told(measures, items) for measures in (found, rows))
    assert of_items.p == pytest.approx(of_rows.p)
    assert of_items.strongest[0] == of_rows.strongest[0] == 1
    np.testing.assert_allclose(of_items.deviations, of_rows.deviations, rtol=1e-4)
    np.testing.assert_allclose(of_items.scores, of_rows.scores, atol=2e-5)


def _told(measures: NDArray[np.float32] | OfItems, items: KeyedItems) -> probes.Tested:
    return probes.tested(measures, items, np.random.default_rng(3))


def test_options_that_a_measure_does_not_tell_apart_tie_exactly() -> None:
    rng = np.random.default_rng(4)
    items = _keyed(np.full(ITEMS, 4), rng)
    values = rng.normal(size=(ITEMS, 1)).astype(np.float32)
    of_one_letter = of_letters(values - values.mean(), items)._replace(letters=1)
    scores = probes._Learners(of_one_letter, items).scores(0, items.right)
    assert (scores[:, 1:] == scores[:, 1:2]).all()
    assert (scores[:, 0] != scores[:, 1]).any()
