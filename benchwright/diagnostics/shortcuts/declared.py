"""What steps declare of their tasks: the cues that are the task itself, and the part of the pictures that is."""

from __future__ import annotations

from benchwright.rooms import catalogue
from benchwright.steps import CueFamily, TaskRegion


def task_cues_of(task: str) -> frozenset[CueFamily]:
    """Return the families of cues that are what a task asks for, as the step of that name declares; else none."""
    entry = catalogue("steps").get(task)
    return frozenset() if entry is None else entry.load().task_cues


def task_region_of(task: str) -> TaskRegion:
    """Return the part of the pictures that is the task, as the step of that name declares it."""
    entry = catalogue("steps").get(task)
    return TaskRegion() if entry is None else entry.load().task_region
