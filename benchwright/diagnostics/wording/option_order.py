"""Whether the order of an item's options is free.

The order is free unless the item's wording depends on it: `Yes` before `No`, ascending numbers, options that name a
letter or refer to all others, questions and explanations that name an option by its letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.records import Item
from benchwright.texts.normalization import normal

from .pointing_options import pointing_options

_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_NAMES_A_LETTER = re.compile(
    r"\([A-Z]\)|\b(?i:option|choice|answer)s?\s+[A-Z]\b|^[A-Z][.)]?$|\s[A-Z]\.?$",
)
_LETTER = re.compile(r"\b[A-Z]\b")
_NAMES_A_PLACE = re.compile(
    r"\b(?:of|all|both|none|neither|any) (?:the |these |those )?(?:above|below|other option|other options|others)\b"
    r"|\b(?:none|all|both|neither|either) of (?:the above|these|those|them)\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth|last|former|latter|previous|following|next)"
    r" (?:option|choice|answer)\b"
)


def may_reorder(item: Item) -> bool:
    """Return whether the order of an item's options is free."""
    texts = [choice.text for choice in item.choices if choice.text is not None]
    if item.kind == "yes_no" or (texts and len(texts) < len(item.choices)):
        return False
    sentences = [item.question, item.explanation or ""]
    if any(_names_an_option(text) for text in (*texts, *sentences)) or pointing_options(item):
        return False
    return not _is_number_sequence(texts)


def names_marks(item: Item) -> bool:
    """Return whether options name by letter the only mark on each picture, all of one kind: marks may be exchanged."""
    marks = [(prompt.image_id, prompt.kind, prompt.label) for image in item.images for prompt in image.prompts]
    keys = {choice.key for choice in item.choices}
    of_options = [mark for mark in marks if mark[2] in keys]
    if sorted(str(label) for _, _, label in of_options) != sorted(keys) or len({mark[:2] for mark in of_options}) != 1:
        return False
    return all(keys.intersection(_LETTER.findall(choice.text or "")) == {choice.key} for choice in item.choices)


def _names_an_option(text: str) -> bool:
    return bool(_NAMES_A_LETTER.search(text.strip()) or _NAMES_A_PLACE.search(normal(text)))


def _is_number_sequence(texts: Sequence[str]) -> bool:
    """Return whether every option begins with a number, and the numbers are in ascending or descending order."""
    matches = [_NUMBER.match(text.strip()) for text in texts]
    if len(matches) < 3 or not all(matches):
        return False
    numbers = [float(re.sub(r"[,.](?=\d{3}\b)", "", match.group()).replace(",", ".")) for match in matches if match]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))
