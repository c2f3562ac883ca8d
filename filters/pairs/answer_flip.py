"""Yes/no questions about pairs that a vision-language model does not answer differently for the two pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from benchwright.diagnostics.models.model_questions import (
    NO_ANSWER,
    AsksEachItem,
    AsksModel,
    ImageQuestion,
    ModelAnswer,
)
from benchwright.records import Item
from benchwright.steps import Context, MapStep, Outcome, Step, Stream

from .paired_pictures import evidence_text

_NOT_FLIPPED, _CONTROL_FLIPPED = "answer_not_flipped", "control_flipped"
_SIDES = ("natural", "manipulated")
_BRIEFLY = "Answer with yes or no only."


class FlipAnswers(AsksEachItem):
    """Ask an item's question and the control question about both pictures."""

    name: ClassVar[str] = "answers"
    version: ClassVar[int] = 2
    values: ClassVar[Mapping[str, str]] = {
        "yes_on": "string",
        "natural": "string",
        "manipulated": "string",
        "control_natural": "string",
        "control_manipulated": "string",
    }

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return the question and the control question for both pictures; none if the item is not a yes/no question
        about a pair.
        """
        pictures = {side: evidence_text(item, side) for side in _SIDES}
        if (
            item.kind != "yes_no"
            or item.answered_key is None
            or evidence_text(item, "asks_for") not in _SIDES
            or None in pictures.values()
        ):
            return {}
        put = {"": item.question, "control_": evidence_text(item, "control")}
        return {
            f"{kind}{side}": ImageQuestion(str(image_id), f"{question} {_BRIEFLY}")
            for kind, question in put.items()
            for side, image_id in pictures.items()
            if question is not None
        }

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return the answers by picture, and every reply."""
        values = {name: answer.said for name, answer in answers.items()}
        replies = {name: answer.reply for name, answer in answers.items()}
        return Outcome(values={"yes_on": evidence_text(item, "asks_for"), **values}, evidence={"replies": replies})


class FlipVerdict(MapStep):
    """Compare the answers with the keys."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "items"
    reads: ClassVar[tuple[str, ...]] = tuple(f"answers.{value}" for value in FlipAnswers.values)

    verdict: Literal["drop", "ask"]

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Return the clearest fault: no answer, then an answer other than the key, then a changed control answer."""
        replies = {name.partition(".")[2]: ctx.value(record.item_id, name) for name in self.reads}
        if replies["yes_on"] is None:
            return Outcome()
        answers = [replies[name] for name in replies if name != "yes_on" and replies[name] is not None]
        if {"failed", "unclear"} & set(answers):
            return Outcome("ask", NO_ANSWER, evidence=replies)
        expected = {side: "yes" if side == replies["yes_on"] else "no" for side in _SIDES}
        if any(replies[side] != expected[side] for side in _SIDES):
            return Outcome(self.verdict, _NOT_FLIPPED, evidence=replies)
        if replies["control_natural"] != replies["control_manipulated"]:
            return Outcome(self.verdict, _CONTROL_FLIPPED, evidence=replies)
        return Outcome()


class AnswerFlip(AsksModel):
    """Drop yes/no questions of pairs that a vision-language model does not answer as the keys say, or ask about them.

    The model must answer yes for the picture for which the question is true and no for the other one, and give the same
    answer to a control question, which the item's evidence names, for both. Questions without an answer are always
    asked about.

    Args:
        chat: Endpoint and settings of the model.
        verdict: Verdict on a question whose answer does not flip: `drop` or `ask`. Dropping also affects questions that
            are merely hard for this model.
        concurrency: Number of simultaneous requests.

    Reasons:
        answer_not_flipped (drop or ask): The model does not answer as the keys say on both pictures.
        control_flipped (drop or ask): The model answers a control question differently.
        no_answer (ask): The model gave no answer, or neither yes nor no.
    """

    name: ClassVar[str] = "answer_flip"
    consumes: ClassVar[Stream] = "items"

    verdict: Literal["drop", "ask"] = "drop"

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: ask, then judge. Changing the verdict does not ask the model again."""
        return (FlipAnswers(chat=self.chat, concurrency=self.concurrency), FlipVerdict(verdict=self.verdict))
