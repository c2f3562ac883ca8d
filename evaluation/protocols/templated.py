"""Protocols that can be combined with any wording, and with pictures joined into one: `vanilla` is the simplest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from benchwright.canonical import file_digest
from benchwright.errors import BenchwrightError

from ..prompting.prompts import message_of, one_part_a_run
from ..prompting.question import Part, Question, Released, question_of
from .base import Ask, JudgedReply, Protocol, ProtocolQuestion
from .examples import FILE_ENDING, ShownExamples, shown_examples
from .wordings import WORDINGS, Name, joined_message

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.release import Release

_LETTER_ALONE = frozenset({"mvp-bench", "mvp-bench-commonsense", "mm-sap", "mm-sap-refusal"})
"""Wordings whose answer is a letter without parentheses, or yes or no."""


class Templated(Protocol):
    """Base of protocols that ask a question in one of the papers' wordings."""

    wording: Name = "vanilla"
    joined: bool = False
    """Whether to send several pictures as one, side by side."""
    shots: int = Field(0, ge=0, le=16)
    """Number of examples with answers before each question."""
    examples: str | None = None
    """Split of the examples, or a file that ends in `.jsonl`; None for dev if it exists, else val."""
    seed: int = 0
    """Seed for drawing examples."""

    def settings(self) -> dict[str, Any]:
        """Return the name and all settings, with the hash of a file of examples."""
        hashes = [file_digest(path) for path in self.files() if path.is_file()]
        return super().settings() | ({"examples_sha256": hashes[0]} if hashes else {})

    def files(self) -> tuple[Path, ...]:
        """Return the file from which the examples come, if there is one."""
        from_file = self.shots and self.examples is not None and self.examples.endswith(FILE_ENDING)
        return (Path(self.examples or ""),) if from_file else ()

    def begin(self, release: Release, split: str | None) -> Ask:
        """Return the function that asks, with any examples before each question."""
        ask = self.asking_items(release)
        if not self.shots:
            return ask
        shown = shown_examples(
            release,
            split,
            source=self.examples,
            shots=self.shots,
            seed=self.seed,
            put=self._example,
            answer=self._answer,
        )

        def taught(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
            return [_behind(shown, question) for question in ask(released, earlier)]

        return taught

    def asking_items(self, release: Release) -> Ask:
        """Return the function that asks items without examples, after reading what it needs from the release."""
        del release
        return self.ask

    def as_shown(self, question: Question) -> Question:
        """Return a question as this protocol shows it, including its pictures; examples are shown in the same way."""
        return question

    def put(
        self,
        item: Item,
        question: Question,
        *,
        variant: str = "",
        keys: Mapping[str, str] | None = None,
        note: Mapping[str, Any] | None = None,
    ) -> ProtocolQuestion:
        """Return a question in this protocol's words, with pictures joined if the settings ask for it.

        Args:
            item: Item that the question is about.
            question: Question with pictures and options in display form.
            variant: Name among the item's questions; default empty.
            keys: Item's letter for each shown letter; None for the same letters.
            note: Earlier changes to its pictures.
        """
        meant = {choice.key: choice.key for choice in question.choices} if keys is None else keys
        asked_id = f"{item.item_id}.{variant}" if variant else item.item_id
        if self.wording == "vanilla" and not self.joined:
            return ProtocolQuestion(variant, replace(question, item_id=asked_id), meant, note=note)
        try:
            if self.joined and len(question.pictures) > 1:
                message, composed = joined_message(question, item, self.wording)
                note = {**(note or {}), **composed}
            else:
                message = WORDINGS[self.wording](question, item)
        except BenchwrightError as error:
            return ProtocolQuestion(variant, None, meant, cause=str(error))
        return ProtocolQuestion(variant, replace(question, item_id=asked_id, message=message), meant, note=note)

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question unchanged, once."""
        del earlier
        return [self.put(released.item, question_of(released))]

    def _example(self, released: Released) -> tuple[Part, ...]:
        example = self.put(released.item, self.as_shown(question_of(released)))
        if example.question is None:
            raise BenchwrightError(f"example {released.item.item_id} cannot be shown: {example.cause}")
        return message_of(example.question)

    def _answer(self, item: Item) -> str:
        """Return an example's answer in the form that the wording requests."""
        if self.wording not in _LETTER_ALONE:
            return f"({item.answer})"
        right = next(choice for choice in item.choices if choice.key == item.answer)
        return right.text or right.key if item.kind == "yes_no" else right.key


def _behind(shown: ShownExamples, asked_question: ProtocolQuestion) -> ProtocolQuestion:
    """Return a question preceded by examples."""
    if asked_question.question is None:
        return asked_question
    message = one_part_a_run([*shown.parts, *message_of(asked_question.question)])
    note = {**(asked_question.note or {}), "examples": list(shown.ids)}
    return asked_question._replace(question=replace(asked_question.question, message=message), note=note)


class Vanilla(Templated):
    """Ask once, directly."""

    name: ClassVar[str] = "vanilla"
    source: ClassVar[str] = "MVP-Bench table 2 (VanillaEval)"
