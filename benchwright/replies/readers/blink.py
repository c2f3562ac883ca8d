"""BLINK's rule for reading a choice without its judge (repository zeyofu/BLINK_Benchmark, `eval/`)."""

from __future__ import annotations

import re
from collections.abc import Sequence

LETTERS = "ABCDE"


def settled_choice(output: str, letters: Sequence[str] = LETTERS) -> str | None:
    """Return the choice that an output names, such as `(A)`, or None if the repository asks its judge.

    1. An output that is one letter A-E, bare or in parentheses, names that choice, whether the question offers it or
    not.
    2. Otherwise, only tokens between white space that are exactly a choice are accepted: "(A)" is, "(A)." and "A" are
       not. If the text after the last blank line contains exactly one choice, that choice is returned; otherwise, if
       the whole output contains exactly one, that one is.

    Args:
        output: Raw output of the model.
        letters: Letters that the question offers.
    """
    if alone := re.fullmatch(r"[A-E]|\([A-E]\)", output):
        return f"({alone[0].strip('()')})"
    choices = [f"({letter})" for letter in letters]
    last = re.compile(r"\n\s*\n").split(output)[-1]
    for part in (last, output):
        named = [choice for choice in choices if choice in set(part.split())]
        if len(named) == 1:
            return named[0]
    return None
