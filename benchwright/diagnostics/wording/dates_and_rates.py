"""Values of dates, centuries, scales of maps, multiples, dozens and rates.

`12 May 1904` and `1904-05-12` are one date, `14th century` and `the 1300s` one century, `twice a day` and
`every 12 hours` one rate.
"""

from __future__ import annotations

import re
from fractions import Fraction

from .number_words import NUMERALS, ORDINALS, Quantity

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS) + "|sept"
_DATES = (
    re.compile(r"(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})"),
    re.compile(rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\.?,? (?P<year>\d{{4}})"),
    re.compile(rf"(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"),
    re.compile(rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})"),
    re.compile(rf"(?P<month>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?"),
)
_CENTURY = re.compile(r"(?:the )?(?P<place>[a-z]+|\d{1,2}(?:st|nd|rd|th))[ -]century|(?:the )?(?P<hundred>\d{1,2})00s")
_DECADE = re.compile(
    r"(?:the )?(?P<decade>\d{3})0s|(?:the )?(?P<tens>[a-z]+ties) of the (?P<place>[a-z]+|"
    r"\d{1,2}(?:st|nd|rd|th)) century"
)
_SCALE = re.compile(
    r"1 ?: ?(?P<to>[\d,]+)|(?P<number>[\d.]+) ?(?P<unit>mm|cm|m|in|inch) (?:to|:|=|per|equals|"
    r"represents) (?P<far>[\d.]+) "
    r"?(?P<far_unit>cm|m|km|miles?)"
)
_TIMES = re.compile(
    r"(?P<digits>\d+(?:\.\d+)?) ?(?:x|×|times)(?: (?:as .*|magnification|larger|bigger))?|"
    r"(?P<word>[a-z]+)fold"
)
_DOZENS = re.compile(r"(?:(?P<half>half a)|(?P<times>two|three|four|five|a|one))? ?dozens?(?: and a half)?")
_PER_DAY = re.compile(
    r"(?P<times>once|twice|(?:\w+) times) (?:an?|per|every|each) (?P<unit>hour|day|week|month|year)"
    r"|(?P<adverb>hourly|daily|weekly|monthly|yearly|annually)"
    r"|every(?: (?P<number>\w+))? (?P<every>minute|hour|day|week|month|year)s?"
)
_LONG_ROMAN = re.compile(r"(?=[MDCLXVI]{3})M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10080, "month": 43200, "year": 525600}
_FOLD = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
         "hundred": 100,
         "thousand": 1000, "a hundred": 100}  # fmt: skip
_OF_WORD: dict[str, tuple[int | Fraction, str]] = {
    "double": (2, "multiple"), "triple": (3, "multiple"), "quadruple": (4, "multiple"), "a couple": (2, ""),
    "a trio": (3, ""), "a quartet": (4, ""), "a quintet": (5, ""), "a baker's dozen": (13, ""),
    "a single one": (1, ""), "only one": (1, ""), "just one": (1, "")} | {
    word: (value, "")
    for value, words in (
        (12, "ein dutzend|une douzaine|una docena|una dozzina|uma dúzia"),
        (2, "une paire|un par|un paio|um par"),
        (Fraction(1, 2), "die hälfte|la moitié|la mitad|la metà|a metade"),
        (Fraction(1, 3), "ein drittel|un tiers|un tercio|un terzo|um terço"),
        (Fraction(1, 4), "ein viertel|un quart|un cuarto|un quarto|um quarto"),
    )
    for word in words.split("|")
}  # fmt: skip
_UNIT_OF = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
_METERS = {"mm": "1/1000", "cm": "1/100", "m": "1", "km": "1000", "in": "127/5000", "inch": "127/5000",
"mile": "201168/125",
           "miles": "201168/125"}  # fmt: skip
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_LEAST_SCALE = 500
"""Smallest number in `1:…` at which the text is the scale of a map rather than a ratio."""


def date_or_rate(text: str) -> Quantity | None:
    """Return the value of a date, century, map scale, multiple, number of dozens or rate; None for other texts.

    Example:
        >>> date_or_rate("12 May 1904") == date_or_rate("1904-05-12")
        True
        >>> date_or_rate("12 May people")
    """
    if _LONG_ROMAN.fullmatch(text):
        values = [_ROMAN[sign] for sign in text]
        total = sum(-value if value < beside else value for value, beside in zip(values, [*values[1:], 0], strict=True))
        return Quantity(Fraction(total), "")
    small = " ".join(text.casefold().rstrip(".").split())
    if small in _OF_WORD:
        return Quantity(Fraction(_OF_WORD[small][0]), _OF_WORD[small][1])
    return next((found for way in _WAYS if (found := way(small)) is not None), None)


def _place(text: str) -> int | None:
    return int(re.sub(r"\D", "", text)) if text[0].isdigit() else ORDINALS.get(text)


def _date(small: str) -> Quantity | None:
    match = next((match for pattern in _DATES if (match := pattern.fullmatch(small))), None)
    if match is None:
        return None
    of = match.groupdict()
    month = int(of["number"]) if of.get("number") else 1 + [name[:3] for name in _MONTHS].index(of["month"][:3])
    year, day = of.get("year"), int(of["day"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Quantity(Fraction(372 * int(year or 0) + 31 * (month - 1) + day), "date" if year else "day of the year")


def _century(small: str) -> Quantity | None:
    if (match := _CENTURY.fullmatch(small)) is None:
        return None
    number = int(match["hundred"]) + 1 if match["hundred"] else _place(match["place"])
    return None if number is None else Quantity(Fraction(number), "century")


def _decade(small: str) -> Quantity | None:
    if (match := _DECADE.fullmatch(small)) is None:
        return None
    if match["decade"]:
        return Quantity(Fraction(match["decade"]), "decade")
    ten, century = match["tens"].removesuffix("ies") + "y", _place(match["place"])
    if century is None or ten not in NUMERALS:
        return None
    return Quantity(Fraction(10 * (century - 1) + NUMERALS[ten] // 10), "decade")


def _scale(small: str) -> Quantity | None:
    if (match := _SCALE.fullmatch(small)) is None:
        return None
    if match["to"]:
        number = int(match["to"].replace(",", ""))
        return Quantity(Fraction(number), "scale") if number >= _LEAST_SCALE else None
    near = Fraction(match["number"]) * Fraction(_METERS[match["unit"]])
    return Quantity(Fraction(match["far"]) * Fraction(_METERS[match["far_unit"]]) / near, "scale") if near else None


def _multiple(small: str) -> Quantity | None:
    if (match := _TIMES.fullmatch(small)) is None:
        return None
    number = Fraction(match["digits"]) if match["digits"] else _FOLD.get(match["word"])
    return None if number is None else Quantity(Fraction(number), "multiple")


def _dozens(small: str) -> Quantity | None:
    match = _DOZENS.fullmatch(small)
    if match is None or "and a half" in small:
        return None
    return Quantity(Fraction(6 if match["half"] else 12 * NUMERALS.get(match["times"] or "one", 1)), "")


def _rate(small: str) -> Quantity | None:
    if (match := _PER_DAY.fullmatch(small)) is None:
        return None
    if match["adverb"]:
        return Quantity(Fraction(1, _MINUTES[_UNIT_OF[match["adverb"]]]), "rate")
    if match["unit"]:
        number = _count(match["times"].split()[0])
        return Quantity(Fraction(number, _MINUTES[match["unit"]]), "rate") if number else None
    number = _count(match["number"] or "one")
    return Quantity(Fraction(1, number * _MINUTES[match["every"]]), "rate") if number else None


def _count(word: str) -> int | None:
    known = {"once": 1, "twice": 2, "other": 2, "second": 2}.get(word) or NUMERALS.get(word)
    return int(word) if word.isdigit() else known


_WAYS = (_date, _century, _decade, _scale, _multiple, _dozens, _rate)
