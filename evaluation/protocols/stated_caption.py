"""A protocol with a caption next to the picture of a pair: the picture's own caption, or that of the other picture,
which contradicts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from ..prompting.question import Question, Released, question_of
from .base import JudgedReply, ProtocolQuestion
from .templated import Templated

if TYPE_CHECKING:
    from benchwright.records import Item

_SIDES = ("natural", "manipulated")


class PairCaptions(NamedTuple):
    """The caption of the picture that an item shows, and the caption of the other picture in its pair."""

    own: str
    other: str


class StatedCaption(Templated):
    """Ask with a caption next to the picture.

    Asks only items that show one picture of a pair with known captions, as made by `pair_items`.
    """

    name: ClassVar[str] = "stated-caption"
    source: ClassVar[str] = "MVP-Bench section 4.2 makes such captions for each pair; asking with them is our addition"

    of: Literal["own", "other", "none"] = "own"
    """Source of the caption: the picture itself, the other picture of the pair, or none, on the same items."""

    def takes(self, item: Item) -> bool:
        """Return whether the item shows one picture of a pair with two captions that differ."""
        return captions_of(item) is not None

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question with the caption before its words."""
        del earlier
        captions = captions_of(released.item)
        assert captions is not None, "the item was taken"
        question = question_of(released)
        if self.of == "none":
            return [self.put(released.item, question)]
        caption = getattr(captions, self.of)
        return [self.put(released.item, _captioned(question, caption), note={"caption": caption})]


def captions_of(item: Item) -> PairCaptions | None:
    """Return the captions for an item that shows one picture of a pair, or None if they are unknown or equal."""
    captions = {side: item.evidence.get(f"{side}_caption") for side in _SIDES}
    shown = [side for side in _SIDES if item.evidence.get(side) == item.images[0].image_id]
    if len(item.images) != 1 or len(shown) != 1 or None in captions.values() or len(set(captions.values())) < 2:
        return None
    own, other = shown[0], next(side for side in _SIDES if side != shown[0])
    return PairCaptions(str(captions[own]), str(captions[other]))


def _captioned(question: Question, caption: str) -> Question:
    return replace(question, text=f"The image comes with this caption: {caption.rstrip()}\n{question.text}")
