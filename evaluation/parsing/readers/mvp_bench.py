"""How MVP-Bench reads answers (repository GuanzhenLi/MVP-Bench, `evaluate.py`; paper section 3 and table 5)."""

from __future__ import annotations


def first_clause(reply: str) -> str:
    """Return what stands before the first full stop and, of that, before the first comma, white space trimmed.

    Of a multiple-choice reply this must be the letter itself, in upper case: "A. dog" reads as A, "(A)" and
    "The answer is A" as no letter at all.

    Example:
        >>> first_clause("No, there is none. It is a cat.")
        'No'
    """
    return reply.partition(".")[0].partition(",")[0].strip()


def yes_or_no(reply: str) -> str | None:
    """Return `yes` or `no` where the first clause is that word in any case, else None.

    The repository gives what is None here to a judge, and keeps the judge's verdict in its files.
    """
    clause = first_clause(reply).lower()
    return clause if clause in {"yes", "no"} else None


def holds(reply: str, gold: str) -> bool:
    """Say whether the gold word occurs anywhere in the reply, inside other words too.

    Table 5 counts this way, so that a gold `no` is met by "not" and "know" as well.
    """
    return gold.lower() in reply.lower()
