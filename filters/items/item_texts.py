"""The texts of items as comparisons use them: options, the right option, n-grams."""

from __future__ import annotations

from benchwright.records import Choice, Item
from benchwright.text_normalization import normal


def option_key(choice: Choice) -> tuple[str, str]:
    """Return what is equal for equal options: the picture, or the normalised text."""
    return ("image", choice.image_id) if choice.image_id is not None else ("text", normal(choice.text or ""))


def right_key(item: Item) -> str | None:
    """Return the key of the right option: the answer, else the option that declines to answer."""
    return item.answer if item.answer is not None else item.refusal


def grams(text: str, *, size: int = 3) -> frozenset[str]:
    """Return the character n-grams of a normalised text, padded with a space at both ends."""
    padded = f" {text} "
    return frozenset(padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))
