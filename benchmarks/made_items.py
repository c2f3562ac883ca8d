"""Items that a benchmark made of pictures of its own, with the files that they show."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from step_context import StepContext
from truth_runs import TruthRun

from benchwright.images import encode_png
from benchwright.records import Item


class MadeItems(NamedTuple):
    """Items and the files of their pictures, by image id."""

    items: list[Item]
    files: Mapping[str, bytes]

    @classmethod
    def of_context(cls, context: StepContext, items: Sequence[Item]) -> MadeItems:
        """Return items that a step made in a context, whose pictures it stored or that were there before."""
        files: dict[str, bytes] = {}
        for image_id in dict.fromkeys(shown.image_id for item in items for shown in item.images):
            stored = context.stored.get(image_id)
            files[image_id] = (
                context.path(context.image(image_id)).read_bytes() if stored is None else encode_png(stored)
            )
        return cls(list(items), files)

    @classmethod
    def of_run(cls, run: TruthRun, items: Sequence[Item]) -> MadeItems:
        """Return items that a task of ground truth made."""
        files: dict[str, bytes] = {}
        for image_id in dict.fromkeys(shown.image_id for item in items for shown in item.images):
            stored = run.stored.get(image_id)
            files[image_id] = run.path(image_id).read_bytes() if stored is None else encode_png(stored)
        return cls(list(items), files)
