"""Difficulty and discrimination of items agree with correlations taken one by one, and are null where undefined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pointbiserialr

from benchwright.diagnostics.keys import item_analysis
from benchwright.diagnostics.keys.item_analysis import discrimination, proportion_right


def models(count: int = 9, items: int = 40, seed: int = 1) -> np.ndarray:
    """Return who is right of models of rising ability."""
    rng = np.random.default_rng(seed)
    return rng.random((count, items)) < np.linspace(0.2, 0.9, count)[:, None]


def test_difficulty_is_the_share_of_those_asked() -> None:
    right = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
    was_asked = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0]], dtype=bool)
    assert proportion_right(right, was_asked) == pytest.approx([2 / 3, 1 / 2, np.nan], nan_ok=True)


def test_discrimination_agrees_with_scipys_point_biserial_correlation_with_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_analysis, "_ITEMS_AT_ONCE", 7)
    right, task = models(), np.arange(40) % 2
    was_asked = np.ones_like(right)
    was_asked[3, task == 1] = False
    right &= was_asked
    correlations = discrimination(right, was_asked, task)
    for item in range(40):
        rows, rest = was_asked[:, item], (task == task[item]) & (np.arange(40) != item)
        theirs = pointbiserialr(right[rows, item], right[np.ix_(rows, rest)].mean(axis=1)).statistic
        assert correlations[item] == pytest.approx(theirs)


def test_discrimination_by_hand() -> None:
    # Five models with 0, 1, 1, 2, 2 right of the two other items; the item is right for the last two only.
    rest = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [1, 1]], dtype=bool)
    right = np.column_stack([np.array([0, 0, 0, 1, 1], dtype=bool), rest])
    # x - 0.4, y - 0.6 with y = 0, .5, .5, 1, 1: sum xy 0.8; squares 1.2 and 0.7.
    assert discrimination(right, np.ones_like(right), np.zeros(3))[0] == pytest.approx(0.8 / (1.2 * 0.7) ** 0.5)


def test_an_item_whose_key_is_wrong_discriminates_the_wrong_way_round() -> None:
    right = models(items=60)
    right[:, 0] = [True] * 4 + [False] * 5
    assert discrimination(right, np.ones_like(right), np.zeros(60))[0] < -0.5


@pytest.mark.parametrize(
    "right",
    [
        pytest.param(models(count=4), id="too few models"),
        pytest.param(np.ones((9, 40), dtype=bool), id="all right"),
        pytest.param(np.eye(9, dtype=bool), id="none differs on the rest but by this item"),
        pytest.param(models(items=1), id="no other item"),
    ],
)
def test_where_it_is_not_defined_discrimination_is_null(right: np.ndarray) -> None:
    correlations = discrimination(right, np.ones_like(right), np.zeros(right.shape[1]))
    if right.shape == (9, 9):
        assert correlations == pytest.approx(np.full(9, -1.0))  # who is right here is right nowhere else
    else:
        assert np.isnan(correlations).all()
