"""Declarations of steps about their tasks: the cues, and the part of the pictures, that are the task itself."""

from __future__ import annotations

from benchwright.rooms import catalogue
from benchwright.steps import CueFamily, TaskRegion


def task_cues_of(task: str) -> frozenset[CueFamily]:
    """Return the families of cues that are the task itself, as declared by the step of that name; otherwise empty."""
    entry = catalogue("steps").get(task)
    return frozenset() if entry is None else entry.load().task_cues


def task_region_of(task: str) -> TaskRegion:
    """Return the part of the pictures that is the task, as declared by the step of that name."""
    entry = catalogue("steps").get(task)
    return TaskRegion() if entry is None else entry.load().task_region
