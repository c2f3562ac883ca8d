"""Options that are ranges of numbers (`more than 5`, `5-10 m`), and whether one of them includes another option."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from .number_words import Quantity
from .quantities import quantity

_ABOVE = re.compile(r"(?P<strict>more|greater|larger|higher|longer|older|over|above)(?: than)? (?P<bound>.+)|"
                    r"(?:at least|not less than|no less than|no fewer than|minimum of) (?P<least>.+)|"
                    r"(?P<plus>.+?) ?(?:\+|or (?:more|older|above|over|higher))", re.IGNORECASE)  # fmt: skip
_BELOW = re.compile(r"(?P<strict>less|fewer|smaller|lower|shorter|younger|under|below)(?: than)? (?P<bound>.+)|"
                    r"(?:at most|up to|not more than|no more than|maximum of) (?P<most>.+)|"
                    r"(?P<minus>.+?) or (?:less|fewer|younger|below|under|lower)", re.IGNORECASE)  # fmt: skip
_BETWEEN = re.compile(
    r"(?:between (?P<low>.+) and (?P<high>.+)|(?:from )?(?P<start>\d[\d.,]*) ?(?:-|–|to) ?(?P<end>\d.*)"
    r"|(?P<one>[a-z]+|\d+) or (?P<next>[a-z]+|\d+))",
    re.IGNORECASE,
)


class NumberRange(NamedTuple):
    """The numbers, with a unit, that an option names.

    Args:
        low: Lower end; None if there is none.
        high: Upper end; None if there is none.
        of: Dimension of the unit, as in `Quantity`.
        low_is_in: Whether the lower end is included.
        high_is_in: Whether the upper end is included.
    """

    low: Fraction | None
    high: Fraction | None
    of: str
    low_is_in: bool = True
    high_is_in: bool = True

    def holds(self, other: NumberRange) -> bool:
        """Return whether this range includes all numbers of another range."""
        if self.of != other.of:
            return False
        above = self.low is None or (
            other.low is not None
            and (other.low > self.low or (other.low == self.low and (self.low_is_in or not other.low_is_in)))
        )
        below = self.high is None or (
            other.high is not None
            and (other.high < self.high or (other.high == self.high and (self.high_is_in or not other.high_is_in)))
        )
        return above and below


def number_range(text: str) -> NumberRange | None:
    """Return the number or range of numbers that a text denotes; None if it denotes none.

    Example:
        >>> number_range("more than 5").holds(number_range("7")), number_range("5-10 m").holds(number_range("700 cm"))
        (True, True)
    """
    plain = " ".join(text.split()).rstrip(".")
    if (value := quantity(plain)) is not None:
        return NumberRange(value.value, value.value, value.of)
    if (match := _ABOVE.fullmatch(plain)) and (bound := _value(match["bound"] or match["least"] or match["plus"])):
        return NumberRange(bound.value, None, bound.of, low_is_in=match["strict"] is None)
    if (match := _BELOW.fullmatch(plain)) and (bound := _value(match["bound"] or match["most"] or match["minus"])):
        return NumberRange(None, bound.value, bound.of, high_is_in=match["strict"] is None)
    if match := _BETWEEN.fullmatch(plain):
        first, last = match["low"] or match["start"] or match["one"], match["high"] or match["end"] or match["next"]
        low, high = _value(first), _value(last)
        if match["one"] and not (low and high and high.value == low.value + 1):
            return None
        if low is not None and high is not None and high.of and not low.of:
            unit = last.lstrip("0123456789., ")
            low = _value(f"{first} {unit}") or low
        if low is not None and high is not None and low.of == high.of and low.value < high.value:
            return NumberRange(low.value, high.value, high.of)
    return None


def _value(text: str | None) -> Quantity | None:
    return None if text is None else quantity(text.strip())
