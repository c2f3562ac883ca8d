"""Beyond the image, as in MM-SAP (section 3.2): questions that the picture cannot answer, with an option that declines.

An option that declines and is always right reveals itself: after a few items, a reader chooses it without looking.
MM-SAP also offers it in answerable questions, and so do these items if the facts state such questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr

from benchwright.questions.implication import WrittenIn
from benchwright.questions.self_awareness import BASIC
from benchwright.questions.written import REFUSAL
from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, Outcome, Step, Stream

from ..ground_truth.values import read_truths
from ..item_parts.options.choices import asked_choices, group_keys
from ..self_awareness.annotations import ANNOTATIONS, ANSWERED, AnsweredBy, PictureAnnotations
from ..stated_facts.facts_reader import FactsReader, as_shown, nothing_stated


class BeyondTheImage(FactsReader):
    """Make items for which only declining is right, mixed with others; needs the step `facts` before it.

    An item that the picture does not answer has no answer key; its `refusal` key names the option that declines. An
    item that the picture answers has both keys and the level `basic`, MM-SAP's name for what every model should see. If
    items have N options and one question in N is unanswerable, always declining is right no more often than any other
    fixed choice.

    These are MM-SAP's questions. If the option that declines were always right, a reader would notice after two items
    and no longer need the picture. For each unanswerable question, state as many answerable ones as an item has options
    that do not decline, and give all items the same number of options; `wording_bias` checks this.

    A question stated as unanswerable is checked against the annotations of the picture's source, and left out if one
    answers it. Annotations are incomplete, so have two people confirm the items (`verify`).

    Args:
        refusal: Text of the option that declines.
        annotations_of: Entry of a step `dataset` whose annotations must not answer an unanswerable question; it may be
            missing, for example if a fitted recipe leaves it out. With null, nothing is checked.
        max_side_px: Longer side of the picture shown; larger images are scaled down.
        stated_by: Entry of the step `facts` to read, if the recipe gives it another name.

    Reasons:
        no_facts (drop): Nothing is stated about the image.
        refusal_among_answers (drop): The refusal is among the answers of its questions; a single such question is left
            out.
        answered_by_annotation (drop): Annotations answer all of its questions; a single such question is left out.
    """

    name: ClassVar[str] = "beyond_the_image"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    uses: ClassVar[tuple[str, ...]] = ("unanswerable", "answerable")

    refusal: str = Field(REFUSAL, min_length=1, max_length=200)
    annotations_of: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    max_side_px: int = Field(1024, ge=64, le=8192)
    _annotated_in: tuple[str, ...] = PrivateAttr(())

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including the annotations only if they are used."""
        return {
            name: value for name, value in super().parameters().items() if name != "annotations_of" or value is not None
        }

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step with the values of the annotations, if any come before it."""
        kinds = [] if self.annotations_of is None else given.get(self.annotations_of, {})
        placed = self.model_copy()
        placed._annotated_in = tuple(f"{self.annotations_of}.{kind.kind}" for kind in ANNOTATIONS if kind.kind in kinds)
        return placed

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values with the facts, and with the annotations."""
        return (*super().reads, *self._annotated_in)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make one item from each stated question."""
        unanswerable, answerable = (self.stated(record, ctx, use) or [] for use in self.uses)
        questions = [*unanswerable, *answerable]
        if not questions:
            return nothing_stated()
        annotations = self._annotations(record, ctx)
        faults = {question["name"]: self._fault(question, annotations) for question in questions}
        sound = [question for question in questions if faults[question["name"]] is None]
        left_out: dict[str, Any] = (
            {"left_out": [name for name, fault in faults.items() if fault is not None]} if sound != questions else {}
        )
        if answers := {name: fault for name, fault in faults.items() if isinstance(fault, AnsweredBy)}:
            left_out["answered_by"] = {name: fault._asdict() for name, fault in answers.items()}
        if not sound:
            reason = ANSWERED if len(answers) == len(questions) else "refusal_among_answers"
            return Outcome("drop", reason, evidence=left_out)
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items = tuple(self._item(record, ctx, shown.record, question) for question in sound)
        return Outcome(evidence=left_out, images=shown.made, items=items)

    def _annotations(self, record: ImageRecord, ctx: Context) -> PictureAnnotations:
        stated = (ctx.value(record.image_id, name) for name in self._annotated_in)
        truths = [
            truth.truth
            for kind, text in zip(ANNOTATIONS, stated, strict=False)
            if text is not None
            for truth in read_truths(text, kind)
        ]
        return PictureAnnotations(truths)

    def _fault(self, question: dict[str, Any], annotations: PictureAnnotations) -> str | AnsweredBy | None:
        """Return the reason why no item can be made from a question, or None if one can be made."""
        if self._declines_twice(question):
            return "refusal_among_answers"
        if "right" in question:
            return None
        return annotations.answered_by(question["ask"], question["wrong"], why=question["why"])

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
