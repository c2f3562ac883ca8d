"""Wrong options that a vision-language model considers right as well."""

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
from benchwright.diagnostics.models.second_answers import option_questions, option_replies
from benchwright.records import Item
from benchwright.steps import Context, MapStep, Outcome, Step, Stream

_SECOND_RIGHT, _KEY_DENIED = "second_right_answer", "key_denied"


class OptionAnswers(AsksEachItem):
    """Ask a model whether each option of a question about one picture is right."""

    name: ClassVar[str] = "answers"
    version: ClassVar[int] = 2
    values: ClassVar[Mapping[str, str]] = {
        "also_right": "list<string>",
        "key_said": "string",
        "unanswered": "list<string>",
    }

    def questions(self, item: Item) -> Mapping[str, ImageQuestion]:
        """Return a question for each option; no questions for other kinds of items, such as those with several
        pictures.
        """
        return option_questions(item)

    def outcome(self, item: Item, answers: Mapping[str, ModelAnswer]) -> Outcome:
        """Return the letters of the wrong options that the model considers right, the reply about the key, and all
        replies.
        """
        said = option_replies(item, answers)
        values: dict[str, Any] = {
            "also_right": list(said.also_right),
            "key_said": said.key_said,
            "unanswered": list(said.unanswered),
        }
        return Outcome(values=values, evidence={"replies": dict(said.replies)})


class OptionVerdict(MapStep):
    """Ask annotators about items that the model doubts."""

    name: ClassVar[str] = "verdict"
    consumes: ClassVar[Stream] = "items"
    reads: ClassVar[tuple[str, ...]] = tuple(f"answers.{value}" for value in OptionAnswers.values)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Return the most serious doubt: a second right option, then a denied key, then an option without a reply."""
        also, key_said, unanswered = (ctx.value(record.item_id, name) for name in self.reads)
        if key_said is None:
            return Outcome()
        if also:
            return Outcome("ask", _SECOND_RIGHT, evidence={"options": list(also)})
        if key_said == "no":
            return Outcome("ask", _KEY_DENIED)
        if unanswered:
            return Outcome("ask", NO_ANSWER, evidence={"options": list(unanswered)})
        return Outcome()


class SecondAnswers(AsksModel):
    """Ask about items of which a vision-language model considers a wrong option right, or the right one wrong.

    Checks only questions about one picture with text options. The model gets one request for each option.

    Args:
        chat: Endpoint and settings of the model.
        concurrency: Number of simultaneous requests.

    Reasons:
        second_right_answer (ask): The model considers a wrong option right.
        key_denied (ask): The model considers the right option wrong.
        no_answer (ask): The model gave no readable answer.
    """

    name: ClassVar[str] = "second_answers"
    consumes: ClassVar[Stream] = "items"

    def parts(self) -> tuple[Step, ...]:
        """Return the parts: ask, then judge."""
        return (OptionAnswers(chat=self.chat, concurrency=self.concurrency), OptionVerdict())
