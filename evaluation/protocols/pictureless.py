"""Protocols without the pictures: blind, or with another model's descriptions instead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..prompting.question import Part, Question, Released, question_of
from .base import ItemVerdict, JudgedReply, Protocol, ProtocolQuestion
from .templated import Templated
from .wordings import WORDINGS, Name, numbered, without_pictures

if TYPE_CHECKING:
    from benchwright.records import Item

    from ..backends.options import BackendOptions

CAPTION = "caption"

_DESCRIBE = (
    "Describe this image in as much detail as you can: objects and people with their attributes, numbers and places, "
    "what they do, the background, the style, and all text. If marks are drawn on it, such as circles, boxes or "
    "letters, say for each what it looks like and exactly where it is."
)


class Blind(Templated):
    """Ask without any picture, to measure the accuracy from the words alone."""

    name: ClassVar[str] = "blind"
    source: ClassVar[str] = "ours; BLINK section 4.3 does the same with captions"

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question without its pictures."""
        del earlier
        return [self.put(released.item, self.as_shown(question_of(released)), note={"shown": []})]

    def as_shown(self, question: Question) -> Question:
        """Return a question without its pictures."""
        return without_pictures(question)


class Caption(Protocol):
    """Have one model describe each picture, then ask the scored model with the descriptions and without pictures.

    The descriptions are stored in the captioner's own log and in the item's attempts.
    """

    name: ClassVar[str] = "caption"
    source: ClassVar[str] = "BLINK section 4.3 (figure 6)"
    rounds: ClassVar[int] = 2

    by: str
    """The captioner, in the form of `--model`."""
    base_url: str | None = None
    """The captioner's endpoint; None for that of the scored model."""
    api_key_env: str | None = None
    """Environment variable that holds its key; None for that of the scored model."""
    wording: Name = "vanilla"

    def model_of_round(self, round_number: int, options: BackendOptions) -> tuple[str, BackendOptions] | None:
        """Return the captioner for the first round."""
        if round_number:
            return None
        return self.by, options.lent(self.by, base_url=self.base_url, api_key_env=self.api_key_env)

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return a request for each picture, then the question with the descriptions."""
        question = question_of(released)
        return [self._captioned_question(released.item, question, earlier)] if earlier else self._requests(question)

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict on the scored model's reply."""
        return super().verdict(item, attempts[-1:])

    def _requests(self, question: Question) -> list[ProtocolQuestion]:
        requests = []
        for place, picture in enumerate(question.pictures, start=1):
            variant = f"{CAPTION}{place}"
            asked_id = f"{question.item_id}.{variant}"
            message: tuple[Part, ...] = (picture, _DESCRIBE)
            request = replace(question, item_id=asked_id, text=_DESCRIBE, pictures=(picture,), message=message)
            requests.append(ProtocolQuestion(variant, request, {}))
        return requests

    def _captioned_question(self, item: Item, question: Question, captions: Sequence[JudgedReply]) -> ProtocolQuestion:
        failed = next((caption for caption in captions if caption.reply is None), None)
        keys = {choice.key: choice.key for choice in question.choices}
        if failed is not None:
            return ProtocolQuestion("", None, keys, cause=f"{failed.variant} failed: {failed.cause}")
        several = len(captions) > 1
        descriptions = [
            f"Description of {numbered(place, several)}:\n{caption.reply}"
            for place, caption in enumerate(captions, start=1)
        ]
        plain = without_pictures(question)
        words = [part for part in WORDINGS[self.wording](plain, item) if isinstance(part, str)]
        note: Mapping[str, Any] = {"shown": []}
        return ProtocolQuestion("", replace(plain, message=("\n\n".join([*descriptions, *words]),)), keys, note=note)
