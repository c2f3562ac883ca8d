"""Items whose key is likely wrong, ranked by the evidence of replies.

The evidence is the probability that another option than the key is right, under a model of replies in which items
differ in difficulty and in how tempting their wrong options are (`benchwright.diagnostics.keys.reply_model`). Agreement
on a wrong option is evidence only so far as it exceeds what temptation explains, and able models count more than weak
ones.
Beside it stand the classical figures by which people judge such an item: who gave what, and the item-rest correlation
of the key and of the favoured option (S. Henrysson, Psychometrika 28 (1963), 211-218): where able models leave the key
and take the favoured option, the first is negative and the second positive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchwright.diagnostics.keys.item_analysis import discrimination
from benchwright.diagnostics.keys.reply_model import fit_replies, right_options
from benchwright.replies.model_replies import LetterMatrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_ITEMS = 60
"""Items with a key and replies that a task needs for parameters of its own; smaller tasks are taken together."""
LEAST_MODELS = 2
"""Respondents that must give an option for it to be favoured: one alone is a wrong reply, not a sign."""
WORTH_A_LOOK, LIKELY, NEARLY_SURE = 0.25, 0.5, 0.9
"""Probability that a key is wrong from which a person should look, from which it is likelier wrong than not, and from
which scores should not be trusted before somebody looked."""


class SuspectedKey(NamedTuple):
    """One item, with the evidence against its key.

    Args:
        item_id: Id of the item.
        place: Number of the item in the matrix.
        key: Place of the option that the benchmark calls right.
        favoured: Place of the other option that is most likely right.
        log_odds: Natural logarithm of the odds that the key is wrong; items are ranked by it.
        for_key: Models that gave the key, sorted.
        for_favoured: Models that gave the favoured option, sorted.
        others: Number of models that gave another option or none.
        votes_for_key: Number of people who gave the key.
        votes_for_favoured: Number of people who gave the favoured option.
        key_discrimination: Item-rest correlation of the key over models; None where it is not defined.
        favoured_discrimination: The same for the favoured option, as if it were the key.
    """

    item_id: str
    place: int
    key: int
    favoured: int
    log_odds: float
    for_key: tuple[str, ...]
    for_favoured: tuple[str, ...]
    others: int
    votes_for_key: int
    votes_for_favoured: int
    key_discrimination: float | None
    favoured_discrimination: float | None

    @property
    def probability(self) -> float:
        """Return the probability that the key is wrong, 0 to 1, if the model of replies and its assumptions hold."""
        from scipy.special import expit

        return float(expit(self.log_odds))

    @property
    def is_supported(self) -> bool:
        """Return whether a person should look: it is probable enough, and two or more gave the favoured option."""
        voices = len(self.for_favoured) + self.votes_for_favoured
        return voices >= LEAST_MODELS and self.probability >= WORTH_A_LOOK


def suspected_keys(matrix: LetterMatrix, votes: NDArray[np.int64] | None = None) -> list[SuspectedKey]:
    """Return all items with a key and a reply, the likeliest to have a wrong key first.

    Of items with equal evidence, the lower id comes first. The list goes through to the end, so that any share of it
    can be looked at; `is_supported` says which items deserve to be called suspicious.

    Args:
        matrix: Replies of models; two models are little, five or more make a good list.
        votes: Number of people who gave each option without knowing the key, items x options; None without people.
    """
    import numpy as np

    log_odds, favoured = evidence(matrix, votes)
    asked = matrix.asked.any(axis=0) | (False if votes is None else votes.sum(axis=1) > 0)
    places = np.flatnonzero(asked & (matrix.key >= 0))
    of_key = discrimination(matrix.right, matrix.scored, matrix.task)
    gave_favoured = matrix.scored & (matrix.letter == favoured)
    of_favoured = discrimination(matrix.right, matrix.scored, matrix.task, gave_favoured)
    suspects = []
    for place in sorted(places.tolist(), key=lambda k: (-round(float(log_odds[k]), 9), matrix.item_ids[k])):
        key, other = int(matrix.key[place]), int(favoured[place])
        for_key, for_other = (
            tuple(sorted(np.array(matrix.models)[matrix.letter[:, place] == option].tolist()))
            for option in (key, other)
        )
        suspects.append(
            SuspectedKey(
                matrix.item_ids[place],
                place,
                key,
                other,
                float(log_odds[place]),
                for_key,
                for_other,
                others=int(matrix.asked[:, place].sum()) - len(for_key) - len(for_other),
                votes_for_key=0 if votes is None else int(votes[place, key]),
                votes_for_favoured=0 if votes is None else int(votes[place, other]),
                key_discrimination=_or_none(of_key[place]),
                favoured_discrimination=_or_none(of_favoured[place]),
            )
        )
    return suspects


def evidence(
    matrix: LetterMatrix, votes: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the log odds against each item's key, and the place of the likeliest other option.

    Items without a key have NaN and -1. Parameters are estimated for each task of `LEAST_ITEMS` items or more by
    itself, and for all other tasks together. Arguments are those of `suspected_keys`.
    """
    import numpy as np

    log_odds, favoured = np.full(len(matrix.key), np.nan), np.full(len(matrix.key), -1, dtype=np.int64)
    counts = _counts(matrix, votes)
    keyed = matrix.key >= 0
    sizes = np.bincount(matrix.task[keyed & (counts.sum(axis=(1, 2)) > 0)], minlength=len(matrix.tasks))
    part = np.where(sizes >= LEAST_ITEMS, np.arange(len(sizes)), -1)[matrix.task]
    for number in np.unique(part[keyed]):
        places = np.flatnonzero((part == number) & keyed)
        arguments = counts[places], matrix.key[places].astype(np.int64), matrix.options[places]
        logs = right_options(fit_replies(*arguments), *arguments)
        rows = np.arange(len(places))
        for_key = logs[rows, arguments[1]].copy()
        logs[rows, arguments[1]] = -np.inf
        favoured[places] = logs.argmax(axis=1)
        log_odds[places] = np.logaddexp.reduce(logs, axis=1) - for_key
    return log_odds, favoured


def _counts(matrix: LetterMatrix, votes: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Return how often each model, and people taken together as the last, gave each option: items x M x options."""
    import numpy as np

    models, items = matrix.letter.shape
    letters = int(matrix.options.max(initial=2))
    counts = np.zeros((items, models + (votes is not None), letters))
    for number in range(models):
        told = np.flatnonzero((matrix.letter[number] >= 0) & (matrix.letter[number] < matrix.options))
        counts[told, number, matrix.letter[number, told]] = 1
    if votes is not None:
        counts[:, models, : votes.shape[1]] = votes[:, :letters]
    return counts


def _or_none(value: np.float64) -> float | None:
    import numpy as np

    return None if np.isnan(value) else float(value)
