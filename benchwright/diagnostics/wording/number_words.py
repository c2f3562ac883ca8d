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
