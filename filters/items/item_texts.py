"""What items say, as comparisons see it: options, the right one, n-grams of texts."""

from __future__ import annotations

from benchwright.records import Choice, Item
from benchwright.text_normalization import normal


def option_key(choice: Choice) -> tuple[str, str]:
    """Return what makes an option the same as another: its picture, or its text as comparisons see it."""
    return ("image", choice.image_id) if choice.image_id is not None else ("text", normal(choice.text or ""))


def right_key(item: Item) -> str | None:
    """Return the key of the option that is right: the answer, or the one that declines where nothing answers."""
    return item.answer if item.answer is not None else item.refusal


def grams(text: str, *, size: int = 3) -> frozenset[str]:
    """Return the character n-grams of a normal text, padded with a space at both ends."""
    padded = f" {text} "
    return frozenset(padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))
