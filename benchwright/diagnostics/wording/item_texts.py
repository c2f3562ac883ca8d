"""The texts of items in the form used for comparisons: options and n-grams."""

from __future__ import annotations

import re
from functools import lru_cache

from benchwright.records import Choice
from benchwright.texts.hidden_characters import escaped
from benchwright.texts.normalization import normal

from .formulas import formula_key

_ALLELES = re.compile(r"(?:([a-z])\1)+", re.IGNORECASE)
"""`Aa`, `AABb`: pairs of letters that differ only in case."""
_ARTICLE = re.compile(r"(?:(?:^|(?<=[.!?]\s))\s*(?i:an?|the)|(?<=\s)(?:an?|the))\s+(?=\w)")
_SMALL_WORDS = frozenset(
    ["no", "ok", "up", "on", "in", "me", "he", "we", "us", "it", "at", "by", "to", "go", "if", "or"]
)


def option_key(choice: Choice) -> tuple[str, str]:
    """Return a key that equal options share: that of the picture, or that of the text (`text_key`)."""
    return ("image", choice.image_id) if choice.image_id is not None else text_key(choice.text or "")


@lru_cache(maxsize=1 << 15)
def text_key(text: str) -> tuple[str, str]:
    """Return a key that equal option texts share: the formula, or the normalized text.

    Invisible characters make no difference. Case makes no difference in words, but it does in formulas, symbols of one
    or two letters (`Co` and `CO`) and alleles.
    """
    text = visible(text)
    if (formula := formula_key(text)) is not None:
        return "formula", formula
    words = normal(text)
    is_symbol = len(words) <= 2 and words.isalpha() and words.isascii() and words not in _SMALL_WORDS
    if is_symbol or (len(words) <= 8 and _ALLELES.fullmatch(words)):
        return "text", "".join(letter for letter in text if letter.isalpha())
    return "text", words


def visible(text: str) -> str:
    """Return a text without invisible characters, except for those that its script needs."""
    return escaped(text, spell=lambda _: "")


def without_articles(text: str) -> str:
    """Return a text without its articles; the `A` in `Sample A` is not an article."""
    return _ARTICLE.sub("", text)


def grams(text: str, *, size: int = 3) -> frozenset[str]:
    """Return the character n-grams of a normalized text, padded with a space at both ends."""
    padded = f" {text} "
    return frozenset(padded[at : at + size] for at in range(max(1, len(padded) - size + 1)))
