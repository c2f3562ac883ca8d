"""Options that stand twice in one question, or nearly: then two answers are right, or a wrong one can be excluded.

Five of II-Bench's 35 dev questions have two equal options. Two options are equal where their texts differ at most in
case, white space, width and punctuation, or where they are the same picture.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from benchwright.records import Choice, Item
from benchwright.texts.normalization import likeness, normal

from .item_texts import option_key

MAX_LIKENESS = 0.85
"""Likeness up to which two different options may resemble each other."""
_DECIMALS = 4


class OptionPair(NamedTuple):
    """Two options of an item, by their letters, and their likeness, 0-1, rounded; 1 for equal ones."""

    item_id: str
    options: tuple[str, str]
    likeness: float


def repeated_pairs(item: Item) -> list[tuple[str, str]]:
    """Return the keys of each pair of equal options, in order."""
    return [
        (first.key, second.key)
        for first, second in combinations(item.choices, 2)
        if option_key(first) == option_key(second)
    ]


def alike_pairs(item: Item) -> list[OptionPair]:
    """Return each pair of different options whose likeness is above 0, in order."""
    pairs = []
    for first, second in combinations(item.choices, 2):
        if option_key(first) != option_key(second) and (alike := round(_likeness(first, second), _DECIMALS)):
            pairs.append(OptionPair(item.item_id, (first.key, second.key), alike))
    return pairs


def similar_options(item: Item, *, above: float = MAX_LIKENESS) -> list[OptionPair]:
    """Return the pairs of options of an item that are nearly equal: more alike than `above`, 0-1."""
    return [pair for pair in alike_pairs(item) if pair.likeness > above]


def are_nearly_equal(first: str, second: str) -> bool:
    """Return whether two normalised texts are equal, or so alike that they are one text in two spellings."""
    return first == second or round(likeness(first, second), _DECIMALS) > MAX_LIKENESS


def _likeness(first: Choice, second: Choice) -> float:
    return 0.0 if first.text is None or second.text is None else likeness(normal(first.text), normal(second.text))
