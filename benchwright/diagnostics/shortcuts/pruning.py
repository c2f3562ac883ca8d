"""Iterative pruning: removal of the items with the highest bias scores, round by round.

Pruning is for items that cannot be made again without the cue, such as imported or written items. The method follows
Brown et al. 2025 (arXiv 2511.04655), who train a model on the remaining items, remove the most biased ones, and repeat.
Removing the items that a forest answers correctly lowers the forest's accuracy in itself, so the values after pruning
show only its cost; a cue in most items stays a cue.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from benchwright.record_map import RecordMap, unless_lost
from benchwright.steps import CueFamily

from .answer_letters import Balance
from .battery import FOREST, TaskResult, letters_of
from .cue_table import CueTable, table_of
from .forest import forest_of
from .picks import Accuracy, Bounds, accuracy_of


class PruneSettings(BaseModel):
    """Conditions and limits of pruning a task.

    Args:
        most: Largest proportion of a task's items, 0-1, to remove.
        per_round: Proportion of a task's items, 0-1, to remove in a round.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    most: float = Field(0.3, gt=0, lt=1)
    per_round: float = Field(0.05, gt=0, lt=1)


class PruningRound(NamedTuple):
    """The items before a round, or after the last round.

    Args:
        items: Number of items.
        accuracy: Accuracy of the forest, 0-1; None if it can no longer be grown.
        mean_bias: Mean bias score; None if the forest can no longer be grown.
        letters: Evenness of the letters of right options.
    """

    items: int
    accuracy: Accuracy | None
    mean_bias: float | None
    letters: Balance

    def to_json(self) -> dict[str, Any]:
        """Return the round as JSON values."""
        return {
            "items": self.items,
            "accuracy": None if self.accuracy is None else round(self.accuracy.value, 4),
            "ci": None if self.accuracy is None else [round(end, 4) for end in self.accuracy.interval],
            "mean_bias": None if self.mean_bias is None else round(self.mean_bias, 4),
            "letters_p": round(self.letters.p, 6),
        }


class Pruning(NamedTuple):
    """The pruning of one task.

    Args:
        task: The task.
        rounds: State before each round, and after the last.
        item_ids: Removed items, the most biased first.
        clusters: Number of clusters before and after.
    """

    task: str
    rounds: tuple[PruningRound, ...]
    item_ids: tuple[str, ...]
    clusters: tuple[int, int]

    def to_json(self, own_ids: Mapping[str, str]) -> dict[str, Any]:
        """Return the pruning as JSON values.

        Args:
            own_ids: Ids of questions in their file, by item id, which replace item ids.
        """
        return {
            "task": self.task,
            "pruned": [own_ids.get(item_id, item_id) for item_id in self.item_ids],
            "clusters": {"before": self.clusters[0], "after": self.clusters[1]},
            "rounds": [each.to_json() for each in self.rounds],
        }


def prune(result: TaskResult, settings: PruneSettings, *, seed: int, bounds: Bounds) -> Pruning | None:
    """Return the pruning of a task; None if the forest carries no cue, so that there is nothing to remove.

    Args:
        result: The battery's result for the task.
        settings: The limits.
        seed: Seed of the forests.
        bounds: Conditions under which items carry a cue; the p-value of a round is not adjusted.
    """
    if not any(solver.solver == FOREST for solver in result.carried):
        return None
    table = result.table
    first, most = len(table.items), round(settings.most * len(table.items))
    step = max(1, round(settings.per_round * first))
    pruned: list[str] = []
    rounds: list[PruningRound] = []
    while True:
        each, bias = _round(table, seed)
        rounds.append(each)
        if bias is None or _is_clean(each, bounds) or len(pruned) >= most:
            break
        order = np.lexsort((np.arange(len(bias)), -bias))[: min(step, most - len(pruned))]
        rows = [int(row) for row in order if bias[row] > 0]
        if not rows:
            break
        pruned += [table.items[row].item_id for row in rows]
        table = _without(table, set(rows), result.task_cues)
    before, after = (len(np.unique(each.groups)) for each in (result.table, table))
    return Pruning(table.task, tuple(rounds), tuple(pruned), (before, after))


def prunings(
    results: Sequence[TaskResult], settings: PruneSettings, seed: int, bounds: Bounds, record_map: RecordMap
) -> Iterator[Pruning | None]:
    """Yield the result of `prune` for each task, in order; `record_map` maps it over the tasks.

    Raises:
        StepError: Pruning a task failed.
    """
    pruning_of = partial(prune, settings=settings, seed=seed, bounds=bounds)
    made = record_map(pruning_of, results, what="pruning", together=1)
    for result, pruning in zip(results, made, strict=True):
        yield unless_lost(pruning, f"task {result.table.task!r} could not be pruned")


def _round(table: CueTable, seed: int) -> tuple[PruningRound, np.ndarray[Any, np.dtype[np.float64]] | None]:
    forest = forest_of(table, seed=seed)
    letters = letters_of(table, seed=seed)
    if forest is None:
        return PruningRound(len(table.items), None, None, letters), None
    bias = forest.bias(table)
    accuracy = accuracy_of(forest.picks, table, sides="above")
    return PruningRound(len(table.items), accuracy, float(bias.mean()), letters), bias


def _is_clean(each: PruningRound, bounds: Bounds) -> bool:
    return each.accuracy is None or not bounds.is_passed(each.accuracy, each.accuracy.p)


def _without(table: CueTable, rows: set[int], task_cues: Sequence[CueFamily]) -> CueTable:
    left = [row for row in range(len(table.items)) if row not in rows]
    items = [table.items[row] for row in left]
    return table_of(items, [table.words[row].group_keys for row in left], without=frozenset(task_cues))
