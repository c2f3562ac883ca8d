"""II-Bench's rule for reading answers (repository II-Bench/II-Bench, `eval.py`; paper appendix E.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_IN_PARENTHESES = re.compile(r"\(([A-F])\)")
_ALONE = re.compile(r"\b([A-F])\b")


def option_label(response: str, options: Sequence[str] = ()) -> str | None:
    """Return the letter A-F that a response names most often, or None, which the paper counts as a miss.

    Letters in parentheses count. If there are none, isolated capital letters count, so that the article "A" is a vote
    for A. If there are none either, an option counts if its text occurs in the response or contains the response. Among
    equally frequent letters, the one whose first occurrence is last wins.

    Args:
        response: Raw reply.
        options: Texts of options A, B, and so on.
    """
    if not response:  # the repository counts an empty response without reading it
        return None
    votes: Iterable[str] = _IN_PARENTHESES.findall(response) or _ALONE.findall(response)
    if not votes:
        votes = [chr(65 + k) for k, text in enumerate(options) if text.strip() in response or response in text]
    counts = Counter(votes)
    best = max(counts.values(), default=0)
    return next((letter for letter in reversed(counts) if counts[letter] == best), None)
