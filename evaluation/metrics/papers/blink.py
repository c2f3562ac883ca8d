"""BLINK's metrics (paper, table 1): accuracy per task, and the unweighted mean of these accuracies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .shares import Share, mean_of_shares, share


def per_task(answers: Iterable[tuple[str, bool]]) -> dict[str, Share]:
    """Return the proportion of right answers in each task, in the order in which tasks first occur.

    Args:
        answers: Pairs of task and whether the answer is right.
    """
    tasks: dict[str, list[bool]] = {}
    for task, right in answers:
        tasks.setdefault(task, []).append(right)
    return {task: share(rights) for task, rights in tasks.items()}


def total(tasks: Mapping[str, Share]) -> Share:
    """Return the mean across tasks, in which a task of 117 questions has the same weight as one of 172."""
    return mean_of_shares(tasks.values())


def chance(options: Mapping[str, int]) -> Share:
    """Return the mean across tasks of the accuracy of a uniform draw, given the number of options in each task."""
    return mean_of_shares(Share(1, number) for number in options.values())
