"""The faulty join that would explain why a task's keys differ from the models' answers.

The candidates are: keys of another row (of the task, or of the whole file), starting at the first row or a later one;
rows in reverse order; neighboring rows exchanged; letters shifted, mirrored, or renamed in any other way; the keys of
another task. Pictures attached to the wrong rows have the same effect as keys of other rows. A mistake explains the
keys if, once it is undone, they agree with most models' answers about as well as models agree with one another, and far
more often than chance allows for that many tries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from benchwright.records import LETTERS
from benchwright.replies.model_replies import LetterMatrix
from benchwright.texts.normalization import counted

from .task_agreement import TaskAgreement, consensus

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

_FARTHEST_ROW = 5
_SURE = 1e-4
"""Probability, over all tries for a task, below which the agreement after undoing a mistake is not due to chance."""
_LEAST_AGREEING = 0.6
"""Smallest proportion of the items concerned, 0-1, whose key is the models' answer once a mistake is undone."""

Mistake = Literal["rows", "rows_of_file", "reversed_rows", "neighbours", "letters", "other_task"]


class KeyJoin(NamedTuple):
    """A mistake that explains the keys of a task.

    Args:
        mistake: Kind of the mistake.
        words: A description of the mistake, such as `each item has the key of the row before it`.
        restored: The key of each item of the task once the mistake is undone; -1 if the item then has no key.
        sets_right: Number of items whose key would become the models' answer.
        sets_wrong: Number of items whose key is the models' answer but would no longer be.
        agreeing: Proportion of the items concerned, 0-1, whose key is the models' answer once the mistake is undone.
    """

    mistake: Mistake
    words: str
    restored: Places
    sets_right: int
    sets_wrong: int
    agreeing: float


class _Try(NamedTuple):
    mistake: Mistake
    words: str
    restored: Places
    tries: int = 1
    from_row: bool = False


def explain_keys(matrix: LetterMatrix, agreement: TaskAgreement) -> KeyJoin | None:
    """Return the mistake that best explains the keys of a task; None if no mistake explains them.

    Args:
        matrix: Replies, with items in the order of the source.
        agreement: Agreement of models on the task.
    """
    import numpy as np

    answers, keys = consensus(matrix, agreement), matrix.key[agreement.places].astype(np.int64)
    tries = [found for each in _tries(matrix, agreement, answers) for found in _with_starts(each, answers, keys)]
    best = max(tries, key=lambda found: found[0].sets_right - found[0].sets_wrong, default=None)
    if best is None:
        return None
    join, p = best
    return join if p * len(tries) < _SURE and join.agreeing >= _LEAST_AGREEING else None


def _with_starts(each: _Try, answers: Places, keys: Places) -> Iterator[tuple[KeyJoin, float]]:
    """Yield a try for all rows and, for a shift, one for the rows from the start that explains the most keys."""
    import numpy as np

    yield _judged(each, answers, keys, 0)
    if each.from_row:
        told = (answers >= 0) & (each.restored >= 0)
        gain = np.where(told, (each.restored == answers).astype(int) - (keys == answers), 0)
        later = gain[::-1].cumsum()[::-1]
        start = int(later.argmax())
        if start > 0:
            words = f"{each.words} from item {start + 1} of the task on"
            yield _judged(each._replace(words=words, tries=each.tries * len(keys)), answers, keys, start)


def _judged(each: _Try, answers: Places, keys: Places, start: int) -> tuple[KeyJoin, float]:
    """Return a try with the items it explains, and the probability that chance explains as many, over that kind's
    tries.
    """
    import numpy as np
    from scipy.stats import binom

    restored = np.where(np.arange(len(keys)) < start, keys, each.restored)
    told = (answers >= 0) & (restored >= 0) & (np.arange(len(keys)) >= start)
    # Items that a mistake leaves unchanged do not support it: those with equal keys before and after are left out.
    moved = told & (restored != keys)
    agreeing = int((restored == answers)[moved].sum())
    count = int(moved.sum())
    of_letter = np.bincount(answers[moved], minlength=1) / max(1, count)
    chance = min(0.95, float(of_letter[restored[moved]].mean()) if count and restored[moved].max() < len(of_letter)
                 else float(of_letter.max(initial=0.0)))  # fmt: skip
    p = float(binom.sf(agreeing - 1, count, chance)) * each.tries if count else 1.0
    share = float((restored == answers)[told].mean()) if told.any() else 0.0
    wrong = int((keys == answers)[moved].sum())
    return KeyJoin(each.mistake, each.words, restored, agreeing, wrong, share), p


def _tries(matrix: LetterMatrix, agreement: TaskAgreement, answers: Places) -> Iterator[_Try]:
    import numpy as np

    places = agreement.places
    keys, options = matrix.key[places].astype(np.int64), matrix.options[places]
    whole = matrix.key.astype(np.int64)
    rows = np.arange(len(keys))

    def fitting(restored: Places) -> Places:
        return np.where(restored < options, restored, -1)

    for shift in (step * sign for step in range(1, _FARTHEST_ROW + 1) for sign in (1, -1)):
        # Restored: the key that belongs here is `shift` rows below.
        words = f"each item has the key of the item {_away(shift)}"
        yield _Try("rows", words, fitting(_moved(keys, rows + shift)), from_row=True)
        if len(places) < len(whole):
            yield _Try("rows_of_file", f"{words} in the file", fitting(_moved(whole, places + shift)), from_row=True)
    yield _Try("reversed_rows", "keys are in the reverse order of the items", fitting(keys[::-1].copy()))
    for first in (0, 1):
        partner = np.where((rows - first) % 2 == 0, rows + 1, rows - 1)
        words = "each two neighboring items have each other's key"
        yield _Try("neighbours", words, fitting(_moved(keys, np.where(rows < first, rows, partner))))
    yield from _renamed_letters(keys, options, answers)
    for number, name in enumerate(matrix.tasks):
        other = np.flatnonzero((matrix.task == number) & (matrix.key >= 0))
        if len(other) == len(places) and not np.array_equal(other, places):
            yield _Try("other_task", f"items have the keys of the task {name}", fitting(whole[other]))


def _away(shift: int) -> str:
    rows = abs(shift)
    side = "before" if shift > 0 else "after"
    return f"{side} it" if rows == 1 else f"{counted(rows, 'row')} {side} it"


def _moved(keys: Places, source: Places) -> Places:
    """Return the keys taken from other rows; -1 where there is no such row."""
    import numpy as np

    is_there = (source >= 0) & (source < len(keys))
    return np.where(is_there, keys[np.clip(source, 0, len(keys) - 1)], -1)


def _renamed_letters(keys: Places, options: NDArray[np.int64], answers: Places) -> Iterator[_Try]:
    """Yield the tries in which the letters of keys denote other options."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment
    from scipy.special import factorial

    for shift in range(1, int(options.max())):
        if shift == 1 and (options == 2).all():
            words = "the two options are exchanged in all keys"
        else:
            meant = LETTERS[-shift % int(options.max())]
            words = f"letters of keys are shifted by {shift}: {LETTERS[0]} stands for {meant}"
        yield _Try("letters", words, (keys - shift) % options)
    if not (options > 2).any():
        return
    yield _Try("letters", "letters of keys count from the last option", options - 1 - keys)
    width = int(options.max())
    told = answers >= 0
    table = np.zeros((width, width))
    np.add.at(table, (keys[told], answers[told]), 1)
    given, meant = linear_sum_assignment(-table)
    renamed = meant[np.argsort(given)]
    if (renamed != np.arange(width)).any():
        changes = ", ".join(
            f"{LETTERS[letter]} stands for {LETTERS[to]}" for letter, to in enumerate(renamed) if letter != to
        )
        restored = renamed[keys]
        yield _Try("letters", f"letters of keys are renamed: {changes}", np.where(restored < options, restored, -1),
                   int(factorial(width)))  # fmt: skip
