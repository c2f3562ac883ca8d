"""Items of two candidates per picture in a context of one process, for tests of filters that compare pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from item_filters import Rivals
from step_context import StepContext

from benchwright.records import ImageRecord, Item
from benchwright.steps import MapStep, Outcome, Step

COLORS = {"warm": (200, 90, 40), "grey": (120, 120, 120)}


class RivalContext(StepContext):
    """A context that keeps the pictures made in it."""

    def store_image(self, pixels: np.ndarray, *, parents: Sequence[ImageRecord]) -> ImageRecord:
        made = self.add(np.ascontiguousarray(pixels), f"made-{len(self._records)}.png")
        return made.model_copy(update={"root_image_id": parents[0].root_image_id})


class Rivalry(NamedTuple):
    """Items, and the context that knows their pictures."""

    context: RivalContext
    items: list[Item]

    def judged(self, step: Step) -> list[Outcome]:
        """Run a step of two parts on all items; an outcome holds the values of the first and the verdict of the last."""
        asks, judges = step.parts()
        assert isinstance(asks, MapStep)
        assert isinstance(judges, MapStep)
        self.context.opened = asks.open(self.context)
        measured = asks.many(self.items, self.context)
        for item, one in zip(self.items, measured, strict=True):
            for name in asks.values:
                self.context._values[item.item_id, f"{asks.name}.{name}"] = one.values.get(name)
        found = [judges.one(item, self.context) for item in self.items]
        return [
            Outcome(said.verdict, said.reason, one.values, {**one.evidence, "judged": dict(said.evidence)})
            for one, said in zip(measured, found, strict=True)
        ]


def rivalry(folder: Path, **pictures: Any) -> Rivalry:
    """Return the items of pictures of one color each, with a little noise."""
    folder.mkdir(parents=True, exist_ok=True)
    context = RivalContext(folder)
    items: list[Item] = []
    for name, color in (pictures or COLORS).items():
        noise = np.random.default_rng(3).integers(0, 20, (40, 30, 3))
        record = context.add(np.asarray(np.array(color) + noise, np.uint8), f"{name}.png")
        items += context.run(Rivals(), record).items
    return Rivalry(context, items)
