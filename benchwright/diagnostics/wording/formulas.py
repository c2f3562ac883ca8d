"""Formulas in options: which texts are formulas, and when two of them have the same notation.

In text, brackets, dashes and dots matter little; in a formula, each of them matters. `f(x+1)` is not `f(x)+1`, `[1, 2)`
is not `(1, 2]`, `-x` is not `x`, and `x` is not `X`. Spaces, dollar signs and LaTeX commands that only affect
typesetting make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_COMMANDS = {
    "cdot": "*", "times": "*", "div": "/", "leq": "<=", "le": "<=", "geq": ">=", "ge": ">=", "neq": "!=", "ne": "!=",
    "pi": "π", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "lambda": "λ", "mu": "μ",
    "sigma": "σ", "omega": "ω", "phi": "φ", "Delta": "Δ", "pm": "±", "circ": "°", "degree": "°", "infty": "∞",
    "angle": "∠", "triangle": "△", "to": "→", "rightarrow": "→",
}  # fmt: skip
_SIGNS = {"≤": "<=", "≥": ">=", "≠": "!=", "×": "*", "·": "*", "⋅": "*", "÷": "/", "⁄": "/", "−": "-", "–": "-"}
_FUNCTIONS = frozenset(["sin", "cos", "tan", "cot", "log", "ln", "lim", "exp", "max", "min", "mod", "sqrt", "lg"])
_ONLY_TYPE = re.compile(
    r"\\(?:(?:left|right|displaystyle|quad|qquad|limits|bigl?|bigr?)(?![A-Za-z])|[,;:! ])|[$~]|\\\(|\\\)|\\\[|\\\]"
)
_WRAPPED = re.compile(r"\\(?:mathrm|mathbf|mathit|text|textbf|textit|operatorname|rm)\s*\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_BRACED = re.compile(r"([\^_])\{([^{}]*)\}")
_AROUND_AN_ATOM = re.compile(r"(?<![\w)'′])\((\d+(?:\.\d+)?|[^\W\d_])\)(?=[/*]|$)|(?<=/)\((\d+(?:\.\d+)?|[^\W\d_])\)")
_SPELLED_PI = re.compile(r"(?<![A-Za-z\\])pi(?![A-Za-z])")
_OPERATOR = re.compile(r"[+*/=<>^_√∑∫≤≥±×÷·∞|∠△→⇒¬∧∨∩∪∈⊂π]|\d!|[^\W\d_]['′](?![^\W\d_])")
_BRACKET_OR_DASH = re.compile(r"[()\[\]{}−–-]|(?<!\d)\.\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPELLED = re.compile(r"[^\W\d_]{4,}")


@lru_cache(maxsize=1 << 15)
def formula_key(text: str) -> str | None:
    """Return a key that is equal for formulas with the same notation; None if a text is not a formula.

    Example:
        >>> formula_key("$x^{2} + 1$") == formula_key("x² + 1"), formula_key("(x+1)^2") == formula_key("x+1^2")
        (True, False)
        >>> formula_key("a well-known house")
    """
    if len(text) > 300:
        return None
    has_command = "\\" in text and _COMMAND.search(text) is not None
    lifted = "".join(
        f"^{sign}" if (kind := unicodedata.decomposition(sign)).startswith("<super>")
        else f"_{sign}" if kind.startswith("<sub>") else sign
        for sign in text
    )  # fmt: skip
    written = unicodedata.normalize("NFKC", lifted).strip().rstrip(".。")
    if not has_command and not _is_formula(written):
        return None
    return _written_plainly(written)


def _is_formula(text: str) -> bool:
    if _SPELLED.search(_without_functions(text)):
        return False
    words = [word for word in _WORD.findall(text) if word.casefold() not in _FUNCTIONS]
    has_digit = any(character.isdigit() for character in text)
    if _OPERATOR.search(text):
        return has_digit or "=" in text or not words
    return not words and _BRACKET_OR_DASH.search(text) is not None


def _without_functions(text: str) -> str:
    return _WORD.sub(lambda match: "" if match.group().casefold() in _FUNCTIONS else match.group(), text)


def _written_plainly(text: str) -> str:
    text = _ONLY_TYPE.sub(" ", text)
    for pattern, plain in ((_WRAPPED, r"\1"), (_FRACTION, r"(\1)/(\2)"), (_ROOT, r"√(\1)")):
        for _ in range(4):  # nested ones, from the inside
            text, changed = pattern.subn(plain, text)
            if not changed:
                break
    text = _SPELLED_PI.sub("π", text)
    text = _COMMAND.sub(lambda match: _COMMANDS.get(match[1], match[1]), text)
    text = "".join(_SIGNS.get(sign, sign) for sign in text)
    text = _BRACED.sub(lambda match: match[1] + (match[2] if len(match[2]) == 1 else f"({match[2]})"), text)
    text = re.sub(r"\s+", "", text)
    return _AROUND_AN_ATOM.sub(lambda match: match[1] or match[2], text)
