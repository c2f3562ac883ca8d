"""The effects of a study's conditions: accuracy under each, and its difference from a baseline on the same items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.many_tests import holm
from benchwright.statistics.paired_difference import ModelPair, compare_pair

from ..analysis.reply_matrix import ReplyMatrix, read_reply_matrix
from ..results.score import Figure, Score

if TYPE_CHECKING:
    from .catalogue import Condition, Study

_ALL = "all"
"""Name of the comparison over all tasks."""
LEVEL = 0.95
ALPHA = 0.05

FORMAT, VERSION = "benchwright/study", 1


class StudyScore(NamedTuple):
    """A score obtained under a condition."""

    condition: Condition
    score: Score


class ConditionEffect(NamedTuple):
    """A model's accuracy under a condition, on one task or all tasks, and its difference from the baseline.

    Args:
        model: Name of the model.
        task: Task, or `all`.
        condition: The condition.
        accuracy: Accuracy under the condition.
        chance: Accuracy of a uniform draw on the same items; None if unknown.
        pair: Comparison with the baseline, as condition minus baseline; None for the baseline itself or if there are no
            common items.
        p_holm: p-value of the comparison, Holm-adjusted across all conditions and tasks of the study's models; None if
            there is no `pair`.
    """

    model: str
    task: str
    condition: Condition
    accuracy: Figure
    chance: Figure | None
    pair: ModelPair | None
    p_holm: float | None

    @property
    def is_significant(self) -> bool:
        """Return whether the condition changes the accuracy by more than chance explains."""
        return self.p_holm is not None and self.p_holm < ALPHA

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        pair = self.pair
        return {
            "model": self.model,
            "task": self.task,
            "condition": self.condition.name,
            "protocol": self.condition.protocol,
            "accuracy": self.accuracy.model_dump(mode="json"),
            "chance": None if self.chance is None else self.chance.value,
            "difference": None
            if pair is None
            else {
                "value": pair.difference,
                "ci": list(pair.interval),
                "n": pair.n,
                "clusters": pair.clusters,
                "method": pair.method,
                "only_here": pair.only_first,
                "only_baseline": pair.only_second,
                "p": pair.p,
                "p_holm": self.p_holm,
                "significant": self.is_significant,
            },
        }


class StudyOutcome(NamedTuple):
    """The results of a study's runs.

    Args:
        study: The study.
        scores: Scores of each model under each condition.
        changes: An effect for each model, task and condition, in this order.
    """

    study: Study
    scores: tuple[StudyScore, ...]
    changes: tuple[ConditionEffect, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names of the models, in the order given."""
        return tuple(dict.fromkeys(change.model for change in self.changes))

    @property
    def tasks(self) -> tuple[str, ...]:
        """Return `all`, followed by the tasks if there are several."""
        names = dict.fromkeys(change.task for change in self.changes)
        return tuple(names) if len(names) != 2 else (_ALL,)

    def change(self, model: str, task: str, condition: Condition) -> ConditionEffect | None:
        """Return the effect of a condition on a model for a task, or None if the model was not asked the task."""
        wanted = (model, task, condition)
        return next((c for c in self.changes if (c.model, c.task, c.condition) == wanted), None)

    def document(self) -> dict[str, Any]:
        """Return the study as JSON values."""
        score = self.scores[0].score
        return {
            "format": FORMAT,
            "version": VERSION,
            "study": self.study.name,
            "source": self.study.source,
            "baseline": self.study.baseline.name,
            "release": score.release,
            "release_id": score.release_id,
            "split": score.split,
            "settings": {"level": LEVEL, "alpha": ALPHA, "correction": "holm"},
            "models": list(self.models),
            "conditions": [
                {"name": condition.name, "protocol": condition.protocol, "of_paper": condition.is_of_paper}
                for condition in self.study.conditions
            ],
            "results": [entry.score.folder for entry in self.scores],
            "changes": [change.document() for change in self.changes],
        }


def outcome_of(study: Study, scores: Sequence[StudyScore], results: Path) -> StudyOutcome:
    """Return the effects of the conditions, with intervals and tests on the items asked under both conditions.

    Items that share a source image or a pair are treated as one draw, as in all comparisons.

    Args:
        study: The study.
        scores: Scores of each model under each condition, grouped by model.
        results: Folder that contains the predictions.

    Raises:
        DataError: Predictions are missing or have been changed.
    """
    sheet = read_reply_matrix(results, [entry.score for entry in scores])
    bare: list[ConditionEffect] = []
    for model in dict.fromkeys(entry.score.model for entry in scores):
        rows = {entry.condition: row for row, entry in enumerate(scores) if entry.score.model == model}
        for task in (_ALL, *scores[rows[study.baseline]].score.tasks):
            for condition in study.conditions:
                bare.append(_change(study, scores, sheet, rows, task, condition))
    tested = [number for number, change in enumerate(bare) if change.pair is not None]
    adjusted = holm([pair.p for number in tested if (pair := bare[number].pair) is not None])
    for number, p_holm in zip(tested, adjusted, strict=True):
        bare[number] = bare[number]._replace(p_holm=p_holm)
    return StudyOutcome(study, tuple(scores), tuple(bare))


def _change(
    study: Study,
    scores: Sequence[StudyScore],
    sheet: ReplyMatrix,
    rows: dict[Condition, int],
    task: str,
    condition: Condition,
) -> ConditionEffect:
    import pyarrow.compute as pc

    row, baseline = rows[condition], rows[study.baseline]
    score = scores[row].score
    ending = "" if task == _ALL else f"/{task}"
    accuracy = score.metrics.get(f"accuracy{ending}", Figure(value=None, ci=None, n=0))
    pair = None
    if row != baseline:
        common = sheet.asked[row] & sheet.asked[baseline]
        if task != _ALL:
            common &= pc.equal(sheet.items.column("task"), task).to_numpy()
        pair = compare_pair(sheet.right[row][common], sheet.right[baseline][common], sheet.group[common])
    return ConditionEffect(score.model, task, condition, accuracy, score.metrics.get(f"chance{ending}"), pair, None)
