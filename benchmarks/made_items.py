"""Items that a benchmark made from its own pictures, with the files that they show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from step_context import StepContext
from truth_runs import TruthRun

from benchwright.images import decode_rgb, encode_png
from benchwright.images.made_pictures import encode_jpeg
from benchwright.records import Item
from benchwright.rooms import catalogue


class MadeItems(NamedTuple):
    """Items of one task and the files of their pictures, by image id.

    Args:
        items: The items.
        files: Files as a workspace holds them, or a release.
        made: Ids of the pictures that the task made.
        numbers: Index of the picture from which each item is made, by item id, if it is made from a single one.
    """

    items: list[Item]
    files: Mapping[str, bytes]
    made: frozenset[str] = frozenset()
    numbers: Mapping[str, int] = {}

    @classmethod
    def of_context(cls, context: StepContext, items: Sequence[Item]) -> MadeItems:
        """Return items that a step made in a context, whose pictures it stored or found there."""
        return cls._of(items, context.stored, lambda image_id: context.path(context.image(image_id)))

    @classmethod
    def of_run(cls, run: TruthRun, items: Sequence[Item]) -> MadeItems:
        """Return items that a task of ground truth made."""
        return cls._of(items, run.stored, run.path)

    @classmethod
    def _of(cls, items: Sequence[Item], stored: Mapping[str, Any], path_of: Callable[[str], Path]) -> MadeItems:
        shown = dict.fromkeys(image.image_id for item in items for image in item.images)
        files = {
            image_id: encode_png(stored[image_id]) if image_id in stored else path_of(image_id).read_bytes()
            for image_id in shown
        }
        return cls(list(items), files, frozenset(stored) & shown.keys())

    def as_released(self) -> MadeItems:
        """Return the items with the files that a release would hold: JPEGs if only the appearance counts."""
        if catalogue("steps")[self.items[0].task].load().picture_fidelity != "visual":
            return self
        files = {
            image_id: encode_jpeg(decode_rgb(data)) if image_id in self.made else data
            for image_id, data in self.files.items()
        }
        return self._replace(files=files)
