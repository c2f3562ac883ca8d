"""Whether two formulas that are written differently have the same value: `2x + 3` and `3 + 2x`.

Formulas with one-letter variables, numbers, `+ - * / ^`, roots and a few functions are parsed and evaluated at fixed
points; two that agree at all of them are equal. Formulas of chemistry are equal if they differ only in the form of
subscripts (`H2O`, `H₂O`, `H_2O`). Other notation, such as `f(x)`, sets or angles of points, has no value.
"""

from __future__ import annotations

import cmath
import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache

from .formulas import formula_key
from .logic_values import truth_table

_LONGEST = 80
_MOST_FACTORIAL = 20
_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?)|(?P<function>sin|cos|tan|cot|sec|csc|exp|sqrt|abs|log|ln|√)|(?P<name>[A-Za-zα-ωΑ-Ω](?:_?\d)?)"
    r"|(?P<sign>[-+*/^()!])"
)
_FUNCTIONS: Mapping[str, Callable[[complex], complex]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "cot": lambda value: 1 / cmath.tan(value), "exp": cmath.exp,
    "sec": lambda value: 1 / cmath.cos(value), "csc": lambda value: 1 / cmath.sin(value),
    "abs": lambda value: complex(abs(value)), "sqrt": cmath.sqrt, "√": cmath.sqrt, "ln": cmath.log, "log": cmath.log10,
}  # fmt: skip
_CONSTANTS = {"e": complex(math.e), "π": complex(math.pi)}
_NO_VALUE = re.compile(r"[A-Z]{2}|[fgh]\(|[^\W\d_]['′]|[A-Za-z]{4,}")
"""Segments and angles (`AB`), unknown functions, derivatives, words."""
_FUNCTION_NAMES = re.compile(r"sin|cos|tan|cot|sec|csc|exp|sqrt|abs|log|ln")
_OF_FUNCTION = re.compile(r"^([fghyFGHY])\(([a-z])\)=")
"""The side of an equation that names a function, which all options may share: `f(x) = …`."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LONE_ARGUMENT = re.compile(r"(?<![A-Za-z])(sin|cos|tan|cot|log|ln)([A-Za-zα-ω])(?![A-Za-z(])")
_POWER_OF_FUNCTION = re.compile(r"(sin|cos|tan|cot|log|ln)\^(\d)(\([^()]*\)|[A-Za-zα-ω]|\d+)")
_PRODUCT_OF_NAMES = re.compile(r"-?\(?[a-z]{2,3}(?:[-+][a-z]{2,3})*\)?")
_COMPUTED = re.compile(r"[√^!π]|[A-Za-z]\(|\d[*]")
"""Signs that occur in a number written as a calculation; equal calculations are the same number in two forms."""
_INTERVAL = re.compile(r"(?:([a-z])∈)?([\[(])(-?[\d.]+),(-?[\d.]+)([\])])")
_BETWEEN = re.compile(r"(-?[\d.]+)(<=?)([a-z])(<=?)(-?[\d.]+)")
_WITHIN = re.compile(r"\|([a-z])\|(<=?)([\d.]+)")
_RATIO = re.compile(r"(\d+):(\d+)")
_CROSS_PRODUCT = re.compile(r"[A-Za-z]\s*(?:×|\\times)\s*[A-Za-z]")
_SIDES = re.compile(r"\d+(?:\.\d+)?(?:\s*[×x]\s*\d+(?:\.\d+)?){2,}")
"""The dimensions of a box, such as `4×6×16`: another box may have the same volume."""
_UNSIGNED = re.compile(r"(?:\d+(?:\.\d+)?|\d/\d)?[a-z]{1,3}")
_RELATION = re.compile(r"<=|>=|!=|[<>=]")
_POINTS = (0.618, 1.373, 2.291)
_BELOW_ZERO = -3.1
"""A negative value for all variables, at which `|x|` and `x` differ."""
_CHEMICAL = re.compile(r"(?:(?:[A-Z][a-z]?|\((?:[A-Z][a-z]?\d*)+\))\d*){2,}")


@lru_cache(maxsize=1 << 12)
def formula_values(text: str) -> tuple[str, tuple[complex, ...]] | None:
    """Return the variables of a formula and its values at fixed points; None if it cannot be evaluated.

    The values of an equation or inequality are those of the difference of its sides.
    """
    if len(text) > _LONGEST or _CROSS_PRODUCT.search(text) or _SIDES.fullmatch(text.strip()):
        return None
    text = _as_formula(text)
    plain = formula_key(text) or _product(text) or (text.strip() if _NUMBER.fullmatch(text.strip()) else None)
    if plain is not None:
        plain = _with_arguments(plain)
    if plain is None or _NO_VALUE.search(_FUNCTION_NAMES.sub("", plain)):
        return None
    left, relation, right = _sides(plain)
    sides = [_tokens(side) for side in ((left, right) if relation else (left,))]
    if any(side is None for side in sides):
        return None
    names = sorted({token for side in sides for kind, token in side or () if kind == "name"} - _CONSTANTS.keys())
    if not names and relation:
        return None
    values = []
    for point in _POINTS:
        variables = {name: complex(point + 0.1931 * sum(map(ord, name)) % 1.7) for name in names} | _CONSTANTS
        try:
            of_sides = [_Reading(side or [], variables).whole() for side in sides]
        except (ValueError, ArithmeticError, IndexError):
            return None
        values.append(of_sides[0] - of_sides[1] if relation else of_sides[0])
    return "".join(names) + relation, tuple(values)


_ASSIGNS = re.compile(r"^([A-Za-z]\w?)\s*([-+*/])=\s*(.+)$")
_POWER, _ABSOLUTE = re.compile(r"\*\*"), re.compile(r"\\?[lr]?(?:vert|\|)([^|]+?)\\?[lr]?(?:vert|\|)")


def _as_formula(text: str) -> str:
    """Return a formula with program notation such as `n**2` or `x += 1` removed, and with `|x|` as a function."""
    text = _POWER.sub("^", _ASSIGNS.sub(r"\1 = \1 \2 (\3)", text.strip()))
    return _ABSOLUTE.sub(r"abs(\1)", text)


def _product(text: str) -> str | None:
    """Return letters that form a product, such as `0.5x` and `ad - bc`; None for other texts."""
    plain = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).strip(" $").replace("⁄", "/").replace("−", "-"))
    if _UNSIGNED.fullmatch(plain) or (re.search(r"[-+]", plain) and _PRODUCT_OF_NAMES.fullmatch(plain)):
        return plain
    return plain if _LOGARITHMS.fullmatch(plain) else None


_LOGARITHMS = re.compile(r"(?:\d?[a-z]?(?:log|ln)(?:[a-z]|\([^()]*\))[-+]?)+")


def _with_arguments(plain: str) -> str:
    """Return a formula with the arguments of functions in brackets, without the name of a function before `=`."""
    plain = _OF_FUNCTION.sub("", plain)
    plain = _POWER_OF_FUNCTION.sub(lambda match: f"({match[1]}({match[3].strip('()')}))^{match[2]}", plain)
    return _LONE_ARGUMENT.sub(r"\1(\2)", plain)


def _sides(plain: str) -> tuple[str, str, str]:
    """Return the sides of an equation or inequality, the smaller first, and its sign; otherwise the whole text."""
    match = _RELATION.search(plain)
    if match is None or _RELATION.search(plain, match.end()):
        return plain, "", ""
    left, sign, right = plain[: match.start()], match.group(), plain[match.end() :]
    return (right, sign.replace(">", "<"), left) if ">" in sign else (left, sign, right)


def have_equal_values(first: str, second: str) -> bool:
    """Return whether two formulas have the same value for all values of their variables, or denote the same substance.

    Equations and inequalities are equal if the differences of their sides are (`y = 2x`, `2x = y`, `y - 2x = 0`).

    Example:
        >>> have_equal_values("3(x+2)", "3x+6"), have_equal_values("x-1", "1-x"), have_equal_values("H2O", "H₂O")
        (True, False, True)
    """
    for read in (truth_table, _of_bound_variable, _substance, _span):
        if (whole := read(first)) is not None and whole == read(second):
            return True
    first, second = _as_formula(first), _as_formula(second)
    return _solve_alike(first, second) or _agree_everywhere(first, second)


def _agree_everywhere(first: str, second: str) -> bool:
    """Return whether formulas have equal values at all points, or equations have equal differences of their sides."""
    if ("abs(" in first) != ("abs(" in second):
        return "=" not in first + second and _solve_alike(f"Q={first}", f"Q={second}")
    if formula_key(first) is None and formula_key(second) is None and not all(map(_is_sum, (first, second))):
        return False  # `ab` and `ba` may be names
    one, other = formula_values(first), formula_values(second)
    if one is None or other is None or (one[0] != other[0] and not _is_constant(one, other)):
        return False
    if not one[0] and not other[0] and not any(map(_is_computed, (first, second))):
        return False  # plain numbers are compared as quantities
    is_equation = one[0].endswith("=") and not one[0].endswith(("<=", "!="))
    return any(
        all(cmath.isclose(value, factor * beside, rel_tol=1e-9) for value, beside in zip(one[1], other[1], strict=True))
        for factor in ((1, -1) if is_equation else (1,))
    )


_ISOLATED = re.compile(r"([A-Za-zα-ω](?:_?\d)?)=(.+)")


def _solve_alike(first: str, second: str) -> bool:
    """Return whether two equations have the same solutions if one of them defines a variable: `f = 1/T`, `fT = 1`."""
    plain = [_with_arguments(key) if (key := formula_key(text)) is not None else "" for text in (first, second)]
    if not all(side.count("=") == 1 and not re.search(r"[<>!]|[fgh]\(", side) for side in plain):
        return False
    for solved, other in (plain, plain[::-1]):
        if (match := _ISOLATED.fullmatch(solved)) is None:
            continue
        names = [
            {token for kind, token in _tokens(side) or () if kind == "name"}
            for side in (match[2], other.replace("=", "-"))
        ]
        if match[1] in names[0] or names[1] - _CONSTANTS.keys() != (names[0] | {match[1]}) - _CONSTANTS.keys():
            continue
        try:
            points = (*_POINTS, _BELOW_ZERO) if "abs(" in "".join(plain) else _POINTS
            if all(_holds(match[1], match[2], other, point) for point in points):
                return True
        except (ValueError, ArithmeticError, IndexError):
            continue
    return False


def _holds(name: str, value: str, other: str, point: float) -> bool:
    """Return whether an equation is true with one formula's value for a variable, but false with another value."""
    letters = {
        token for side in (value, other) for kind, token in _tokens(side.replace("=", "-")) or () if kind == "name"
    }
    variables = {letter: complex(point + 0.1931 * sum(map(ord, letter)) % 1.7) for letter in letters} | _CONSTANTS
    solved = _Reading(_tokens(value) or [], variables).whole()
    left, right = other.split("=")
    differences = []
    for factor in (1, 1.37):
        given = variables | {name: solved * factor}
        sides = [_Reading(_tokens(side) or [], given).whole() for side in (left, right)]
        differences.append(cmath.isclose(sides[0], sides[1], rel_tol=1e-9))
    return differences == [True, False]


_INTEGRAL = re.compile(
    r"\\?(int|∫)(?P<limits>[^a-zA-Z]*?(?:[_^]\{?[^{}\s]+\}?){0,2})\s*(?P<of>.+?)(?:\\[,;! "
    r"])?\s*d(?P<name>[a-z])\s*"
)
_SUM = re.compile(r"\\(sum|prod)_\{?(?P<name>[a-z])=(?P<from>[^{}^]+)\}?\^\{?(?P<to>[^{}\s]+)\}?\s*(?P<of>.+)")


def _of_bound_variable(text: str) -> tuple[str, str, str] | None:
    """Return an integral or a sum with its variable renamed uniformly; None for other texts."""
    plain = text.strip(" $.").replace("∫", "\\int")
    if match := _INTEGRAL.fullmatch(plain):
        of = re.sub(rf"(?<![a-zA-Z\\]){match['name']}(?![a-zA-Z])", "u", match["of"])
        return "integral", re.sub(r"[{}\s]", "", match["limits"]), re.sub(r"\\[,;! ]|\s", "", of)
    if match := _SUM.fullmatch(plain):
        of = re.sub(rf"(?<![a-zA-Z\\]){match['name']}(?![a-zA-Z])", "u", match["of"])
        return match[1], f"{match['from']} {match['to']}", re.sub(r"\\[,;! ]|\s", "", of)
    return None


def _is_sum(text: str) -> bool:
    return re.search(r"[-−+]", text) is not None and _product(text) is not None


def _is_computed(text: str) -> bool:
    return _COMPUTED.search(_with_arguments(formula_key(text) or text)) is not None


def _is_constant(*values: tuple[str, tuple[complex, ...]]) -> bool:
    """Return whether formulas contain no relation and have the same value at all points: `sin²x + cos²x`."""
    return all(
        not _RELATION.search(names) and all(cmath.isclose(value, of[0], rel_tol=1e-9) for value in of)
        for names, of in values
    )


def _span(text: str) -> tuple[object, ...] | None:
    """Return the ends of an interval, or a ratio in lowest terms; None for other texts."""
    plain = re.sub(r"\s+", "", (formula_key(text) or text).replace("≤", "<="))
    if match := _INTERVAL.fullmatch(plain):
        return "span", match[1] or "x", float(match[3]), match[2] == "[", float(match[4]), match[5] == "]"
    if match := _WITHIN.fullmatch(re.sub(r"abs\(([a-z])\)", r"|\1|", plain)):
        closed = match[2] == "<="
        return "span", match[1], -float(match[3]), closed, float(match[3]), closed
    if match := _BETWEEN.fullmatch(plain):
        return "span", match[3], float(match[1]), match[2] == "<=", float(match[5]), match[4] == "<="
    if (match := _RATIO.fullmatch(plain)) and int(match[1]) and int(match[2]):
        shared = math.gcd(int(match[1]), int(match[2]))
        return "ratio", int(match[1]) // shared, int(match[2]) // shared
    return None


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
    """Parser that reads a formula from left to right and evaluates it; raises `ValueError` for unknown notation."""

    def __init__(self, tokens: list[tuple[str, str]], variables: Mapping[str, complex]) -> None:
        self._tokens = [*tokens, ("end", "")]
        self._variables = variables
        self._at = 0

    def whole(self) -> complex:
        """Return the value of the whole formula."""
        value = self._sum()
        if self._tokens[self._at][0] != "end" or not cmath.isfinite(value):
            raise ValueError(f"this is not a complete formula: {self._tokens}")
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
        if self._takes("!"):
            if base.imag or not 0 <= base.real < _MOST_FACTORIAL:
                raise ValueError(f"the factorial of {base} is not calculated")
            base = complex(math.gamma(base.real + 1))
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
        raise ValueError(f"expected a number, name or bracket, found {token!r}")
