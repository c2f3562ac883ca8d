"""The vote of several draws of one reply."""

from __future__ import annotations

from collections.abc import Sequence

DRAW = "d"
"""Prefix of the variant of each draw, before its number."""


def voted(letters: Sequence[str | None]) -> str | None:
    """Return the letter named most often; None for a tie or without any letter.

    Example:
        >>> voted(["A", "B", "A", None]), voted(["A", "B", None])
        ('A', None)
    """
    named = [letter for letter in letters if letter is not None]
    most = max(map(named.count, named), default=0)
    first = {letter for letter in named if named.count(letter) == most}
    return first.pop() if len(first) == 1 else None
