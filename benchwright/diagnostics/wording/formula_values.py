"""Whether two formulas that are written differently have the same value, as `2x + 3` and `3 + 2x` have.

Formulas of variables of one letter, numbers, `+ - * / ^`, roots and a few functions are read and calculated at fixed
points; two that agree at all of them are equal. Formulas of chemistry are equal where they are written alike but for
subscripts (`H2O`, `H₂O`, `H_2O`). What cannot be read so, such as `f(x)`, sets or angles of points, has no value.
"""

from __future__ import annotations

import cmath
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

from .formulas import formula_key

_LONGEST = 80
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<function>sin|cos|tan|cot|exp|sqrt|ln|√)|(?P<name>[A-Za-z]|π)|(?P<sign>[-+*/^()])"
)
_FUNCTIONS: Mapping[str, Callable[[complex], complex]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "cot": lambda value: 1 / cmath.tan(value), "exp": cmath.exp,
    "sqrt": cmath.sqrt, "√": cmath.sqrt, "ln": cmath.log,
}  # fmt: skip
_CONSTANTS = {"e": complex(math.e), "π": complex(math.pi)}
_NO_VALUE = re.compile(r"[A-Z]{2}|[fgh]\(|[^\W\d_]['′]|[A-Za-z]{4,}")
"""Segments and angles (`AB`), functions without a name that is known, derivatives, words."""
_FUNCTION_NAMES = re.compile(r"sin|cos|tan|cot|exp|sqrt|ln")
_CROSS_PRODUCT = re.compile(r"[A-Za-z]\s*(?:×|\\times)\s*[A-Za-z]")
_UNSIGNED = re.compile(r"(?:\d+(?:\.\d+)?|\d/\d)?[a-z]{1,3}")
_RELATION = re.compile(r"<=|>=|!=|[<>=]")
_POINTS = (0.618, 1.373, 2.291)
_CHEMICAL = re.compile(r"(?:(?:[A-Z][a-z]?|\((?:[A-Z][a-z]?\d*)+\))\d*){2,}")


@lru_cache(maxsize=1 << 12)
def formula_values(text: str) -> tuple[str, tuple[complex, ...]] | None:
    """Return the variables of a formula and its values at fixed points; None where it has none that can be calculated.

    An equation or inequality has those of the difference of its sides.
    """
    if len(text) > _LONGEST or _CROSS_PRODUCT.search(text):
        return None
    plain = formula_key(text) or _product(text)
    if plain is None or _NO_VALUE.search(_FUNCTION_NAMES.sub("", plain)):
        return None
    left, relation, right = _sides(plain)
    sides = [_tokens(side) for side in ((left, right) if relation else (left,))]
    if any(side is None for side in sides):
        return None
    names = sorted({token for side in sides for kind, token in side or () if kind == "name"} - _CONSTANTS.keys())
    if not names:
        return None
    values = []
    for point in _POINTS:
        variables = {name: complex(point + 0.1931 * ord(name) % 1.7) for name in names} | _CONSTANTS
        try:
            of_sides = [_Reading(side or [], variables).whole() for side in sides]
        except (ValueError, ArithmeticError, IndexError):
            return None
        values.append(of_sides[0] - of_sides[1] if relation else of_sides[0])
    return "".join(names) + relation, tuple(values)


def _product(text: str) -> str | None:
    """Return a number and letters without a sign between them, as in `0.5x`; None for other texts."""
    plain = unicodedata.normalize("NFKC", text).strip(" $").replace("⁄", "/")
    return plain if _UNSIGNED.fullmatch(plain) else None


def _sides(plain: str) -> tuple[str, str, str]:
    """Return the sides of an equation or an inequality, smaller one first, and its sign; else all of it alone."""
    match = _RELATION.search(plain)
    if match is None or _RELATION.search(plain, match.end()):
        return plain, "", ""
    left, sign, right = plain[: match.start()], match.group(), plain[match.end() :]
    return (right, sign.replace(">", "<"), left) if ">" in sign else (left, sign, right)


def have_equal_values(first: str, second: str) -> bool:
    """Return whether two formulas have the same value whatever their variables are, or name the same substance.

    Equations and inequalities are equal where the difference of their sides is (`y = 2x`, `2x = y`, `y - 2x = 0`).

    Example:
        >>> have_equal_values("3(x+2)", "3x+6"), have_equal_values("x-1", "1-x"), have_equal_values("H2O", "H₂O")
        (True, False, True)
    """
    if (substance := _substance(first)) is not None and substance == _substance(second):
        return True
    if formula_key(first) is None and formula_key(second) is None:
        return False  # `ab` and `ba` may be names
    one, other = formula_values(first), formula_values(second)
    if one is None or other is None or one[0] != other[0]:
        return False
    is_equation = one[0].endswith("=") and not one[0].endswith(("<=", "!="))
    return any(
        all(cmath.isclose(value, factor * beside, rel_tol=1e-9) for value, beside in zip(one[1], other[1], strict=True))
        for factor in ((1, -1) if is_equation else (1,))
    )


def _substance(text: str) -> str | None:
    plain = re.sub(r"[\s_{}$]|\\mathrm", "", unicodedata.normalize("NFKC", text)) if len(text) <= _LONGEST else ""
    return plain if any(sign.isdigit() for sign in plain) and _CHEMICAL.fullmatch(plain) else None


def _tokens(text: str) -> list[tuple[str, str]] | None:
    tokens, at = [], 0
    while at < len(text):
        if (match := _TOKEN.match(text, at)) is None:
            return None
        tokens.append((str(match.lastgroup), match.group()))
        at = match.end()
    return tokens or None


class _Reading:
    """A formula that is read from left to right and calculated; what cannot be read raises `ValueError`."""

    def __init__(self, tokens: list[tuple[str, str]], variables: Mapping[str, complex]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._variables = variables
        self._at = 0

    def whole(self) -> complex:
        """Return the value of all of it."""
        value = self._sum()
        if self._tokens[self._at][0] != "end" or not cmath.isfinite(value):
            raise ValueError(f"no formula up to its end: {self._tokens}")
        return value

    def _takes(self, *signs: str) -> str | None:
        kind, token = self._tokens[self._at]
        if kind == "sign" and token in signs:
            self._at += 1
            return token
        return None

    def _sum(self) -> complex:
        value = self._product()
        while sign := self._takes("+", "-"):
            term = self._product()
            value = value + term if sign == "+" else value - term
        return value

    def _product(self) -> complex:
        if sign := self._takes("-", "+"):
            return -self._product() if sign == "-" else self._product()
        value = self._power()
        while True:
            kind, token = self._tokens[self._at]
            if self._takes("*"):
                value *= self._signed()
            elif self._takes("/"):
                value /= self._signed()
            elif kind in {"number", "function", "name"} or (kind, token) == ("sign", "("):
                value *= self._power()
            else:
                return value

    def _signed(self) -> complex:
        return -self._power() if self._takes("-") else self._power()

    def _power(self) -> complex:
        base = self._atom()
        return base ** (-self._power() if self._takes("-") else self._power()) if self._takes("^") else base

    def _atom(self) -> complex:
        kind, token = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return complex(float(token))
        if kind == "name":
            return self._variables[token]
        if kind == "function":
            return _FUNCTIONS[token](self._power())
        if (kind, token) == ("sign", "("):
            value = self._sum()
            if not self._takes(")"):
                raise ValueError("a bracket is not closed")
            return value
        raise ValueError(f"no number, name or bracket: {token!r}")
