"""Whether two formulas of logic or of sets are equivalent, from their values for all values of their letters.

`¬(A ∧ B)` and `¬A ∨ ¬B`, `A \\ B` and `A ∩ B^c`, `not (a and b)` and `not a or not b`: letters are true or false (an
element is in a set or not), and two formulas that agree for all combinations are equal.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

_LONGEST = 60
_MOST_LETTERS = 5
_WRITTEN = (
    (re.compile(r"\\(?:neg|lnot)\b|[!~]|\bnot\b", re.IGNORECASE), "¬"),
    (re.compile(r"\\(?:wedge|land|cap)\b|&&?|∩|\band\b", re.IGNORECASE), "∧"),
    (re.compile(r"\\(?:vee|lor|cup)\b|\|\|?|∪|\bor\b", re.IGNORECASE), "∨"),
    (re.compile(r"\\(?:oplus)\b|△|\bxor\b", re.IGNORECASE), "⊕"),
    (re.compile(r"\\(?:to|rightarrow|Rightarrow|implies)\b|⇒|->|=>"), "→"),
    (re.compile(r"\\setminus\b|\\(?=\s|[A-Z(])|∖"), "−"),
    (re.compile(r"\\(?:overline|bar)\s*\{([^{}]*)\}"), r"¬(\1)"),
    (re.compile(r"\\(?:left|right)\b|\$|\\\(|\\\)|\\,"), ""),
    (re.compile(r"\^\{?[cC]\}?|['′]|ᶜ"), "ᶜ"),
)
_TOKEN = re.compile(r"\s*([¬∧∨⊕→−ᶜ()]|[A-Za-z])")
_OPERATOR = re.compile(r"[¬∧∨⊕−ᶜ]")
_LEVELS = (("→",), ("∨", "⊕"), ("∧", "−"))


@lru_cache(maxsize=1 << 12)
def truth_table(text: str) -> tuple[tuple[str, ...], tuple[bool, ...]] | None:
    """Return the letters of a formula of logic or sets, and its values for all of theirs; None for other texts.

    Example:
        >>> truth_table("¬(A ∧ B)") == truth_table("¬A ∨ ¬B"), truth_table("A ∪ B") == truth_table("A ∩ B")
        (True, False)
        >>> truth_table("a cat and a dog")
    """
    if len(text) > _LONGEST or re.search(r"[=<>+\d]", text):
        return None
    plain = text
    for pattern, instead in _WRITTEN:
        plain = pattern.sub(instead, plain)
    if not _OPERATOR.search(plain) or re.search(r"[A-Za-z]{2}|[A-Za-z]\s+[A-Za-z]", plain):
        return None
    signs, at = [], 0
    plain = plain.strip(" .")
    while at < len(plain):
        if (match := _TOKEN.match(plain, at)) is None:
            return None
        signs.append(match[1])
        at = match.end()
    letters = tuple(sorted({sign for sign in signs if sign.isalpha() and sign != "ᶜ"}))
    if not letters or len(letters) > _MOST_LETTERS:
        return None
    try:
        values = tuple(
            _LogicReading(signs, dict(zip(letters, of, strict=True))).whole()
            for of in product((False, True), repeat=len(letters))
        )
    except (ValueError, IndexError):
        return None
    return letters, values


class _LogicReading:
    """Parser that reads a formula from left to right; raises `ValueError` for unknown notation."""

    def __init__(self, signs: list[str], values: dict[str, bool]) -> None:
        self._signs = [*signs, ""]
        self._values = values
        self._at = 0

    def whole(self) -> bool:
        """Return the value of the whole formula."""
        value = self._level(0)
        if self._signs[self._at]:
            raise ValueError(f"this is not a complete formula: {self._signs}")
        return value

    def _level(self, level: int) -> bool:
        if level == len(_LEVELS):
            return self._atom()
        value = self._level(level + 1)
        while self._signs[self._at] in _LEVELS[level]:
            sign = self._signs[self._at]
            self._at += 1
            other = self._level(level + 1)
            value = {
                "→": not value or other, "∨": value or other, "⊕": value != other, "∧": value and other,
                "−": value and not other,
            }[sign]  # fmt: skip
        return value

    def _atom(self) -> bool:
        sign = self._signs[self._at]
        self._at += 1
        if sign == "¬":
            return not self._atom()
        if sign == "(":
            value = self._level(0)
            if self._signs[self._at] != ")":
                raise ValueError("a bracket is not closed")
            self._at += 1
        elif sign in self._values:
            value = self._values[sign]
        else:
            raise ValueError(f"expected a letter or bracket, found {sign!r}")
        while self._signs[self._at] == "ᶜ":
            self._at += 1
            value = not value
        return value
