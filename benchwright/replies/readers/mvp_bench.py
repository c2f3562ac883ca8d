"""MVP-Bench's reading of answers (repository GuanzhenLi/MVP-Bench, `evaluate.py`; paper section 3 and table 5)."""

from __future__ import annotations


def first_clause(reply: str) -> str:
    """Return the text before the first full stop and, within it, before the first comma, with white space trimmed.

    For a multiple-choice reply, this must be the letter itself, in upper case: "A. dog" reads as A, "(A)" and
    "The answer is A" as no letter at all.

    Example:
        >>> first_clause("No, there is none. It is a cat.")
        'No'
    """
    return reply.partition(".")[0].partition(",")[0].strip()


def yes_or_no(reply: str) -> str | None:
    """Return `yes` or `no` if the first clause is that word in any case, otherwise None.

    For replies that yield None here, the repository asks a judge and stores the judge's verdict in its files.
    """
    clause = first_clause(reply).lower()
    return clause if clause in {"yes", "no"} else None


def holds(reply: str, gold: str) -> bool:
    """Return whether the gold answer occurs anywhere in the reply, including inside other words.

    Table 5 counts in this way, so that "not" and "know" also match a gold `no`.
    """
    return gold.lower() in reply.lower()
