"""Report of the battery on a release or a workspace: who gets how much right without doing the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.steps import CueFamily

from .battery import Bounds, SolverResult, TaskResult, run_battery
from .forest import require_forests
from .measuring import LeftOutItem, measure_items, source_items
from .pruning import PruneSettings, Pruning, prune


class ShortcutReport(NamedTuple):
    """The results of the battery.

    Args:
        source: Folder of the items.
        seed: Seed of the forests.
        bounds: When items carry a cue.
        tasks: Results, one a task, sorted by task.
        left_out: Items that were not measured.
        pruning: What pruning would take out, one a task where the forest carries a cue; empty where nobody asked.
    """

    source: Path
    seed: int
    bounds: Bounds
    tasks: tuple[TaskResult, ...]
    left_out: tuple[LeftOutItem, ...]
    pruning: tuple[Pruning, ...] = ()

    @property
    def items(self) -> int:
        """Return the number of items that were measured."""
        return sum(len(task.table.items) for task in self.tasks)

    def flagged(self) -> dict[str, tuple[SolverResult, ...]]:
        """Return the solvers whose cue each item carries, by item id; items that carry none are left out."""
        return {item_id: solvers for task in self.tasks for item_id, solvers in flagged_items(task).items()}

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values, without the items."""
        reasons = Counter(item.reason for item in self.left_out)
        return {
            "items": self.items,
            "flagged": len(self.flagged()),
            "left_out": dict(sorted(reasons.items())),
            "seed": self.seed,
            **self.bounds._asdict(),
            "tests": sum(len(task.solvers) for task in self.tasks),
            "tasks": [task.to_json() for task in self.tasks],
            "pruning": [pruning.to_json() for pruning in self.pruning],
        }


def flagged_items(task: TaskResult) -> dict[str, tuple[SolverResult, ...]]:
    """Return the solvers that are helped by a cue with each item of a task, by item id; others are left out.

    Solvers that only say which option is wrong count where no other carries a cue: they help a little with most items.
    """
    carried = [result for result in task.carried if result.answers] or task.carried
    flagged: dict[str, tuple[SolverResult, ...]] = {}
    for row, item in enumerate(task.table.items):
        if solvers := tuple(result for result in carried if result.helped[row]):
            flagged[item.item_id] = solvers
    return flagged


def find_shortcuts(
    source: Path,
    *,
    task_cues: Mapping[str, Sequence[CueFamily]] | None = None,
    bounds: Bounds | None = None,
    prune_most: float | None = None,
    seed: int = 0,
    workers: int | None = None,
) -> ShortcutReport:
    """Return what solvers that do not do the task make of the items of a release or a finished workspace.

    Args:
        source: Folder of the release or workspace.
        task_cues: Families of cues that a task asks for, by task, in place of what its step declares; default none.
        bounds: When items carry a cue; default `Bounds()`.
        prune_most: Share of a task's items, 0-1, that pruning may take out; None prunes nothing.
        seed: Seed of the forests.
        workers: Number of processes; default one a processor.

    Raises:
        BenchwrightError: The folder is neither, or the workspace's run is not finished.
        DataError: A file is damaged.
        PrerequisiteError: scikit-learn is not installed.
    """
    require_forests()
    bounds = bounds or Bounds()
    measured = measure_items(source_items(source), workers=workers)
    tasks = run_battery(measured.cues, measured.group_keys, seed=seed, bounds=bounds, task_cues=task_cues or {})
    settings = None if prune_most is None else PruneSettings(most=prune_most)
    pruned = [] if settings is None else [prune(task, settings, seed=seed, bounds=bounds) for task in tasks]
    pruning = tuple(each for each in pruned if each is not None)
    return ShortcutReport(source, seed, bounds, tuple(tasks), measured.left_out, pruning)
