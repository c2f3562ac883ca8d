"""Options that a sentence implies without naming them, recognized by words that only one option has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .option_places import PLACE_WORDS, VERB
from .option_words import ReadableOption, is_particle
from .polarity_phrases import Grammar
from .word_stems import pieces_of

_LEAST_SHARE = 0.5
"""Smallest proportion of an option's unique words that a sentence must contain."""
_LONG = 400
"""Number of characters at the end of a sentence that are examined."""


@lru_cache(maxsize=1 << 10)
def _own_words(options: tuple[ReadableOption, ...]) -> dict[str, frozenset[str]]:
    """Return, for each option, the stems that no other option has."""
    pieces = {option.key: pieces_of(option.words) - PLACE_WORDS for option in options if not is_particle(option.words)}
    if any(its < others for its in pieces.values() for others in pieces.values()):
        return {}
    return {
        key: its - frozenset[str]().union(*(others for other, others in pieces.items() if other != key))
        for key, its in pieces.items()
    }


def told_by_words(sentence: str, options: Sequence[ReadableOption], grammar: Grammar) -> str | None:
    """Return the only option that a sentence affirms with its unique words; other options' unique words must not occur.

    Words after a negation or a supposition affirm nothing.
    """
    own = _own_words(tuple(options))
    sentence = sentence[-_LONG:]
    said = pieces_of(sentence)
    if sum(not its.isdisjoint(said) for its in own.values()) != 1:
        return None
    turn = grammar["negates"].search(sentence)
    key, its = next((key, its) for key, its in own.items() if not its.isdisjoint(said))
    affirmed = pieces_of(sentence[: turn.start()]) if turn else said
    held = len(its & affirmed)
    is_clause = any(option.key == key and VERB.search(option.words) for option in options)
    return key if held >= max(_LEAST_SHARE * len(its), 2 if is_clause else 1) else None
