"""The majority vote of several samples of one reply."""

from __future__ import annotations

from collections.abc import Sequence

DRAW = "d"
"""Prefix, before its number, of the variant name of each sample."""


def voted(letters: Sequence[str | None]) -> str | None:
    """Return the letter that is given most often, or None if several letters tie or no letter is given.

    Example:
        >>> voted(["A", "B", "A", None]), voted(["A", "B", None])
        ('A', None)
    """
    named = [letter for letter in letters if letter is not None]
    most = max(map(named.count, named), default=0)
    first = {letter for letter in named if named.count(letter) == most}
    return first.pop() if len(first) == 1 else None
