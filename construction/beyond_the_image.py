"""Beyond the image, as in MM-SAP (section 3.2): questions that the picture cannot answer, with a way to say so."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, MapStep, Outcome, Stream

from .choices import place, text_choices
from .grouping import group_keys
from .stated import as_shown, nothing_stated, stated

REFUSAL = "The picture does not show enough to tell."


class BeyondTheImage(MapStep):
    """Make items that only declining to answer is right for; needs the step `facts` before it.

    Such an item has no answer key. Its `refusal` key names the choice that declines.

    Args:
        refusal: Text of the choice that declines.
        max_side_px: Longer side of the picture shown; larger images are scaled down.
    """

    name: ClassVar[str] = "beyond_the_image"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("facts.unanswerable",)

    refusal: str = Field(REFUSAL, min_length=1, max_length=200)
    max_side_px: int = Field(1024, ge=64, le=8192)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make one item of each stated question."""
        questions = stated(record, ctx, "unanswerable")
        if questions is None:
            return nothing_stated()
        declining = self.refusal.strip().casefold()
        sound = [one for one in questions if declining not in {wrong.casefold() for wrong in one["wrong"]}]
        left_out = {"left_out": [one["name"] for one in questions if one not in sound]} if sound != questions else {}
        if not sound:
            return Outcome("drop", "refusal_among_answers", evidence=left_out)
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items = tuple(self._item(record, ctx, shown.record, one) for one in sound)
        return Outcome(evidence=left_out, images=shown.made, items=items)

    def _item(self, record: ImageRecord, ctx: Context, picture: ImageRecord, question: dict[str, Any]) -> Item:
        rng = ctx.rng(record.image_id, question["name"])
        wrong = [question["wrong"][number] for number in rng.permutation(len(question["wrong"])).tolist()]
        placed = place(self.refusal, wrong, rng)
        return Item(
            item_id=ctx.item_id(record.image_id, question["name"]),
            task=self.name,
            kind="multiple_choice",
            images=(ItemImage(image_id=picture.image_id, role="reference"),),
            question=question["ask"],
            choices=text_choices(placed),
            answer=None,
            refusal=placed.answer,
            group_keys=group_keys(record),
            category=question["why"],
            written_by={"question": "person", "choices": "person"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={"fact": question["name"], "why": question["why"]},
        )
