"""Difficulty and discrimination of items, from the replies of the models in a folder of results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_MODELS = 5
"""Smallest number of models for a correlation over models; with so few, the value is only rough."""

_ITEMS_AT_ONCE = 1 << 16


def proportion_right(right: NDArray[np.bool_], was_asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each item's difficulty: the proportion of the models asked that answer it correctly.

    High values mean easy items; the value is NaN if no model was asked the item.

    Source: F. M. Lord, M. R. Novick, Statistical Theories of Mental Test Scores, Addison-Wesley 1968, section 15.3.

    Args:
        right: Whether each model answers each item correctly, models x items; False if not asked.
        was_asked: Whether each model was asked each item, models x items.
    """
    import numpy as np

    models = was_asked.sum(axis=0)
    shares = np.full(len(models), np.nan)
    np.divide(right.sum(axis=0), models, out=shares, where=models > 0)
    return shares


def discrimination(
    right: NDArray[np.bool_],
    was_asked: NDArray[np.bool_],
    task: NDArray[Any],
    gave: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return each item's discrimination: the correlation, over models, between the item and the rest of its task.

    The rest is a model's accuracy on the other items of the task that it was asked, so that an item does not correlate
    with itself (point-biserial item-rest correlation, -1 to 1). Below 0, weak models answer the item correctly and
    strong models do not, which is a sign of a wrong key. The value is NaN if fewer than `_LEAST_MODELS` models were
    asked the item and another item of its task, if all of them are right or all are wrong, or if all do equally well on
    the rest.

    Source: S. Henrysson, "Correction of item-total correlations in item analysis", Psychometrika 28 (1963), 211-218.

    Args:
        right: Whether each model answers each item correctly, models x items; False if not asked.
        was_asked: Whether each model was asked each item, models x items.
        task: Index of each item's task.
        gave: Whether each model gave the option to correlate with the rest, models x items; by default `right`, the
            key. The rest is always scored by the keys.
    """
    import numpy as np

    gave = right if gave is None else gave
    correlations = np.full(right.shape[1], np.nan)
    for number in np.unique(task):
        places = np.flatnonzero(task == number)
        totals, counts = right[:, places].sum(axis=1), was_asked[:, places].sum(axis=1)
        for start in range(0, len(places), _ITEMS_AT_ONCE):
            some = places[start : start + _ITEMS_AT_ONCE]
            correlations[some] = _item_rest(right[:, some], was_asked[:, some], totals, counts, gave[:, some])
    return correlations


def _item_rest(
    right: NDArray[np.bool_],
    was_asked: NDArray[np.bool_],
    totals: NDArray[Any],
    counts: NDArray[Any],
    gave: NDArray[np.bool_],
) -> NDArray[np.float64]:
    import numpy as np

    held = was_asked & (counts > 1)[:, None]
    models = held.sum(axis=0)
    rest = np.where(held, (totals[:, None] - right) / np.maximum(counts - 1, 1)[:, None], 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = np.where(held, gave - (gave & held).sum(axis=0) / models, 0.0)
        y = np.where(held, rest - rest.sum(axis=0) / models, 0.0)
        spread = np.sqrt((x * x).sum(axis=0) * (y * y).sum(axis=0))
        # Equal shares can differ by rounding; a spread of that size counts as zero.
        correlations: NDArray[np.float64] = np.where(spread > 1e-9, (x * y).sum(axis=0) / spread, np.nan)
    return np.where(models >= _LEAST_MODELS, correlations, np.nan)
