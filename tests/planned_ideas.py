"""Ideas for tests, and a step that plans one of each way for every image; separate because workers import it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from benchwright.construction.item_parts.idea import Change, Donor, GroundedSubject, Idea, packed
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, Outcome

CATEGORY = {"partial": "B2", "background": "B1", "direct": "E2"}
LOW = Change(aspect="the hat", natural="none", manipulated="a straw hat")


def idea(way: str, number: int = 1, **more: Any) -> Idea:
    """Return an idea with default values for everything irrelevant to a test."""
    category = CATEGORY[way]
    return Idea.model_validate(
        {
            "idea_id": f"{category}-{number}", "category": category, "way": way, "low": LOW, "high": LOW,
            "subject": GroundedSubject(phrase="the cat"), "natural_caption": "a cat", "instruction": "make it a painting",
            "manipulated_caption": "a cat with a straw hat", **more,
        }
    )  # fmt: skip


class PlannedIdeas(MapStep):
    """Plans to replace the middle of every image, replace its surroundings, and alter all of it.

    Args:
        donor: Id of the picture whose middle, and which as a background, replaces them where no model paints.
    """

    name: ClassVar[str] = "ideas"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"planned": "string"}

    donor: str | None = None

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        width, height = record.width, record.height
        middle = GroundedSubject(phrase="the middle", box=(width * 0.3, height * 0.3, width * 0.6, height * 0.7))
        part, background = (
            (None, None) if self.donor is None else (Donor(image_id=self.donor, of=middle), Donor(image_id=self.donor))
        )
        ideas = [
            idea("partial", subject=middle, target=middle, donor=part),
            idea("background", subject=middle, donor=background),
            idea("direct", effect="sepia"),
        ]
        return Outcome(values={"planned": packed(ideas)})
