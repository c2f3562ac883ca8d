"""Evidence against an item's key: strong models that agree on another letter, and people who answered without the key.

The model of replies: a respondent gives the right letter with probability a, the ability, and each of the other K - 1
letters with equal probability. A reply of l instead of the key k then makes it (a (K - 1) / (1 - a)) times as likely
that l is right as that k is right. The logarithms of these ratios add up over replies. This is weighted voting in which
a respondent who is no better than chance has no vote.

Source: S. Nitzan, J. Paroush, "Optimal decision rules in uncertain dichotomous choice situations", International
Economic Review 23 (1982), 289-297; the model of replies: A. P. Dawid, A. M. Skene, "Maximum likelihood estimation of
observer error-rates using the EM algorithm", Applied Statistics 28 (1979), 20-28, with one rate for each observer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.proportions import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ITEMS_AT_ONCE = 1 << 16


class Evidence(NamedTuple):
    """Evidence against each item's key, in natural logarithms of odds.

    Args:
        letter: Place of the letter other than the key that models favour most; the first of equals, below 0 for none.
        models: Evidence of models for that letter against the key; 0 where there is none.
        voices: Number of models with a vote that gave the letter.
        people: Evidence of people for any other letter against the key; 0 where nobody was asked.
    """

    letter: NDArray[np.int8]
    models: NDArray[np.float64]
    voices: NDArray[np.int64]
    people: NDArray[np.float64]


def evidence_against(
    letter: NDArray[np.int8],
    key: NDArray[np.int8],
    options: NDArray[Any],
    task: NDArray[Any],
    people: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> Evidence:
    """Return the evidence against the keys of items.

    Args:
        letter: Place of each model's letter, models x items; below 0 where there is none.
        key: Place of each item's key; below 0 where it has none, and then there is no evidence.
        options: Number of each item's options.
        task: Number of each item's task; abilities are estimated per task.
        people: Number of people asked each item, and number of those who gave the key.
    """
    import numpy as np

    weight = voting_weights(letter, key, options, task)
    n = len(key)
    best, against = np.full(n, -1, dtype=np.int8), np.zeros(n)
    voices = np.zeros(n, dtype=np.int64)
    for start in range(0, n, _ITEMS_AT_ONCE):
        part = slice(start, start + _ITEMS_AT_ONCE)
        best[part], against[part], voices[part] = _favoured(letter[:, part], key[part], options[part], weight[:, part])
    return Evidence(best, against, voices, people_against(*people, options, task) * (key >= 0))


def voting_weights(
    letter: NDArray[np.int8], key: NDArray[np.int8], options: NDArray[Any], task: NDArray[Any]
) -> NDArray[np.float32]:
    """Return the weight of each model's reply to each item, ln(a (K - 1) / (1 - a)), at least 0.

    a is the model's share of right letters on the other items of the task for which a letter was read, with one right
    letter of K added: (right + 1) / (read + K). A model has a vote only if it is significantly better than chance at
    the
    task: the lower end of Wilson's interval of its share of right letters must lie above chance.
    """
    import numpy as np

    weights = np.zeros(letter.shape, dtype=np.float32)
    read, right = (letter >= 0) & (key >= 0), (letter == key) & (key >= 0)
    for number in np.unique(task):
        of_task = task == number
        for row in range(len(letter)):
            counted = of_task & read[row]
            count, total = int(counted.sum()), int(right[row, counted].sum())
            if not _is_able(total, count, options[counted]):
                continue
            ability = (total - right[row, counted] + 1) / (count - 1 + options[counted])
            weights[row, counted] = weight_of(ability, options[counted])
    return weights


def weight_of(ability: NDArray[np.float64], options: NDArray[Any]) -> NDArray[np.float64]:
    """Return ln(a (K - 1) / (1 - a)), 0 where that is below 0."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ability > 1 / options, np.log(ability * (options - 1) / (1 - ability)), 0.0)


def people_against(
    answers: NDArray[np.int64], right: NDArray[np.int64], options: NDArray[Any], task: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the evidence of people's answers for any other letter against the key.

    It is only known whether people gave the key. Each person who gave it counts -ln(a (K - 1) / (1 - a)); each person
    who did not counts ln((1 - (1 - a) / (K - 1)) / (1 - a)): the probability of not giving a wrong letter divided by
    that of not giving the right one. a is the share of right answers to the other items of the task; the condition for
    a vote is the same as in `voting_weights`.
    """
    import numpy as np

    evidence = np.zeros(len(answers))
    for number in np.unique(task):
        counted = (task == number) & (answers > 0)
        count, total, k = int(answers[counted].sum()), int(right[counted].sum()), options[counted]
        if not _is_able(total, count, k):
            continue
        a = (total - right[counted] + 1) / (count - answers[counted] + k)
        for_key = weight_of(a, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            against = np.where(for_key > 0, np.log((1 - (1 - a) / (k - 1)) / (1 - a)), 0.0)
        evidence[counted] = (answers[counted] - right[counted]) * against - right[counted] * for_key
    return evidence


def _is_able(right: int, count: int, options: NDArray[Any]) -> bool:
    """Return whether this many right letters are significantly more than chance."""
    interval = wilson(right, count).interval
    return interval is not None and interval.low > float((1 / options).mean())


def _favoured(
    letter: NDArray[np.int8], key: NDArray[np.int8], options: NDArray[Any], weight: NDArray[np.float32]
) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int64]]:
    """Return the heaviest letter of each item other than the key, its lead over the key, and its number of voters."""
    import numpy as np

    n = len(key)
    for_key = np.where(letter == key, weight, 0.0).sum(axis=0, dtype=np.float64)
    best, most, voices = np.full(n, -1, dtype=np.int8), np.zeros(n), np.zeros(n, dtype=np.int64)
    for place in range(int(options.max(initial=0))):
        gave = (letter == place) & (weight > 0)
        sums = np.where(gave, weight, 0.0).sum(axis=0, dtype=np.float64)
        better = (sums > most) & (key != place) & (key >= 0)
        best[better], most[better], voices[better] = place, sums[better], gave.sum(axis=0)[better]
    return best, np.where(best >= 0, most - for_key, 0.0), voices
