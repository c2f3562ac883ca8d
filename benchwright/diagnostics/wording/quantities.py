"""Numbers with or without a unit, read for their value: `Two` is 2, `1 km` is 1000 m, `50 %` is 1/2.

Only what has one reading is read: `1,5` is not.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from .formulas import formula_key

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
    "hundred": 100, "one hundred": 100, "a hundred": 100, "one thousand": 1000, "a thousand": 1000, "a dozen": 12,
}  # fmt: skip
"""Numbers by their English words, up to ninety-nine and a few round ones."""

_UNITS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(factor))
    for dimension, units in {
        "length": {"nm": "1/1000000000", "µm": "1/1000000", "mm": "1/1000", "cm": "1/100", "dm": "1/10", "m": "1",
                   "km": "1000", "millimeter": "1/1000", "centimeter": "1/100", "meter": "1", "kilometer": "1000"},
        "imperial length": {"in": "1", "inch": "1", "ft": "12", "foot": "12", "feet": "12", "yd": "36", "yard": "36"},
        "mass": {"mg": "1/1000", "g": "1", "kg": "1000", "gram": "1", "kilogram": "1000", "ton": "1000000"},
        "time": {"ms": "1/1000", "s": "1", "sec": "1", "second": "1", "min": "60", "minute": "60", "h": "3600",
                 "hr": "3600", "hour": "3600", "day": "86400", "week": "604800"},
        "volume": {"ml": "1/1000", "cl": "1/100", "dl": "1/10", "l": "1", "milliliter": "1/1000", "liter": "1"},
        "area": {"mm^2": "1/1000000", "cm^2": "1/10000", "m^2": "1", "km^2": "1000000"},
        "frequency": {"hz": "1", "khz": "1000", "mhz": "1000000", "ghz": "1000000000"},
        "angle": {"°": "1", "degree": "1"},
        "": {"%": "1/100", "percent": "1/100"},
    }.items()
    for name, factor in units.items()
}  # fmt: skip
_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_QUANTITY = re.compile(rf"({_NUMBER})(?:/(\d+))?\s*([^\W\d_][^\W\d_]*(?:\^2)?|[%°])?\.?", re.IGNORECASE)
_WORDS = re.compile(r"([a-z]+(?:[ -][a-z]+)?)(?: +([^\W\d_]+))?\.?", re.IGNORECASE)
_BRITISH = re.compile(r"(met|lit)re")
_MOST = 60
"""Characters that a number with its unit may have."""


class Quantity(NamedTuple):
    """A value with what it counts: the dimension of its unit, or the noun after the number; empty for a number."""

    value: Fraction
    of: str


@lru_cache(maxsize=1 << 15)
def quantity(text: str) -> Quantity | None:
    """Return the value of a text that is a number, with a unit or without; None where it is none or has two readings.

    Example:
        >>> quantity("1.5 km") == quantity("1,500 m"), quantity("Two dogs") == quantity("2 dogs"), quantity("1,5")
        (True, True, None)
    """
    if len(text) > _MOST:
        return None
    plain = " ".join((formula_key(text) or text).replace("−", "-").split())
    if match := _QUANTITY.fullmatch(plain):
        number, divisor, unit = match.groups()
        if divisor is not None and int(divisor) == 0:
            return None
        return _with_unit(Fraction(number.replace(",", "")) / int(divisor or 1), unit)
    return _in_words(plain.casefold())


def _in_words(text: str) -> Quantity | None:
    match = _WORDS.fullmatch(text)
    if match is None:
        return None
    words = text.rstrip(".").split(" ")
    for size in (2, 1):
        number = NUMERALS.get(" ".join(words[:size]))
        if number is not None and len(words) - size <= 1:
            return _with_unit(Fraction(number), words[size] if len(words) > size else None)
    return None


def _with_unit(value: Fraction, unit: str | None) -> Quantity:
    if unit is None:
        return Quantity(value, "")
    folded = _BRITISH.sub(lambda match: {"met": "meter", "lit": "liter"}[match[1]], unit.casefold())
    known = _UNITS.get(unit) if len(unit) == 1 else _UNITS.get(folded) or _UNITS.get(folded.removesuffix("s"))
    return Quantity(value, folded) if known is None else Quantity(value * known[1], known[0])
