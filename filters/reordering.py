"""Options changing places: in which items they may, and the item that comes out.

The order of options is free unless the words of the item lean on it: `Yes` before `No`, numbers that run up, options
that name a letter or stand for all the others, questions and explanations that name an option by its letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.text_normalization import normal

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_NAMES_A_LETTER = re.compile(
    r"\([A-Z]\)|\b(?i:option|choice|answer)s?\s+[A-Z]\b|^[A-Z][.)]?$|\s[A-Z]\.?$",
)
_NAMES_A_PLACE = re.compile(
    r"\b(?:of|all|both|none|neither|any) (?:the |these |those )?(?:above|below|other option|other options|others)\b"
    r"|\b(?:none|all|both|neither|either) of (?:the above|these|those|them)\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth|last|former|latter|previous|following|next)"
    r" (?:option|choice|answer)\b"
)


def is_free(item: Item) -> bool:
    """Return whether an item's options may stand in any order."""
    texts = [choice.text for choice in item.choices if choice.text is not None]
    if item.kind == "yes_no" or (texts and len(texts) < len(item.choices)):
        return False
    said = [item.question, item.explanation or ""]
    if any(_names_an_option(text) for text in (*texts, *said)):
        return False
    return not _runs(texts)


def _names_an_option(text: str) -> bool:
    return bool(_NAMES_A_LETTER.search(text.strip()) or _NAMES_A_PLACE.search(normal(text)))


def _runs(texts: Sequence[str]) -> bool:
    """Return whether every option begins with a number and the numbers run up or down."""
    found = [_NUMBER.match(text.strip()) for text in texts]
    if len(found) < 3 or not all(found):
        return False
    numbers = [float(re.sub(r"[,.](?=\d{3}\b)", "", match.group()).replace(",", ".")) for match in found if match]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))


def swapped(item: Item, one: str, other: str, *, evidence: Mapping[str, Any]) -> Item:
    """Return an item as a new revision in which two options have changed places.

    Options that are pictures change places among the item's pictures too, so that a question which names pictures by
    number still names the options in their order.

    Args:
        item: Whose options are free.
        one: Letter of an option.
        other: Letter of another.
        evidence: Added to the item's.
    """
    trade = {one: other, other: one}
    by_key = {choice.key: choice for choice in item.choices}
    choices = tuple(_renamed(by_key[trade.get(key, key)], key) for key in LETTERS[: len(item.choices)])
    return item.model_copy(
        update={
            "choices": choices,
            "images": _traded(item.images, by_key[one].image_id, by_key[other].image_id),
            "answer": item.answer and trade.get(item.answer, item.answer),
            "refusal": item.refusal and trade.get(item.refusal, item.refusal),
            "revision": item.revision + 1,
            "evidence": {**item.evidence, **evidence},
        }
    )


def _renamed(choice: Choice, key: str) -> Choice:
    return choice.model_copy(update={"key": key})


def _traded(images: Sequence[ItemImage], one: str | None, other: str | None) -> tuple[ItemImage, ...]:
    """Return pictures with two of them in each other's place; as they are where options are words."""
    places = {image.image_id: at for at, image in enumerate(images)}
    if one is None or other is None:
        return tuple(images)
    found = list(images)
    found[places[one]], found[places[other]] = images[places[other]], images[places[one]]
    return tuple(found)
