"""Steps that ask a model behind an endpoint about items: questions, answers, and what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from benchwright.models.chat import ChatSettings
from benchwright.records import Item
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from .asking import Answer, Asked, Asker

NO_ANSWER = "no_answer"


class AsksModel(Step):
    """A step that asks a model behind an endpoint."""

    chat: ChatSettings
    concurrency: int = Field(4, ge=1, le=64)

    def parameters(self) -> dict[str, Any]:
        """Return what decides the answers; how patiently and how many at a time does not."""
        settings = {name: value for name, value in super().parameters().items() if name != "concurrency"}
        return {**settings, "chat": self.chat.deciding()}


class AsksEachItem(AsksModel, MapStep):
    """Ask the model about items, several questions at a time; each kind of question is a step of its own."""

    consumes: ClassVar[Stream] = "items"
    costly: ClassVar[bool] = True

    def open(self, ctx: OpenContext) -> Asker:
        """Connect to the model."""
        del ctx
        return Asker(self.chat, concurrency=self.concurrency)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Ask about one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Item], ctx: Context) -> Sequence[Outcome]:
        """Ask about items; questions that several share are asked once."""
        wanted = [self.questions(item) for item in records]
        asker: Asker = ctx.opened
        answers = asker.answers([one for asked in wanted for one in asked.values()], ctx)
        return [
            self.outcome(item, {name: answers[one] for name, one in asked.items()}) if asked else Outcome()
            for item, asked in zip(records, wanted, strict=True)
        ]

    def questions(self, item: Item) -> Mapping[str, Asked]:
        """Return what is asked about an item, by name; nothing of items that this is not about."""
        raise NotImplementedError

    def outcome(self, item: Item, answers: Mapping[str, Answer]) -> Outcome:
        """Return what the answers say, as values and evidence."""
        raise NotImplementedError
