"""Protocols that may be combined with any wording, and with pictures joined into one: `vanilla` is the plainest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.errors import BenchwrightError

from ..questions import Question, Released, question_of
from .base import Asked, Attempt, Protocol
from .wordings import WORDINGS, Name, joined_message

if TYPE_CHECKING:
    from benchwright.records import Item


class Worded(Protocol):
    """Base of protocols that put a question in one of the papers' wordings."""

    wording: Name = "vanilla"
    joined: bool = False
    """Whether several pictures are sent as one, side by side."""

    def put(
        self,
        item: Item,
        question: Question,
        *,
        variant: str = "",
        keys: Mapping[str, str] | None = None,
        note: Mapping[str, Any] | None = None,
    ) -> Asked:
        """Return a question in this protocol's words, with pictures joined if that is wanted.

        Args:
            item: The item that it is about.
            question: With pictures and options as they are to be shown.
            variant: Names it among the item's questions.
            keys: The item's letter for each that it shows; the same letters where None.
            note: What was done to its pictures before.
        """
        meant = {one.key: one.key for one in question.choices} if keys is None else keys
        asked_id = f"{item.item_id}.{variant}" if variant else item.item_id
        if self.wording == "vanilla" and not self.joined:
            return Asked(variant, replace(question, item_id=asked_id), meant, note=note)
        try:
            if self.joined and len(question.pictures) > 1:
                message, composed = joined_message(question, item, self.wording)
                note = {**(note or {}), **composed}
            else:
                message = WORDINGS[self.wording](question, item)
        except BenchwrightError as error:
            return Asked(variant, None, meant, cause=str(error))
        return Asked(variant, replace(question, item_id=asked_id, message=message), meant, note=note)

    def ask(self, released: Released, earlier: Sequence[Attempt]) -> Sequence[Asked]:
        """Return the question as it is, once."""
        del earlier
        return [self.put(released.item, question_of(released))]


class Vanilla(Worded):
    """Ask once, directly."""

    name: ClassVar[str] = "vanilla"
    source: ClassVar[str] = "MVP-Bench table 2 (VanillaEval)"
