"""The texts of items as comparisons use them: options and n-grams."""

from __future__ import annotations

from benchwright.records import Choice
from benchwright.texts.normalization import normal


def option_key(choice: Choice) -> tuple[str, str]:
    """Return what is equal for equal options: the picture, or the normalised text."""
    return ("image", choice.image_id) if choice.image_id is not None else ("text", normal(choice.text or ""))


def grams(text: str, *, size: int = 3) -> frozenset[str]:
    """Return the character n-grams of a normalised text, padded with a space at both ends."""
    padded = f" {text} "
    return frozenset(padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))
