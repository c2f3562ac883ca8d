"""Ideas, manipulated images and items made from them, for tests, with crude drawings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from step_context import StepContext

from benchwright.construction.item_parts.idea import Change, Donor, GroundedSubject, Idea
from benchwright.construction.item_parts.idea import packed as ideas_packed
from benchwright.construction.manipulation.manipulated import Manipulated
from benchwright.construction.manipulation.manipulated import packed as pairs_packed
from benchwright.construction.manipulation.pair_items import PairItems
from benchwright.drawing.masks import mask_of
from benchwright.facts import Way
from benchwright.records import ImageRecord, Item
from benchwright.steps import Outcome

CATEGORIES = ("B1", "B2", "B3", "B4", "R1", "R2", "R3", "I1", "I2", "E1", "E2", "S1", "S2")
_WAYS: dict[str, Way] = {"B1": "background", "R1": "background", "S1": "background", "E2": "direct", "S2": "direct"}


def idea(category: str = "B2", number: int | None = None, **fields: Any) -> Idea:
    """Return an idea whose words all differ."""
    name = category if number is None else f"{category}-{number}"
    given: dict[str, Any] = {
        "idea_id": name, "category": category, "way": _WAYS.get(category, "partial"),
        "subject": GroundedSubject(phrase="the man"),
        "low": Change(
            aspect="the object in the man's hands", natural="a tennis racket", manipulated="a gun",
            ask_natural="Is the man holding a tennis racket?", ask_manipulated="Is the man holding a gun?",
        ),
        "high": Change(
            aspect="what the man is doing", natural="playing tennis", manipulated="robbing a bank",
            tempting=("training at a shooting range", "selling weapons", "shooting a film"), others=("swimming",),
        ),
        "natural_caption": "A man holds a tennis racket on a sunny court.",
        "manipulated_caption": "A man holds a gun on a dark court.",
        "instruction": "Turn the racket into a gun.",
    }  # fmt: skip
    return Idea(**{**given, **fields})


def pictures(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a natural picture, one with another rectangle in it, and the place of the rectangle; 60 by 90 pixels."""
    rng = np.random.default_rng(seed)
    natural = rng.integers(0, 256, (60, 90, 3)).astype(np.uint8)
    region = np.zeros((60, 90), np.bool_)
    region[20:40, 30:70] = True
    manipulated = np.where(region[..., None], 255 - natural, natural).astype(np.uint8)
    return natural, manipulated, region


class PairContext(StepContext):
    """A context with one source image that has manipulated versions."""

    def __init__(self, folder: Path, ideas: list[Idea], *, candidates: int = 1, seed: int = 3) -> None:
        folder.mkdir(exist_ok=True, parents=True)
        super().__init__(folder, seed=seed)
        natural, manipulated, region = pictures()
        self.record = self.add(natural, "natural.png")
        self.lent = self.add(pictures(9)[0], "donor.png")
        self.made: list[ImageRecord] = []
        self.ideas = [
            one.model_copy(update={"donor": Donor(image_id=self.lent.image_id)}) if one.way == "background" else one
            for one in ideas
        ]
        pairs = []
        for number, one in enumerate(self.ideas):
            for candidate in range(candidates):
                pixels = manipulated.copy()
                pixels[20, 30] = (number, candidate, 0)
                made = self.add(pixels, f"made-{number}-{candidate}.png")
                self.made.append(made)
                pairs.append(
                    Manipulated(
                        idea_id=one.idea_id, candidate=candidate, natural=self.record.image_id,
                        manipulated=made.image_id, editable=mask_of(region), editor="composite",
                        made_with={"seed": candidate},
                    )
                )  # fmt: skip
        self._values = {
            (self.record.image_id, "ideas.planned"): ideas_packed(self.ideas),
            (self.record.image_id, "manipulate.pairs"): pairs_packed(pairs),
        }

    def outcome(self, **settings: Any) -> Outcome:
        """Run `pair_items` on the source image."""
        return self.run(PairItems(**settings), self.record)


def items_of(folder: Path, *ideas: Idea, candidates: int = 1, **settings: Any) -> tuple[PairContext, list[Item]]:
    """Return a context and the items of these ideas."""
    context = PairContext(folder, list(ideas) or [idea()], candidates=candidates)
    return context, list(context.outcome(**settings).items)
