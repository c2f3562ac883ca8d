"""Agreement of models with one another on a task, compared with their agreement with its keys.

Able models that err independently agree with right keys more than with one another: a reply that differs from another
model's may still be right. If they agree with one another far more than with the keys, either something misleads all of
them in the same way, or keys are wrong. Agreement is corrected for chance by the letters that each gives (Cohen's
kappa), so that a preference for a letter does not count as agreement.

Source: J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20 (1960),
37-46.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.replies.model_replies import LetterMatrix

from .able_models import able_models

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST_ITEMS = 15
"""Number of items with a key and replies that a task needs in order to be judged separately."""
_SURELY_AGREE = 4.0
"""Standard errors above chance at which the agreement of two models indicates the answer."""
_LEAST_KAPPA = 0.2
_DIFFERS = 1.0
"""Standard errors by which agreement among models must exceed agreement with the keys for the keys to be in doubt."""
_DIFFERS_FAR = 3.0
_LEAST_GAP = 0.02
_LEAST_OF_KIND = 10
"""Number of items with equal numbers of options from which on a model's letters are counted separately for these
items."""
_APART_SHARE, _DIFFERS_APART = 0.6, 2.0
"""Share of the agreement among models below which agreement with keys is unlike that of any clean task, for which it is
.79 or more on BLINK and MVP-Bench; and the number of standard errors by which the two must differ."""
_FAR_KAPPA, _FAR_SHARE = 0.35, 1 / 3
"""Smallest agreement among models, and the share of it below which the agreement with keys means that the keys have
little to do with the task's questions."""


class TaskAgreement(NamedTuple):
    """Agreement of models on the items of one task.

    Args:
        places: Indices of the items with a key, in the order of the source.
        models: Indices of the models that are used: those that are better than chance by the keys, and those whose
            agreement with another model exceeds chance.
        among: Mean kappa over pairs of these models; NaN for fewer than two.
        with_keys: Mean kappa of these models with the keys.
        gap: Mean over items of how much more often models agree with one another than with the key, both minus chance.
        error: Standard error of that mean.
    """

    places: NDArray[np.int64]
    models: tuple[int, ...]
    among: float
    with_keys: float
    gap: float
    error: float

    @property
    def is_in_doubt(self) -> bool:
        """Return whether models agree with one another more than with the keys, beyond chance."""
        return self.gap > _LEAST_GAP and self.gap > _DIFFERS * self.error

    @property
    def is_apart(self) -> bool:
        """Return whether the keys account for far less of the models' agreement than the keys of clean tasks do."""
        return (
            self.is_in_doubt and self.with_keys < _APART_SHARE * self.among and self.gap > _DIFFERS_APART * self.error
        )

    @property
    def is_far_apart(self) -> bool:
        """Return whether models agree with each other, but hardly with the keys."""
        is_far = self.among >= _FAR_KAPPA and self.with_keys < _FAR_SHARE * self.among
        return self.is_in_doubt and is_far and self.gap > _DIFFERS_FAR * self.error


def agreement_of(matrix: LetterMatrix, places: NDArray[Any]) -> TaskAgreement:
    """Return the agreement of models on some items, all of which have keys."""
    import numpy as np

    letter, options = matrix.letter[:, places], matrix.options[places]
    letter = np.where((letter >= 0) & (letter < options), letter, -1).astype(np.int64)
    key = matrix.key[places].astype(np.int64)
    pairs = {pair: _agreed(letter[pair[0]], letter[pair[1]], options) for pair in combinations(range(len(letter)), 2)}
    agreeing = {
        number
        for pair, (over, chance) in pairs.items()
        for number in pair
        if _kappa(over, chance) >= _LEAST_KAPPA and _deviate(over, chance) > _SURELY_AGREE
    }
    models = tuple(sorted(agreeing | set(able_models(matrix, places))))
    among = [pairs[pair] for pair in combinations(models, 2)]
    with_keys = [_agreed(letter[number], key, options) for number in models]
    if not among:
        return TaskAgreement(places, models, np.nan, np.nan, 0.0, np.inf)
    together = np.array([over for over, _ in among]), np.array([over for over, _ in with_keys])
    counted = ~np.isnan(together[0]).all(axis=0) & ~np.isnan(together[1]).all(axis=0)
    if counted.sum() < 2:
        return TaskAgreement(places, models, np.nan, np.nan, 0.0, np.inf)
    differences = np.nanmean(together[0][:, counted], axis=0) - np.nanmean(together[1][:, counted], axis=0)
    return TaskAgreement(
        places,
        models,
        float(np.mean([_kappa(*each) for each in among])),
        float(np.mean([_kappa(*each) for each in with_keys])),
        float(differences.mean()),
        float(differences.std(ddof=1) / np.sqrt(len(differences))),
    )


def _agreed(first: NDArray[np.int64], second: NDArray[np.int64], options: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return, for each item, whether two sets of answers agree, minus the chance of agreement, and that chance; NaN if
    an answer is missing.
    """
    import numpy as np

    over, chances = np.full(len(first), np.nan), np.full(len(first), np.nan)
    both = (first >= 0) & (second >= 0)
    for k in np.unique(options[both]):
        some = both & (options == k)
        if some.sum() >= _LEAST_OF_KIND:
            shares = [np.bincount(each[some], minlength=k) / some.sum() for each in (first, second)]
            chance = float(shares[0] @ shares[1])
        else:
            chance = 1 / int(k)
        over[some], chances[some] = (first[some] == second[some]) - chance, chance
    return over, chances


def _kappa(over: Floats, chance: Floats) -> float:
    import numpy as np

    known = ~np.isnan(over)
    room = float((1 - chance[known]).sum())
    return float(over[known].sum() / room) if room > 0 else 0.0


def _deviate(over: Floats, chance: Floats) -> float:
    import numpy as np

    known = ~np.isnan(over)
    variance = float((chance[known] * (1 - chance[known])).sum())
    return float(over[known].sum() / np.sqrt(variance)) if variance > 0 else 0.0


def agreements_by_task(matrix: LetterMatrix) -> dict[int, TaskAgreement]:
    """Return the agreement of models on each task with enough items that have a key and a reply, by task index."""
    import numpy as np

    replied = (matrix.key >= 0) & ((matrix.letter >= 0) & (matrix.letter < matrix.options)).any(axis=0)
    found = {}
    for number in np.unique(matrix.task[replied]).tolist():
        places = np.flatnonzero((matrix.task == number) & replied)
        if len(places) >= LEAST_ITEMS:
            found[number] = agreement_of(matrix, places)
    return found


def consensus(matrix: LetterMatrix, agreement: TaskAgreement) -> NDArray[np.int64]:
    """Return the option that most of the models used give for each item of a task; -1 for ties."""
    import numpy as np

    letter = matrix.letter[np.array(agreement.models, np.int64)[:, None], agreement.places]
    width = int(matrix.options[agreement.places].max())
    votes = np.stack([(letter == option).sum(axis=0) for option in range(width)], axis=1)
    most = votes.max(axis=1)
    is_tied = ((votes == most[:, None]).sum(axis=1) > 1) | (most == 0)
    return np.where(is_tied, -1, votes.argmax(axis=1)).astype(np.int64)
