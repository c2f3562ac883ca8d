"""The error of predictions by an item response model alone, for models that were left out of the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .drawing import Batch
from .fitting import fit_item_responses
from .whole import whole_estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_MODELS = 6
"""Smallest number of models for which leaving some out is informative."""
_PARTS = 5
_USUAL, _USUAL_MODELS = 0.08, 1.0
"""Prior error, and the number of models to which it is equivalent."""


def misfit_of(
    right: NDArray[np.bool_], asked: NDArray[np.bool_], guessing: NDArray[np.float64], batch: Batch
) -> float | None:
    """Return the root mean square error of predictions from a subset, across models left out of the fit.

    A fifth of the models is left out at a time. Models that were not asked all items are not used.

    Args:
        right: Models x items.
        asked: Models x items.
        guessing: Probability of a right guess for each item.
        batch: The subset.

    Returns:
        The error, 0 to 1; None if fewer than `LEAST_MODELS` models were asked all items.
    """
    import numpy as np

    whole = np.flatnonzero(asked.all(axis=1))
    if len(whole) < LEAST_MODELS:
        return None
    # Models of similar accuracy go to different parts, so that each part has able and weak ones.
    order = whole[np.argsort(right[whole].mean(axis=1), kind="stable")]
    errors = []
    for part in range(_PARTS):
        left = order[part::_PARTS]
        kept = np.ones(len(right), dtype=bool)
        kept[left] = False
        if not asked[kept].any(axis=0).all():
            continue
        fitted = fit_item_responses(right[kept], asked[kept], guessing)
        for model in left:
            replies = np.zeros(right.shape[1], dtype=bool)
            replies[batch.places] = right[model, batch.places]
            estimate = whole_estimate(fitted, replies, [batch])
            if estimate is not None:
                errors.append(estimate.predicted - right[model].mean())
    squares = float(np.square(errors).sum()) + _USUAL_MODELS * _USUAL**2
    return float((squares / (len(errors) + _USUAL_MODELS)) ** 0.5)
