"""Items on which people, or able models, split between two options.

People split if more of them choose a second option than ordinary mistakes explain. A binomial test compares the number
of votes for the most popular of the other options with the share that such an option gets over all items of the task.
Models split if several able models choose each of the two options, with about equal weight by skill, and the best
models disagree. Several options may then be right, and a curator must decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from benchwright.replies.model_replies import LetterMatrix

from .able_models import voting_weights
from .suspected_keys import PeopleAnswers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_PEOPLE, _LEAST_SECOND_SHARE, _MOST_BY_CHANCE = 5, 0.3, 0.01
"""Smallest number of people asked, smallest share of their votes for the second option, and largest p-value of the
binomial test."""
_LEAST_ABLE, _LEAST_EACH, _LEAST_WEIGHT = 4, 2, 0.4
"""Smallest number of able models that gave a letter, smallest number on either side, and either side's smallest share
of the summed weights."""


class AmbiguousItem(NamedTuple):
    """An item on which respondents split between two options.

    Args:
        item_id: Id of the item.
        options: Indices of the two options, the more popular one first.
        shares: Shares of the two options among people's votes, or in the summed weights of able models.
        split: Kind of respondents that split.
        key: Index of the key; -1 if there is no key.
        models: Models that gave each of the two options, sorted.
        votes: Number of people who gave each of the two options.
        p_value: p-value of the binomial test; None if people were not asked, or do not split.
    """

    item_id: str
    options: tuple[int, int]
    shares: tuple[float, float]
    split: Literal["people", "models", "people_and_models"]
    key: int
    models: tuple[tuple[str, ...], tuple[str, ...]]
    votes: tuple[int, int]
    p_value: float | None


def ambiguous_items(matrix: LetterMatrix, people: PeopleAnswers | None = None) -> list[AmbiguousItem]:
    """Return the items on which people or able models split, the most even splits first; people precede models.

    Args:
        matrix: Replies of models.
        people: Answers of people; None if none were asked.
    """
    votes = None if people is None else people.votes
    by_people = {} if votes is None else _split_people(matrix, votes)
    by_models = _split_models(matrix)
    found = []
    for place in sorted({*by_people, *by_models}):
        options, shares, p_value = by_people.get(place) or (*by_models[place], None)
        is_both = place in by_people and place in by_models and set(by_models[place][0]) == set(options)
        first, second = (
            tuple(sorted(m for m, given in zip(matrix.models, matrix.letter[:, place], strict=True) if given == option))
            for option in options
        )
        found.append(
            AmbiguousItem(
                matrix.item_ids[place],
                options,
                shares,
                "people_and_models" if is_both else "people" if place in by_people else "models",
                int(matrix.key[place]),
                (first, second),
                (0, 0) if votes is None else (int(votes[place, options[0]]), int(votes[place, options[1]])),
                p_value,
            )
        )
    return sorted(found, key=lambda item: (item.split == "models", -round(item.shares[1], 9), item.item_id))


def _two_greatest(sums: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the greatest and second-greatest values in each row; ties go to the lower index."""
    import numpy as np

    order = np.argsort(-sums, axis=1, kind="stable")
    return order[:, 0], order[:, 1]


def _split_people(
    matrix: LetterMatrix, votes: NDArray[np.int64]
) -> dict[int, tuple[tuple[int, int], tuple[float, float], float | None]]:
    """Return the items on which people split: the two options, their shares of the votes, and the p-value."""
    import numpy as np
    from scipy.stats import binom

    split: dict[int, tuple[tuple[int, int], tuple[float, float], float | None]] = {}
    people = votes.sum(axis=1)
    first, second = _two_greatest(votes.astype(np.float64))
    rows = np.arange(len(votes))
    for number in np.unique(matrix.task):
        asked = (matrix.task == number) & (people > 0)
        ordinary = float(votes[rows, second][asked].sum() / max(1, people[asked].sum()))
        for place in np.flatnonzero(asked & (people >= _LEAST_PEOPLE)).tolist():
            n, of_first, of_second = (int(x) for x in (people[place], *votes[place, [first[place], second[place]]]))
            p_value = float(binom.sf(of_second - 1, n, ordinary))
            if of_second >= _LEAST_SECOND_SHARE * n and p_value <= _MOST_BY_CHANCE:
                split[place] = ((int(first[place]), int(second[place])), (of_first / n, of_second / n), p_value)
    return split


def _split_models(matrix: LetterMatrix) -> dict[int, tuple[tuple[int, int], tuple[float, float]]]:
    """Return the items on which able models split: the two options, and their shares of the weights."""
    import numpy as np

    models, items = matrix.letter.shape
    letters = int(matrix.options.max(initial=2))
    weight = voting_weights(matrix)
    sums, voices = np.zeros((items, letters)), np.zeros((items, letters), dtype=np.int64)
    for option in range(letters):
        gave = (matrix.letter == option) & (weight > 0)
        sums[:, option], voices[:, option] = np.where(gave, weight, 0).sum(axis=0), gave.sum(axis=0)
    first, second = _two_greatest(sums)
    total = sums.sum(axis=1)
    split: dict[int, tuple[tuple[int, int], tuple[float, float]]] = {}
    for place in np.flatnonzero(voices.sum(axis=1) >= _LEAST_ABLE).tolist() if models >= _LEAST_ABLE else []:
        both = int(first[place]), int(second[place])
        shares = float(sums[place, both[0]] / total[place]), float(sums[place, both[1]] / total[place])
        if shares[1] >= _LEAST_WEIGHT and min(voices[place, list(both)]) >= _LEAST_EACH:
            best = np.argsort(-weight[:, place], kind="stable")[:2]
            if len({int(g) for g in matrix.letter[best, place]} & set(both)) == _LEAST_EACH:
                split[place] = both, shares
    return split
