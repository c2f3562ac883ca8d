"""Pairs of pictures for tests of gates: two photographs, and items that name them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from skimage.data import astronaut, coffee
from step_context import StepContext
from worded_items import item

from benchwright.drawing.masks import mask_of
from benchwright.filters.pairs.pair_gates import PairGates
from benchwright.records import ImageRecord, Item
from benchwright.steps import Outcome

Pixels = NDArray[np.uint8]
PHOTOS: dict[str, Pixels] = {name: np.ascontiguousarray(load()) for name, load in (("a", astronaut), ("c", coffee))}


class Pictures(StepContext):
    """A context that knows the pictures that were added."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.known: dict[str, ImageRecord] = {}
        self.opened = {}

    def put(self, pixels: Pixels, name: str) -> str:
        record = self.add(pixels, name)
        self.known[record.image_id] = record
        return record.image_id

    def image(self, image_id: str) -> ImageRecord:
        return self.known[image_id]


def pair(context: Pictures, after: Pixels, region: NDArray[np.bool_] | None = None, **evidence: Any) -> Item:
    stated: dict[str, Any] = {
        "natural": context.put(PHOTOS["a"], "before.png"), "manipulated": context.put(after, "after.png"),
    }  # fmt: skip
    if region is not None:
        stated["editable"] = mask_of(region).model_dump(mode="json")
    return item("pair", evidence={**stated, **evidence})


def judged(context: Pictures, one: Item, **settings: Any) -> Outcome:
    step = PairGates(**settings)
    return step.judge(step.measure(one, context))
