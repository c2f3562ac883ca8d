"""Messages about the ground truth that a folder lacks for a task, and how to get it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchwright.rooms import catalogue
from benchwright.steps import Step

_MARKED_FIELDS = {
    "depth": "points `closer` and `farther`",
    "reflectance": "points `darker` and `lighter`, or two points `same`",
    "counts": "boxes with labels around every instance",
    "keypoints": "correspondences over pairs",
    "boxes": "boxes with labels",
}
"""Fields of a `mark` campaign from which tasks make each kind of truth, except the kinds that people cannot mark."""
_OWN_FILES = {
    "boxes": "a file of boxes (COCO, Pascal VOC, YOLO), masks or a facts file",
    "counts": "a file of boxes (COCO, Pascal VOC, YOLO) or masks",
    "depth": "depth maps next to the photographs",
    "poses": "a file of cameras (COLMAP's images.txt, transforms.json, poses.csv)",
    "captions": "a COCO file or a table of captions",
}
"""Types of user files that can supply each kind, in addition to tables, which can supply all kinds."""
_CAMPAIGNS = {"puzzles": "a campaign `write`"}
"""Campaigns in which annotators supply each kind, in addition to `mark`."""


def _readers_that_give(kind: str) -> list[str]:
    """Return the sorted names of the readers of source datasets that supply a kind of truth."""
    return [
        name
        for name, entry in catalogue("dataset_readers").items()
        if name not in ("folder", "found") and kind in {truth.kind for truth in entry.load().gives}
    ]


def lacking_truths(kinds: Iterable[str]) -> str:
    """Return a message that a folder lacks kinds of truth, with the possible sources: datasets, user files, people."""
    named = list(kinds)
    ways: list[str] = []
    for kind in named:
        if readers := _readers_that_give(kind):
            ways.append(f"the dataset {' or '.join(readers)} (`benchwright construct readers`)")
        if own := _OWN_FILES.get(kind):
            ways.append(own)
        ways.append(f"a table (CSV, JSON lines) with `{kind}`")
        if campaign := _CAMPAIGNS.get(kind):
            ways.append(campaign)
        if fields := _MARKED_FIELDS.get(kind):
            ways.append(f"a campaign `mark` with {fields}")
    return f"nothing in the folder states {' or '.join(f'`{kind}`' for kind in named)}; add {', or '.join(ways)}"


def lacking_before(before: Mapping[str, Step], columns: Iterable[str], kinds: Sequence[str]) -> str | None:
    """Return a message, with the remedy, that no earlier step supplies a task's input, or None if some step may supply
    it.

    Args:
        before: Steps before the task, by entry.
        columns: Values that the task reads, as `<entry>.<kind>`, any one of which is enough.
        kinds: Kinds of truth of these values.
    """
    from ..ground_truth.values import DATASET
    from .dataset import Dataset

    absent: list[str] = []
    for column in columns:
        entry, _, kind = column.rpartition(".")
        giver = before.get(entry)
        found = giver.kinds_found() if isinstance(giver, Dataset) else None
        if giver is not None and (found is None or kind in found):
            return None
        absent += [entry] if giver is None and entry != DATASET else []
    if absent:
        return f"it reads what {' and '.join(map(repr, absent))} gives, which is left out, or does not precede it"
    return lacking_truths(kinds)
