"""II-Bench's eight prompt modes: plain, step by step, with the picture's labels, and with one to three examples."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field, model_validator

from benchwright.errors import BenchwrightError
from benchwright.seeds import seed_for
from benchwright.texts.normalization import counted

from ..prompting.item_index import labels_in
from ..prompting.question import Part, Question, QuestionImage, Released, question_of
from ..prompting.release_files import check_files
from .base import Ask, JudgedReply, Protocol, ProtocolQuestion
from .ii_bench_prompts import KEYWORD_MODES, OPTIONS, Mode, PromptedQuestion, prompt, prompt_with_examples

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.release import Release

_KEPT = 16
"""Number of examples from which to choose, enough for some to share nothing with the item."""


class IIBench(Protocol):
    """Ask like II-Bench. Items need one picture, six options in words, and the label if the mode gives one."""

    name: ClassVar[str] = "ii-bench"
    source: ClassVar[str] = "II-Bench section 4.1 and appendix C"

    mode: Mode = "none"
    """none, cot, or the label that the prompt gives: domain, emotion, rhetoric (an attribute; for domain also the
    category).
    """
    shots: int = Field(0, ge=0, le=3)
    """Number of examples before the question; only in mode none."""
    examples: str | None = None
    """Split of the examples; None for dev if it exists, else val."""

    @model_validator(mode="after")
    def _examples_stand_alone(self) -> Self:
        if self.shots and self.mode != "none":
            raise ValueError(f"shots require mode=none, not mode={self.mode}")
        return self

    def takes(self, item: Item) -> bool:
        """Return whether an item has the picture, options and label that the mode needs."""
        if len(item.images) != 1 or len(item.choices) != OPTIONS or any(choice.text is None for choice in item.choices):
            return False
        return self.mode not in KEYWORD_MODES or bool(labels_of(item, self.mode))

    def begin(self, release: Release, split: str | None) -> Ask:
        """Return the function that asks, with the examples ready if there are any."""
        del split  # an example is withheld only from items with which it has something in common
        if not self.shots:
            return self.ask
        kept = self._kept(release)

        def ask(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
            del earlier
            return [self._taught(released, kept)]

        return ask

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the picture and the prompt without examples."""
        del earlier
        item, question = released.item, question_of(released)
        labels = labels_of(item, self.mode) if self.mode in KEYWORD_MODES else ()
        words = prompt(self.mode, question.text, [choice.text or "" for choice in question.choices], labels)
        return [_once(question, (*question.pictures, words), note=None)]

    def _kept(self, release: Release) -> list[Released]:
        """Return those items that can serve as examples and come first in a random order, which is drawn once."""
        split = self.examples or next((name for name in ("dev", "val") if name in release.splits), None)
        if split is None or split not in release.splits:
            raise BenchwrightError(
                f"{release.path} has no split {self.examples or 'dev or val'} to take examples from; it has "
                f"{', '.join(release.splits)}; name one with examples=SPLIT"
            )
        check_files(release, split)
        able = (
            released_item
            for released_item in release.items(split)
            if self.takes(released_item.item) and released_item.item.answered_key is not None
        )
        return heapq.nsmallest(_KEPT, able, key=_drawn)

    def _taught(self, released: Released, kept: Sequence[Released]) -> ProtocolQuestion:
        item, question = released.item, question_of(released)
        chosen = [candidate for candidate in kept if _share_nothing(candidate.item, item)][: self.shots]
        keys = {choice.key: choice.key for choice in item.choices}
        if len(chosen) < self.shots:
            return ProtocolQuestion(
                "",
                None,
                keys,
                cause=f"only {counted(len(chosen), 'example has', 'examples have')} nothing in common with this item",
            )
        shown = [_example(example.item, example.item.answer) for example in chosen]
        pieces = prompt_with_examples([*shown, _example(item, None)])
        pictures = [*chain.from_iterable(question_of(example).pictures for example in chosen), *question.pictures]
        return _once(
            question, _between(pieces, pictures), note={"examples": [example.item.item_id for example in chosen]}
        )


def _drawn(released: Released) -> int:
    return seed_for(0, "evaluate.examples", released.item.item_id)


def labels_of(item: Item, name: str) -> tuple[str, ...]:
    """Return an item's labels of a kind; for the domain, the item's category if there is no attribute of that name."""
    labels = item.attributes.get(name)
    return labels_in(item.category if labels is None and name == "domain" else labels)


def _once(question: Question, message: tuple[Part, ...], *, note: dict[str, Any] | None) -> ProtocolQuestion:
    keys = {choice.key: choice.key for choice in question.choices}
    return ProtocolQuestion("", replace(question, message=message), keys, note=note)


def _between(pieces: Sequence[str], pictures: Sequence[QuestionImage]) -> tuple[Part, ...]:
    both = zip_longest(pieces, pictures)
    return tuple(part for pair in both for part in pair if part is not None)


def _share_nothing(first: Item, second: Item) -> bool:
    return first.item_id != second.item_id and not set(first.group_keys) & set(second.group_keys)


def _example(item: Item, answer: str | None) -> PromptedQuestion:
    return PromptedQuestion(item.question, [choice.text or "" for choice in item.choices], answer)
