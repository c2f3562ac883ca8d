"""The effect of a finding on scores: each model's accuracy with the items, without them, and with corrected keys.

Intervals are those of all scores of Benchwright (`benchwright.statistics.share_right`), over clusters of items that
share a picture, a pair or a scene. The change is paired: both accuracies come from the same resampled clusters.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.replies.model_replies import LetterMatrix
from benchwright.statistics import LEAST_CLUSTERS, Estimate, kinds_of, percentiles, resampled_sums, share_right
from benchwright.statistics.score_interval import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ModelEffect(NamedTuple):
    """The effect of a finding on one model's accuracy.

    Args:
        model: Name of the model.
        before: Accuracy on all items with a key that the model was asked.
        concerned: Accuracy on the items of the finding.
        after: Accuracy without the items of the finding.
        change: `after` minus `before`, -1 to 1; None if no item is left.
        change_interval: 95 % interval of the change; None if there are too few clusters to resample.
        corrected: Accuracy on all items if the replacement keys are right; None without such keys.
    """

    model: str
    before: Estimate
    concerned: Estimate
    after: Estimate
    change: float | None
    change_interval: Interval | None
    corrected: Estimate | None = None


class ScoreEffects(NamedTuple):
    """The effect of a finding on the scores of all models.

    Args:
        items: Number of items concerned that have a key.
        models: Effect on each model, in the order of the matrix.
        swaps: Pairs of models of which the first leads with the items included and trails without them.
    """

    items: int
    models: tuple[ModelEffect, ...]
    swaps: tuple[tuple[str, str], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the effects as JSON values."""
        return {
            "items": self.items,
            "models": {
                effect.model: {
                    "with": _json(effect.before),
                    "on_them": _json(effect.concerned),
                    "without": _json(effect.after),
                    "change": effect.change,
                    "change_ci": None if effect.change_interval is None else list(effect.change_interval),
                    **({} if effect.corrected is None else {"corrected": _json(effect.corrected)}),
                }
                for effect in self.models
            },
            "swaps": [list(swap) for swap in self.swaps],
        }


def _json(estimate: Estimate) -> dict[str, Any]:
    ci = None if estimate.interval is None else list(estimate.interval)
    return {"value": estimate.value, "ci": ci, "n": estimate.n}


def score_effects(
    matrix: LetterMatrix, item_ids: Collection[str], *, corrected: Mapping[str, int] | None = None
) -> ScoreEffects:
    """Return the effect of a finding's items on the scores.

    Args:
        matrix: Replies of models.
        item_ids: Ids of the items concerned; those missing from the matrix or without a key are ignored.
        corrected: Index of the option that may be right instead of the key, by item id.
    """
    import numpy as np

    ids = frozenset(item_ids)
    concerned = np.array([item_id in ids for item_id in matrix.item_ids], dtype=bool)
    new_key = matrix.key.copy()
    for number, item_id in enumerate(matrix.item_ids if corrected else ()):
        new_key[number] = (corrected or {}).get(item_id, matrix.key[number])
    right_instead = matrix.scored & (matrix.letter == new_key)
    effects = tuple(
        _effect(row, matrix, concerned, right_instead[row] if corrected else None) for row in range(len(matrix.models))
    )
    swaps = [
        (ahead.model, behind.model)
        for pair in combinations(effects, 2)
        for ahead, behind in (pair, pair[::-1])
        if _is_ahead(ahead.before, behind.before) and _is_ahead(behind.after, ahead.after)
    ]
    return ScoreEffects(int((concerned & (matrix.key >= 0)).sum()), effects, tuple(swaps))


def _is_ahead(first: Estimate, second: Estimate) -> bool:
    return first.value is not None and second.value is not None and first.value > second.value


def _effect(
    row: int, matrix: LetterMatrix, concerned: NDArray[np.bool_], right_instead: NDArray[np.bool_] | None
) -> ModelEffect:
    scored, model = matrix.scored[row], matrix.models[row]
    right, group, gone = matrix.right[row, scored], matrix.group[scored], concerned[scored]
    before = share_right(right, group)
    after = share_right(right[~gone], group[~gone])
    change = None if before.value is None or after.value is None else after.value - before.value
    return ModelEffect(
        model,
        before,
        share_right(right[gone], group[gone]),
        after,
        change,
        None if change is None else _change_interval(right, group, gone, model),
        None if right_instead is None else share_right(right_instead[scored], group),
    )


def _change_interval(
    right: NDArray[np.bool_], group: NDArray[np.int64], gone: NDArray[np.bool_], model: str
) -> Interval | None:
    """Return percentiles of the change over resampled clusters; (0, 0) if no item is concerned."""
    import numpy as np

    if not gone.any():
        return Interval(0.0, 0.0)
    kept = ~gone
    kinds = kinds_of(group, right, kept, right & kept)
    if kinds.clusters < LEAST_CLUSTERS:
        return None
    items, rights, items_kept, rights_kept = resampled_sums(kinds, "audit", model, "change").T
    without = np.divide(rights_kept, items_kept, out=np.full_like(rights, np.nan), where=items_kept > 0)
    change = without - rights / items
    return percentiles(change[~np.isnan(change)])
