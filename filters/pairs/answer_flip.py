"""Yes/no questions about pairs that a vision-language model does not answer differently on the two pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from benchwright.records import Item
from benchwright.steps import Context, MapStep, Outcome, Step, Stream

from ..models.model_questions import NO_ANSWER, AsksEachItem, AsksModel, ImageQuestion, ModelAnswer
from .paired_pictures import told

NOT_FLIPPED, CONTROL_FLIPPED = "answer_not_flipped", "control_flipped"
_SIDES = ("natural", "manipulated")
_BRIEFLY = "Answer with yes or no only."


class FlipAnswers(AsksEachItem):
    """Ask an item's question, and the control question, of both pictures."""

    name: ClassVar[str] = "answers"
    values: ClassVar[Mapping[str, str]] = {
        "yes_on": "string", "natural": "string", "manipulated": "string", "control_natural": "string",
        "control_manipulated": "string",
    }  # fmt: skip

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return the question and the control on both sides; nothing where the item is no yes/no question of a pair."""
        pictures = {side: told(item, side) for side in _SIDES}
        if (
            item.kind != "yes_no"
            or item.answer is None
            or told(item, "asks_for") not in _SIDES
            or None in pictures.values()
        ):
            return {}
        put = {"": item.question, "control_": told(item, "control")}
        return {
            f"{kind}{side}": ImageQuestion(str(image_id), f"{question} {_BRIEFLY}")
            for kind, question in put.items()
            for side, image_id in pictures.items()
            if question is not None
        }

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return what was said on which side, and every reply."""
        values = {name: answer.said for name, answer in answers.items()}
        replies = {name: answer.reply for name, answer in answers.items()}
        return Outcome(values={"yes_on": told(item, "asks_for"), **values}, evidence={"replies": replies})


class FlipVerdict(MapStep):
    """Compare what was said with the keys."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "items"
    reads: ClassVar[tuple[str, ...]] = tuple(f"answers.{value}" for value in FlipAnswers.values)

    verdict: Literal["drop", "ask"]

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Name the plainest fault: no answer, another answer than the keys, a control that changed."""
        said = {name.partition(".")[2]: ctx.value(record.item_id, name) for name in self.reads}
        if said["yes_on"] is None:
            return Outcome()
        answers = [said[name] for name in said if name != "yes_on" and said[name] is not None]
        if {"failed", "unclear"} & set(answers):
            return Outcome("ask", NO_ANSWER, evidence=said)
        expected = {side: "yes" if side == said["yes_on"] else "no" for side in _SIDES}
        if any(said[side] != expected[side] for side in _SIDES):
            return Outcome(self.verdict, NOT_FLIPPED, evidence=said)
        if said["control_natural"] != said["control_manipulated"]:
            return Outcome(self.verdict, CONTROL_FLIPPED, evidence=said)
        return Outcome()


class AnswerFlip(AsksModel):
    """Drop yes/no questions of pairs that a vision-language model does not answer as the keys say, or ask about them.

    It must say yes on the picture of which the question is true and no on the other one, and answer a control question,
    which the item's evidence names, alike on both. What it gives no answer to is always asked about.

    Args:
        chat: Which model is asked and how.
        verdict: What becomes of a question that does not flip: `drop` or `ask`. Dropped are also those that are merely
            hard for this model.
        concurrency: Requests that are under way at a time.
    """

    name: ClassVar[str] = "answer_flip"
    consumes: ClassVar[Stream] = "items"

    verdict: Literal["drop", "ask"] = "drop"

    def parts(self) -> tuple[Step, ...]:
        """Ask, then judge: another verdict asks the model nothing."""
        return (FlipAnswers(chat=self.chat, concurrency=self.concurrency), FlipVerdict(verdict=self.verdict))
