"""The models that have a vote on the keys of items, and the weight of each model.

A model has a vote on items if it is significantly better than chance at them: the lower end of Wilson's interval for
its share of right letters, among those read, lies above the share expected by chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchwright.replies.model_replies import LetterMatrix
from benchwright.statistics.proportions import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def able_models(matrix: LetterMatrix, places: NDArray[Any]) -> list[int]:
    """Return the indices of the models that have a vote on these items, all of which have keys."""
    able = []
    for number in range(len(matrix.models)):
        read = places[matrix.letter[number, places] >= 0]
        right = int((matrix.letter[number, read] == matrix.key[read]).sum())
        interval = wilson(right, len(read)).interval
        if interval is not None and interval.low > float((1 / matrix.options[read]).mean()):
            able.append(number)
    return able


def voting_weights(matrix: LetterMatrix) -> NDArray[np.float64]:
    """Return the weight of each model's reply to each item, ln(a (K - 1) / (1 - a)), models x items; 0 without a vote.

    a is the model's proportion of right letters on the other items of the task with a readable letter, with one right
    letter of K added: (right + 1) / (read + K). With these weights, a vote finds the right option most often if errors
    are independent.

    Source: S. Nitzan, J. Paroush, "Optimal decision rules in uncertain dichotomous choice situations", International
    Economic Review 23 (1982), 289-297.
    """
    import numpy as np

    weights = np.zeros(matrix.letter.shape)
    keyed = matrix.key >= 0
    for task in np.unique(matrix.task[keyed]):
        places = np.flatnonzero((matrix.task == task) & keyed)
        for number in able_models(matrix, places):
            read = places[matrix.letter[number, places] >= 0]
            right, k = matrix.letter[number, read] == matrix.key[read], matrix.options[read]
            a = (int(right.sum()) - right + 1) / (len(read) - 1 + k)
            weights[number, read] = np.maximum(np.log(a * (k - 1) / (1 - a)), 0)
    return weights
