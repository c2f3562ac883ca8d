"""English words for numbers and ranks, and the value of a number with its unit or noun."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMERALS: dict[str, int] = {
    **{word: number for number, word in enumerate(_ONES)},
    **{word: 10 * number for number, word in enumerate(_TENS, start=2)},
    **{f"{ten}{joint}{one}": 10 * tens + ones
       for tens, ten in enumerate(_TENS, start=2) for ones, one in enumerate(_ONES[1:10], start=1) for joint in " -"},
    "a pair": 2,
    "hundred": 100, "one hundred": 100, "a hundred": 100, "one thousand": 1000, "a thousand": 1000, "a dozen": 12,
}  # fmt: skip
"""Numbers by their English words, up to ninety-nine and a few round ones."""

_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6}


def number_in_words(text: str) -> int | None:
    """Return the value of an English number of several words; None for other texts.

    Example:
        >>> number_in_words("two thousand and thirty-one"), number_in_words("three in four")
        (2031, None)
    """
    words = text.casefold().replace("-", " ").split()
    total = part = 0
    for at, word in enumerate(words):
        if word == "and" and 0 < at < len(words) - 1 and words[at - 1] in _SCALES:
            continue
        if word in _SCALES and (part or total):
            part = (part or 1) * _SCALES[word]
            if _SCALES[word] > 100:
                total, part = total + part, 0
        elif word in NUMERALS and word not in _SCALES and part % (100 if NUMERALS[word] > 9 else 10) == 0:
            part += NUMERALS[word]
        else:
            return None
    return total + part if not _SCALES.keys().isdisjoint(words) else None


ORDINALS = {
    name: number
    for number, name in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
         "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
         "twentieth"],
        start=1,
    )
}  # fmt: skip
"""Ranks by their English words."""


class Quantity(NamedTuple):
    """A value with its unit: the dimension of the unit, or the noun after the number; empty for a bare number."""

    value: Fraction
    of: str
