"""Tasks whose keys are in doubt as a whole: because of a faulty join, many wrong keys, or models that all fail.

A task is doubted

- if models agree with one another but hardly with its keys, or a faulty join explains its keys;
- if the estimated share of its wrong keys is certainly far above that of other tasks;
- if, by its keys, no model is better than chance at it, although models are at other tasks: then these replies cannot
  decide whether it is too hard for all of them or its keys are wrong.
"""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.replies.model_replies import LetterMatrix

from .able_models import able_models
from .key_joins import KeyJoin, explain_keys
from .task_agreement import TaskAgreement, agreements_by_task
from .wrong_share import WrongShare

if TYPE_CHECKING:
    from collections.abc import Mapping

Doubt = Literal["joined", "far_apart", "many_wrong", "at_chance"]

_MANY_WRONG = 0.1
"""Lower bound of the proportion of wrong keys, 0-1, above which a task is doubted."""
_LEAST_VOICES = 3
"""Number of models whose agreement alone, without a mistake that explains the keys, has high severity: two may be
related models that are misled in the same way."""
_LEAST_AT_CHANCE, _LEAST_MODELS, _BETTER = 60, 2, 0.05
"""Smallest numbers of items, and of models asked, for which it is significant that no model is better than chance; and
the p-value, over all models and tasks, below which a model is better than chance."""


class DoubtedTask(NamedTuple):
    """A task whose keys are in doubt as a whole.

    Args:
        task: Index of the task in the matrix.
        doubt: Reason for the doubt.
        agreement: Agreement of models on the task.
        share: Estimated proportion of wrong keys; None if models agree too little for an estimate.
        join: The faulty join that explains the task's keys; None if none does.
        best: Proportion of right letters of the best model, 0-1.
        chance: Accuracy of a uniform draw, 0-1.
    """

    task: int
    doubt: Doubt
    agreement: TaskAgreement
    share: WrongShare | None
    join: KeyJoin | None
    best: float
    chance: float

    @property
    def is_grave(self) -> bool:
        """Return whether scores on the task are wrong or not trustworthy, rather than merely of doubtful use."""
        return self.join is not None or (self.doubt != "at_chance" and len(self.agreement.models) >= _LEAST_VOICES)

    def to_json(self, matrix: LetterMatrix) -> dict[str, Any]:
        """Return the doubt as JSON values."""
        share, join = self.share, self.join
        return {
            "task": matrix.tasks[self.task],
            "doubt": self.doubt,
            "items": len(self.agreement.places),
            "models": [matrix.models[number] for number in self.agreement.models],
            "agreement_among_models": _rounded(self.agreement.among),
            "agreement_with_keys": _rounded(self.agreement.with_keys),
            "wrong_keys": None if share is None else {
                "share": round(share.value, 3), "ci": [share.low, share.high], "outlier": round(share.outlier, 4),
            },
            "join": None if join is None else {
                "mistake": join.mistake, "words": join.words, "sets_right": join.sets_right,
                "sets_wrong": join.sets_wrong, "agreeing": round(join.agreeing, 4),
            },
            "best_model": round(self.best, 4),
            "chance": round(self.chance, 4),
        }  # fmt: skip


def doubted_tasks(matrix: LetterMatrix, shares: Mapping[int, WrongShare]) -> list[DoubtedTask]:
    """Return the tasks whose keys are in doubt, by their indices.

    Args:
        matrix: Replies, with items in the order of the source.
        shares: Estimated proportions of wrong keys, in the form of
            `benchwright.diagnostics.keys.suspected_keys.evidence`.
    """
    agreements = agreements_by_task(matrix)
    able_somewhere = any(able_models(matrix, each.places) for each in agreements.values())
    return [
        doubted
        for number, each in agreements.items()
        if (doubted := _doubted(matrix, number, each, shares.get(number), able_somewhere, len(agreements))) is not None
    ]


def _doubted(
    matrix: LetterMatrix,
    number: int,
    agreement: TaskAgreement,
    share: WrongShare | None,
    able_somewhere: bool,
    tried: int,
) -> DoubtedTask | None:
    join = explain_keys(matrix, agreement) if agreement.is_in_doubt else None
    doubt: Doubt | None = None
    if join is not None:
        doubt = "joined"
    elif agreement.is_far_apart:
        doubt = "far_apart"
    elif share is not None and share.low >= _MANY_WRONG:
        doubt = "many_wrong"
    elif able_somewhere and _are_at_chance(matrix, agreement, tried):
        doubt = "at_chance"
    if doubt is None:
        return None
    letter, key = matrix.letter[:, agreement.places], matrix.key[agreement.places]
    best = float((letter == key).mean(axis=1).max())
    return DoubtedTask(
        number, doubt, agreement, share, join, best, float((1 / matrix.options[agreement.places]).mean())
    )


def _are_at_chance(matrix: LetterMatrix, agreement: TaskAgreement, tried: int) -> bool:
    """Return whether several models answered and none is better than chance, over all models and tasks (Bonferroni).

    Args:
        matrix: Replies.
        agreement: The task.
        tried: Number of tasks tested.
    """
    from scipy.stats import binom

    places = agreement.places
    read = [places[matrix.letter[number, places] >= 0] for number in range(len(matrix.models))]
    asked = [(number, some) for number, some in enumerate(read) if len(some) >= _LEAST_AT_CHANCE]
    if len(asked) < _LEAST_MODELS:
        return False
    for number, some in asked:
        right = int((matrix.letter[number, some] == matrix.key[some]).sum())
        chance = float((1 / matrix.options[some]).mean())
        if binom.sf(right - 1, len(some), chance) * len(asked) * tried < _BETTER:
            return False
    return True


def _rounded(value: float) -> float | None:
    return None if isnan(value) else round(value, 3)
