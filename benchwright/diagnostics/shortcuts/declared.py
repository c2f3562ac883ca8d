"""Declarations by steps of which cues, and which part of the pictures, are the task itself."""

from __future__ import annotations

from benchwright.rooms import catalogue
from benchwright.steps import CueFamily, TaskRegion


def task_cues_of(task: str) -> frozenset[CueFamily]:
    """Return the families of cues that the named step declares to be the task itself; empty if there are none."""
    entry = catalogue("steps").get(task)
    return frozenset() if entry is None else entry.load().task_cues


def task_region_of(task: str) -> TaskRegion:
    """Return the part of the pictures that the named step declares to be the task."""
    entry = catalogue("steps").get(task)
    return TaskRegion() if entry is None else entry.load().task_region
