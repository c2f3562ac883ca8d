"""Items whose key is probably wrong, ranked by the evidence of replies.

The evidence is the probability that an option other than the key is right, under a model of replies in which items
differ in difficulty and in how tempting their wrong options are (`benchwright.diagnostics.keys.reply_model`). Agreement
on a wrong option is evidence only beyond what temptation explains, and able models count more than weak ones. A model
that is not clearly better than chance at a task has no vote there: its replies are noise, or were misread. If models
agree with one another more than with the keys of a task (`task_agreement`), those that agree also have a vote, and the
share of the task's wrong keys is estimated (`wrong_share`). The result also contains the classical statistics by which
curators judge such an item: the replies of each respondent, and the item-rest correlations of the key and of the
favored option (S. Henrysson, Psychometrika 28 (1963), 211-218). If able models reject the key and choose the favored
option, the first is negative and the second positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from benchwright.replies.model_replies import LetterMatrix
from benchwright.seeds import generator_for

from .able_models import able_models
from .item_analysis import discrimination
from .reply_model import Replies
from .task_agreement import TaskAgreement, agreements_by_task
from .wrong_share import WrongShare, usual_share, wrong_share

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_ITEMS = 60
"""Number of items with a key and replies that a task needs for separate parameters; smaller tasks share parameters."""
LEAST_VOICES = 2
"""Number of able models, or of people, that must give an option for it to be favored: a single one is just a wrong
reply."""
_MOST_TO_FIT = 1000
"""Number of items from which the parameters of a task are estimated; larger tasks are sampled."""
_WORTH_A_LOOK, LIKELY, NEARLY_SURE = 0.25, 0.5, 0.9
"""Probabilities that a key is wrong above which, in order, a curator should check the key, the key is more likely wrong
than right, and scores are not trustworthy before a check."""


_ITEMS_AT_ONCE = 1 << 16


class PeopleAnswers(NamedTuple):
    """Answers of people who did not see the keys, for all people together.

    Args:
        votes: Number of people who gave each option, items x options.
        misses: Number of people who gave an unknown option other than the key, by item; None if all options are known.
    """

    votes: NDArray[np.int64]
    misses: NDArray[np.int64] | None = None

    @property
    def asked(self) -> NDArray[np.int64]:
        """Return the number of people who were asked each item."""
        asked: NDArray[np.int64] = self.votes.sum(axis=1)
        return asked if self.misses is None else asked + self.misses


class Evidence(NamedTuple):
    """The evidence of replies on items with a key.

    Args:
        log_odds: Natural logarithm of the odds that the key is wrong; NaN for items without a key.
        favoured: Index of the most likely other option; -1 for items without a key.
        able: Whether each model has a vote on each item, models x items.
        shares: Proportion of wrong keys of each task on which models agree with each other more than with the keys, by
            the task's index.
    """  # phrase: allowed

    log_odds: NDArray[np.float64]
    favoured: NDArray[np.int64]
    able: NDArray[np.bool_]
    shares: Mapping[int, WrongShare]


class SuspectedKey(NamedTuple):
    """An item, with the evidence against its key.

    Args:
        item_id: Id of the item.
        place: Index of the item in the matrix.
        key: Index of the option that the benchmark calls right.
        favoured: Index of the other option that is most likely right.
        log_odds: Natural logarithm of the odds that the key is wrong, by which items are ranked.
        for_key: Models that gave the key, sorted.
        for_favoured: Models that gave the favored option, sorted.
        others: Number of models that gave another option or none.
        voices: Number of models with a vote that gave the favored option.
        votes_for_key: Number of people who gave the key.
        votes_for_favoured: Number of people who gave the favored option.
        misses: Number of people who gave an unknown option other than the key.
        key_discrimination: Item-rest correlation of the key over models; None if it is not defined.
        favoured_discrimination: The same for the favored option, as if it were the key.
    """  # phrase: allowed

    item_id: str
    place: int
    key: int
    favoured: int
    log_odds: float
    for_key: tuple[str, ...]
    for_favoured: tuple[str, ...]
    others: int
    voices: int
    votes_for_key: int
    votes_for_favoured: int
    misses: int
    key_discrimination: float | None
    favoured_discrimination: float | None

    @property
    def probability(self) -> float:
        """Return the probability, 0 to 1, that the key is wrong, given the model of replies and its assumptions."""
        from scipy.special import expit

        return float(expit(self.log_odds))

    @property
    def is_supported(self) -> bool:
        """Return whether a curator should check the key: it is doubtful enough, and two or more gave another option."""
        voices = self.voices + self.votes_for_favoured + self.misses
        return voices >= LEAST_VOICES and self.probability >= _WORTH_A_LOOK


def suspected_keys(
    matrix: LetterMatrix, people: PeopleAnswers | None = None, *, found: Evidence | None = None
) -> list[SuspectedKey]:
    """Return all items with a key and a reply, sorted with the most probably wrong keys first.

    Among items with equal evidence, the lower id comes first. The list is complete, so that any part of it can be
    checked; `is_supported` marks the suspicious items.

    Args:
        matrix: Replies of models; two models give a weak list, five or more a good one.
        people: Answers of people; None if no people were asked.
        found: The evidence, if already known; if None, it is computed with `evidence`.
    """
    import numpy as np

    found = evidence(matrix, people) if found is None else found
    asked = matrix.asked.any(axis=0) | (False if people is None else people.asked > 0)
    places = np.flatnonzero(asked & (matrix.key >= 0))
    of_key = discrimination(matrix.right, matrix.scored, matrix.task)
    gave_favoured = matrix.scored & (matrix.letter == found.favoured)
    voices = (gave_favoured & found.able).sum(axis=0)
    of_favoured = discrimination(matrix.right, matrix.scored, matrix.task, gave_favoured)
    suspects = []
    for place in sorted(places.tolist(), key=lambda k: (-round(float(found.log_odds[k]), 9), matrix.item_ids[k])):
        key, other = int(matrix.key[place]), int(found.favoured[place])
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
                float(found.log_odds[place]),
                for_key,
                for_other,
                others=int(matrix.asked[:, place].sum()) - len(for_key) - len(for_other),
                voices=int(voices[place]),
                votes_for_key=0 if people is None else int(people.votes[place, key]),
                votes_for_favoured=0 if people is None else int(people.votes[place, other]),
                misses=0 if people is None or people.misses is None else int(people.misses[place]),
                key_discrimination=_or_none(of_key[place]),
                favoured_discrimination=_or_none(of_favoured[place]),
            )
        )
    return suspects


def evidence(matrix: LetterMatrix, people: PeopleAnswers | None = None) -> Evidence:
    """Return the evidence of replies on the keys of items.

    Each task with at least `_LEAST_ITEMS` items has its own parameters; all other tasks share theirs. A task on which
    models agree with one another more than with the keys has its own at any size. The order and the names of models,
    and the order of items, make no difference. The arguments are those of `suspected_keys`.
    """
    import numpy as np

    models, items = matrix.letter.shape
    log_odds, favoured = np.full(items, np.nan), np.full(items, -1, dtype=np.int64)
    voices = np.zeros((models, items), dtype=bool)
    keyed = matrix.key >= 0
    doubted = {number: each for number, each in agreements_by_task(matrix).items() if each.is_in_doubt}
    shares: dict[int, WrongShare] = {}
    part = _parts(matrix, people, doubted)
    for number in np.unique(part[keyed]).tolist():
        places = np.flatnonzero((part == number) & keyed)
        places = np.array(sorted(places.tolist(), key=lambda place: matrix.item_ids[place]), dtype=np.int64)
        agreement = doubted.get(number)
        with_voice = set(able_models(matrix, places)) | set(agreement.models if agreement else ())
        able = sorted(with_voice, key=lambda number: matrix.letter[number, places].tobytes())
        voices[np.ix_(np.array(able, dtype=np.int64), places)] = True
        some = places
        if len(places) > _MOST_TO_FIT:
            rng = generator_for(0, "reply_model", "fit")
            some = places[np.sort(rng.choice(len(places), _MOST_TO_FIT, replace=False))]
        replies = _replies(matrix, people, some, able)
        if agreement is None:
            share = usual_share(replies)
        else:
            share = shares[number] = wrong_share(replies, is_apart=agreement.is_apart)
        for start in range(0, len(places), _ITEMS_AT_ONCE):
            some = places[start : start + _ITEMS_AT_ONCE]
            logs = share.log_right_options(_replies(matrix, people, some, able))
            rows, key = np.arange(len(some)), matrix.key[some]
            for_key = logs[rows, key].copy()
            logs[rows, key] = -np.inf
            favoured[some] = logs.argmax(axis=1)
            log_odds[some] = np.logaddexp.reduce(logs, axis=1) - for_key
    return Evidence(log_odds, favoured, voices, shares)


def _parts(
    matrix: LetterMatrix, people: PeopleAnswers | None, doubted: Mapping[int, TaskAgreement]
) -> NDArray[np.int64]:
    """Return the index of the task whose parameters apply to each item; -1 for small tasks, which form one part."""
    import numpy as np

    replied = ((matrix.letter >= 0) & (matrix.letter < matrix.options)).any(axis=0)
    if people is not None:
        replied |= people.asked > 0
    sizes = np.bincount(matrix.task[(matrix.key >= 0) & replied], minlength=len(matrix.tasks))
    stands_alone = (sizes >= _LEAST_ITEMS) | np.isin(np.arange(len(sizes)), list(doubted))
    parts: NDArray[np.int64] = np.where(stands_alone, np.arange(len(sizes)), -1)[matrix.task]
    return parts


def _replies(matrix: LetterMatrix, people: PeopleAnswers | None, places: NDArray[np.int64], able: list[int]) -> Replies:
    """Return the replies of able models, and of people as one additional respondent, to the given items."""
    import numpy as np

    respondents, letters = len(able) + (people is not None), int(matrix.options.max(initial=2))
    counts, misses = np.zeros((len(places), respondents, letters)), np.zeros((len(places), respondents))
    options = matrix.options[places]
    for row, number in enumerate(able):
        letter = matrix.letter[number, places]
        told = np.flatnonzero((letter >= 0) & (letter < options))
        counts[told, row, letter[told]] = 1
    if people is not None:
        counts[:, -1, : people.votes.shape[1]] = people.votes[places, :letters]
        misses[:, -1] = 0 if people.misses is None else people.misses[places]
    return Replies(counts, misses, matrix.key[places].astype(np.int64), options)


def _or_none(value: np.float64) -> float | None:
    import numpy as np

    return None if np.isnan(value) else float(value)
