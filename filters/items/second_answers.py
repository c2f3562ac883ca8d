"""Wrong options that a vision-language model finds right as well."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from benchwright.diagnostics.models.model_questions import (
    NO_ANSWER,
    AsksEachItem,
    AsksModel,
    ImageQuestion,
    ModelAnswer,
)
from benchwright.records import Item
from benchwright.steps import Context, MapStep, Outcome, Step, Stream

SECOND_RIGHT, KEY_DENIED = "second_right_answer", "key_denied"


class OptionAnswers(AsksEachItem):
    """Ask of every option of a question about one picture whether it is right."""

    name: ClassVar[str] = "answers"
    version: ClassVar[int] = 2
    values: ClassVar[Mapping[str, str]] = {
        "also_right": "list<string>",
        "key_said": "string",
        "unanswered": "list<string>",
    }

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return a question for each option; none for items of another kind, such as with several pictures."""
        if item.kind != "multiple_choice" or item.answered_key is None or len(item.images) != 1:
            return {}
        if any(choice.text is None for choice in item.choices):
            return {}
        [shown] = item.images
        return {
            choice.key: ImageQuestion(
                shown.image_id,
                f"A question about this picture: {item.question}\nA proposed answer: {choice.text}\n"
                "Is the proposed answer right? Answer with yes or no only.",
            )
            for choice in item.choices
        }

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return the letters of wrong options that the model calls right, its reply to the key, and every reply."""
        wrong = {key: answer for key, answer in answers.items() if key != item.answer}
        values: dict[str, Any] = {
            "also_right": [key for key, answer in wrong.items() if answer.said == "yes"],
            "key_said": answers[str(item.answer)].said,
            "unanswered": [key for key, answer in answers.items() if answer.said in {"failed", "unclear"}],
        }
        return Outcome(values=values, evidence={"replies": {key: answer.reply for key, answer in answers.items()}})


class OptionVerdict(MapStep):
    """Ask people about items that the model finds doubtful."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "items"
    reads: ClassVar[tuple[str, ...]] = tuple(f"answers.{value}" for value in OptionAnswers.values)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Name the clearest doubt: a second right option, then a denied key, then an option without a reply."""
        also, key_said, unanswered = (ctx.value(record.item_id, name) for name in self.reads)
        if key_said is None:
            return Outcome()
        if also:
            return Outcome("ask", SECOND_RIGHT, evidence={"options": list(also)})
        if key_said == "no":
            return Outcome("ask", KEY_DENIED)
        if unanswered:
            return Outcome("ask", NO_ANSWER, evidence={"options": list(unanswered)})
        return Outcome()


class SecondAnswers(AsksModel):
    """Ask about items of which a vision-language model finds a wrong option right, or the right one wrong.

    Only questions about one picture whose options are texts are checked.

    The model gets one request an option.

    Args:
        chat: Endpoint and settings of the model.
        concurrency: Number of simultaneous requests.

    Reasons:
        second_right_answer (ask): The model finds a wrong option right.
        key_denied (ask): The model finds the right option wrong.
        no_answer (ask): It gave no answer, or none that can be read.
    """

    name: ClassVar[str] = "second_answers"
    consumes: ClassVar[Stream] = "items"

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: ask, then judge."""
        return (OptionAnswers(chat=self.chat, concurrency=self.concurrency), OptionVerdict())
