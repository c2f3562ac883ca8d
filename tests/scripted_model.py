"""A model that answers by rules of a test, and remembers its questions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchwright.evaluation.backends.base import BackendContext
from benchwright.evaluation.prompting.prompts import message_of
from benchwright.evaluation.prompting.question import Question, QuestionImage, Reply


class Scripted:
    """`say(question)` returns the reply's text, or None for a request that failed."""

    tasks = None

    def __init__(self, say: Callable[[Question], str | None], name: str = "scripted") -> None:
        self.say, self.name = say, name
        self.settings: dict[str, Any] = {}
        self.asked: list[Question] = []

    def answer(self, questions: Iterable[Question], asking: BackendContext) -> Generator[Reply]:
        for question in questions:
            self.asked.append(question)
            text = self.say(question)
            yield Reply(question.item_id, text=text, error=None if text is not None else "the line went dead")

    @property
    def variants(self) -> list[str]:
        return [question.item_id.partition(".")[2] for question in self.asked]


def says(words: str) -> Callable[[Question], str | None]:
    """Return a script that names the option with these words, wherever it stands; it declines where there is none."""

    def say(question: Question) -> str | None:
        keys = [choice.key for choice in question.choices if choice.text == words]
        return f"({keys[0]})" if keys else "I cannot say."

    return say


def words_of(question: Question) -> str:
    """Return the words of a message, with [picture] where one stands."""
    return "\n".join("[picture]" if isinstance(part, QuestionImage) else part for part in message_of(question))


def pictures_of(question: Question) -> list[QuestionImage]:
    return [part for part in message_of(question) if isinstance(part, QuestionImage)]


def rows(out: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a score's predictions."""
    found: list[dict[str, Any]] = pq.read_table(out / name / "predictions.parquet").to_pylist()
    return found
