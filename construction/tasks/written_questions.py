"""Items made from the questions that annotators wrote about pictures in a `write` campaign."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from pydantic import Field

from benchwright.questions.written import QUESTIONS, WrittenQuestion, WrittenQuestions
from benchwright.records import LETTERS, ImageRecord, Item, ItemImage
from benchwright.steps import Context, MapStep, Outcome, Stream

from ..distractors.choosing import options_evidence
from ..item_parts.options.choices import AskedChoices, PlacedChoices, asked_choices, group_keys, text_choices
from ..stated_facts.facts_reader import as_shown


class WrittenQuestionItems(MapStep):
    """Make an item from each question that annotators wrote about an image; needs a `write` campaign before it.

    The items have the task that the campaign names, the explanation, the labels as attributes, and options in random
    order, so that each position of the right one is equally likely. Options that are drawn in the picture keep their
    order. A question that nothing in the picture answers has no answer key; its `refusal` key names the option that
    declines. The evidence contains the estimate `difficulty` and, under `option_faults`, options that are doubtful by
    their wording.

    Args:
        written_by: Entry of the campaign.
        max_side_px: Longer side of the picture shown; larger images are scaled down.

    Reasons:
        nothing_written (drop): The image has no written question.
    """

    name: ClassVar[str] = "written_questions"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    identity: ClassVar[tuple[str, ...]] = ("written_by",)

    written_by: str = Field("write", pattern=r"^[a-z0-9_.]+$")
    max_side_px: int = Field(1024, ge=64, le=8192)

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value with the questions."""
        return (f"{self.written_by}.{QUESTIONS}",)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make an item from each question."""
        text = ctx.value(record.image_id, self.reads[0])
        if text is None:
            return Outcome("drop", "nothing_written")
        written = WrittenQuestions.model_validate_json(text)
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        written_before: Counter[int] = Counter()
        items = []
        for question in written.questions:
            slot = question.written_in.slot
            items.append(self._item(record, ctx, shown.record, question, written, number=written_before[slot]))
            written_before[slot] += 1
        return Outcome(images=shown.made, items=tuple(items))

    def _item(
        self,
        record: ImageRecord,
        ctx: Context,
        picture: ImageRecord,
        question: WrittenQuestion,
        written: WrittenQuestions,
        *,
        number: int,
    ) -> Item:
        """Return the item for a question, given its index among those of its author, from 0."""
        written_in = question.written_in
        rng = ctx.rng(record.image_id, self.written_by, written_in.slot, number)
        asked = (
            _drawn_choices(written.drawn_options, question.right)
            if written.drawn_options
            else asked_choices(question.right, question.wrong, question.refusal, rng)
        )
        texts = ["question", "choices"] if question.explanation is None else ["question", "choices", "explanation"]
        return Item(
            item_id=ctx.item_id(record.image_id, str(written_in.slot), ordinal=number),
            task=written.task,
            kind="multiple_choice",
            images=(ItemImage(image_id=picture.image_id, role="reference"),),
            question=question.ask,
            choices=asked.choices,
            answer=asked.answer,
            refusal=asked.refusal,
            group_keys=group_keys(record),
            attributes=dict(question.labels),
            explanation=question.explanation,
            written_by=question.written_by(texts),
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={
                "stated": question.right,
                "written_in": written_in.model_dump(mode="json"),
                **({} if written.drawn_options else options_evidence(question.right, question.wrong)),
            },
        )


def _drawn_choices(labels: tuple[str, ...], right: str | None) -> AskedChoices:
    """Return the options that are drawn in the picture, in the order in which they appear there."""
    answer = next(key for key, label in zip(LETTERS, labels, strict=False) if label == right)
    return AskedChoices(text_choices(PlacedChoices(labels, answer)), answer, None)
