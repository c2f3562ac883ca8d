"""BLINK's metrics (paper table 1): accuracy per task, and their unweighted mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .shares import Share, mean_of_shares, share


def per_task(answers: Iterable[tuple[str, bool]]) -> dict[str, Share]:
    """Return the share of right answers of each task, in the order in which tasks first occur.

    Args:
        answers: Task and whether the answer is right.
    """
    tasks: dict[str, list[bool]] = {}
    for task, right in answers:
        tasks.setdefault(task, []).append(right)
    return {task: share(rights) for task, rights in tasks.items()}


def total(tasks: Mapping[str, Share]) -> Share:
    """Return the mean over tasks: a task of 117 questions weighs as much as one of 172."""
    return mean_of_shares(tasks.values())


def chance(options: Mapping[str, int]) -> Share:
    """Return the mean over tasks of the accuracy of a uniform draw, from the number of options of each task."""
    return mean_of_shares(Share(1, number) for number in options.values())
