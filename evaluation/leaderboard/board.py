"""The leaderboard of a folder of results: systems by accuracy, with their ranks and the range of possible ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.release.format.blind_strategy import BlindStrategy

from ..analysis.comparison import ALPHA, Comparison, Ranked, compare_results
from ..analysis.comparison_output import CORRECTION, RULE
from ..analysis.difference_matrix import DifferenceMatrix, difference_matrix
from ..analysis.ranking import Rank
from ..results.score import Figure, Score, read_scores
from ..results.summary import outcomes_document

FORMAT, VERSION = "benchwright/leaderboard", 2
_ONE_SYSTEM = "a single system has no rank; score another"


class BoardRow(NamedTuple):
    """A system on the leaderboard.

    Args:
        score: Score of the system.
        ranked: Its accuracy, rank and groups; there is no rank if it was asked fewer items than others or its score is
            unfit.
        tasks: Its accuracy on each task that it was asked.
        task_ranks: Its rank on each task; None if it has none.
        task_groups: Letters of its groups on each task; empty if it has no rank.
    """

    score: Score
    ranked: Ranked
    tasks: Mapping[str, Figure]
    task_ranks: Mapping[str, Rank | None]
    task_groups: Mapping[str, str]


class Leaderboard(NamedTuple):
    """Systems scored on one release and split.

    Args:
        release: Name and version of the release.
        release_id: Id of the release.
        split: Name of the split; None for all.
        rows: The systems, best first; those without a rank come last.
        tasks: Names of the tasks, sorted.
        chance: Accuracy of random letters, 0 to 1; None if unknown or not the same for all systems.
        blind: Accuracy on the whole release of the best strategy that sees no picture, as stored with the release; None
            if none is stored.
        why_no_ranks: Reason there are no ranks; None if there are.
        pairs: Number of compared pairs of systems.
        pairs_told_apart: Number of pairs that differ significantly.
        differences: Differences between the ranked systems over all tasks; None if there are fewer than two of them.
    """

    release: str
    release_id: str
    split: str | None
    rows: tuple[BoardRow, ...]
    tasks: tuple[str, ...]
    chance: float | None
    blind: BlindStrategy | None
    why_no_ranks: str | None
    pairs: int = 0
    pairs_told_apart: int = 0
    differences: DifferenceMatrix | None = None

    def document(self) -> dict[str, Any]:
        """Return the leaderboard as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": self.release,
            "release_id": self.release_id,
            "split": self.split,
            "settings": {"level": 0.95, "alpha": ALPHA, "correction": CORRECTION, "rule": RULE},
            "chance": self.chance,
            "blind_strategy": None if self.blind is None else self.blind.document(),
            "why_no_ranks": self.why_no_ranks,
            "pairs": self.pairs,
            "pairs_told_apart": self.pairs_told_apart,
            "systems": [_system(row) for row in self.rows],
        }


def _system(row: BoardRow) -> dict[str, Any]:
    return {
        "system": row.score.title,
        "model": row.score.model,
        "protocol": row.score.protocol,
        "rank": row.ranked.rank,
        "groups": row.ranked.groups,
        "unfit": row.score.unfit,
        "outcomes": outcomes_document(row.score),
        "accuracy": row.ranked.figure.model_dump(mode="json"),
        "tasks": {
            task: {
                "rank": row.task_ranks[task],
                "groups": row.task_groups[task],
                **figure.model_dump(mode="json"),
            }
            for task, figure in row.tasks.items()
        },
    }


def leaderboard_of(results: Path) -> Leaderboard:
    """Return the leaderboard of the scores in a folder of results.

    Ranks are based on joint paired tests of all pairs, on the items that both systems were asked; each task is tested
    separately.

    Raises:
        DataError: The folder contains no results, results of different releases or splits, or damaged results.
    """
    scores = read_scores(results)
    if len(scores) == 1:
        figure = scores[0].metrics["accuracy"]
        every = Comparison("", (Ranked(scores[0].title, figure, None),), ())
        comparisons, why = [every], _ONE_SYSTEM
    else:
        _, comparisons = compare_results(results)
        every, why = comparisons[0], comparisons[0].why_no_ranks or ""
    by_title = {score.title: score for score in scores}
    by_task = {comparison.name: {ranked.model: ranked for ranked in comparison.ranking} for comparison in comparisons}
    rows = []
    for ranked in every.ranking:
        score = by_title[ranked.model]
        tasks = {task: score.metrics[f"accuracy/{task}"] for task in score.tasks}
        own = {task: by_task.get(task, {}).get(ranked.model) for task in tasks}
        ranks = {task: None if found is None else found.rank for task, found in own.items()}
        groups = {task: "" if found is None else found.groups for task, found in own.items()}
        rows.append(BoardRow(score, ranked, tasks, ranks, groups))
    of_all = [score for score in scores if not score.is_sample] or scores
    chances = {score.metrics["chance"].value for score in of_all if "chance" in score.metrics}
    return Leaderboard(
        scores[0].release,
        scores[0].release_id,
        scores[0].split,
        tuple(rows),
        tuple(sorted({task for score in scores for task in score.tasks})),
        chances.pop() if len(chances) == 1 else None,
        next((score.blind_strategy for score in scores if score.blind_strategy is not None), None),
        why or None,
        len(every.pairs),
        every.pairs_told_apart,
        difference_matrix(every),
    )
