"""Beyond the image, as in MM-SAP (section 3.2): questions that the picture cannot answer, with a way to say so.

An option that declines and is always right gives itself away: whoever has read a few items picks it unseen. MM-SAP
offers it in questions that the picture answers, too, and so do these items where the facts state such questions.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from benchwright.implication import WrittenIn
from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, Outcome, Stream
from benchwright.written_questions import REFUSAL

from ..item_parts.choices import asked_choices, group_keys
from ..sources.facts_reader import FactsReader, as_shown, nothing_stated

BASIC = "basic"
"""Level of what a picture plainly shows (MM-SAP's BasicVisQA)."""


class BeyondTheImage(FactsReader):
    """Make items that only declining to answer is right for, and others among them; needs the step `facts` before it.

    An item that the picture does not answer has no answer key; its `refusal` key names the choice that declines. An
    item that it answers has both keys and the level `basic`, as MM-SAP calls what every model should see. With one
    question of the first kind among as many options, always declining is right as often as any other rule.

    These are MM-SAP's questions. An option that declines and is always right needs no picture: whoever has read two
    items knows it. State as many answerable questions beside each unanswerable one as an item has options that do not
    decline, and give all items the same number of options; `wording_bias` says whether that holds.

    Args:
        refusal: Text of the choice that declines.
        max_side_px: Longer side of the picture shown; larger images are scaled down.
        stated_by: Entry of the step `facts` that it reads, where the recipe gives that another name.

    Reasons:
        no_facts (drop): Nothing is stated about the image.
        refusal_among_answers (drop): The refusal is among the answers of its questions; a single such question is left
            out.
    """

    name: ClassVar[str] = "beyond_the_image"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    uses: ClassVar[tuple[str, ...]] = ("unanswerable", "answerable")

    refusal: str = Field(REFUSAL, min_length=1, max_length=200)
    max_side_px: int = Field(1024, ge=64, le=8192)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make one item of each stated question."""
        unanswerable, answerable = (self.stated(record, ctx, use) or [] for use in self.uses)
        questions = [*unanswerable, *answerable]
        if not questions:
            return nothing_stated()
        sound = [question for question in questions if not self._declines_twice(question)]
        left_out = (
            {"left_out": [question["name"] for question in questions if question not in sound]}
            if sound != questions
            else {}
        )
        if not sound:
            return Outcome("drop", "refusal_among_answers", evidence=left_out)
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items = tuple(self._item(record, ctx, shown.record, question) for question in sound)
        return Outcome(evidence=left_out, images=shown.made, items=items)

    def _declines_twice(self, question: dict[str, Any]) -> bool:
        answers = [*question["wrong"], *([question["right"]] if "right" in question else [])]
        return self.refusal.strip().casefold() in {answer.casefold() for answer in answers}

    def _item(self, record: ImageRecord, ctx: Context, picture: ImageRecord, question: dict[str, Any]) -> Item:
        rng = ctx.rng(record.image_id, question["name"])
        asked = asked_choices(question.get("right"), question["wrong"], self.refusal, rng)
        written_in = None if "written_in" not in question else WrittenIn.model_validate(question["written_in"])
        by_default = "simulated" if written_in is not None and written_in.simulated else "person"
        author = question.get("written_by", by_default)
        return Item(
            item_id=ctx.item_id(record.image_id, question["name"]),
            task=self.name,
            kind="multiple_choice",
            images=(ItemImage(image_id=picture.image_id, role="reference"),),
            question=question["ask"],
            choices=asked.choices,
            answer=asked.answer,
            refusal=asked.refusal,
            group_keys=group_keys(record),
            level=None if asked.answer is None else BASIC,
            category=question.get("why"),
            written_by={"question": author, "choices": author},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={"fact": question["name"]}
            | ({"why": question["why"]} if asked.answer is None else {})
            | ({} if written_in is None else {"written_in": question["written_in"]}),
        )
