"""Votes by criterion: an item passes where every criterion has as many votes as the rule needs.

II-Bench (section 3.2) asks five reviewers whether a question is accurate, reasonable and difficult, and whether they
come to the key by themselves; at least four of five must say yes to each. They need not be the same four.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .rules import Rule

Votes = Mapping[str, bool]
"""One annotator's votes: by criterion, whether it is met."""


def tally(votes: Sequence[Votes]) -> dict[str, int]:
    """Return how many votes each criterion has, by its name; criteria in the order of the first vote."""
    criteria = list(votes[0]) if votes else []
    if any(set(vote) != set(criteria) for vote in votes):
        raise ValueError(f"every annotator votes on the same criteria, here {criteria}")
    return {criterion: sum(vote[criterion] for vote in votes) for criterion in criteria}


def missed(rule: Rule, votes: Sequence[Votes]) -> tuple[str, ...]:
    """Return the criteria that fewer annotators voted for than the rule needs."""
    return tuple(criterion for criterion, count in tally(votes).items() if count < rule.need)


def passes(rule: Rule, votes: Sequence[Votes]) -> bool | None:
    """Return whether every criterion has enough votes; None while an annotator's votes are not in.

    Raises:
        ValueError: There are more votes than slots, or annotators voted on different criteria.
    """
    if len(votes) > rule.slots:
        raise ValueError(f"{rule} takes the votes of {rule.slots} annotators, not of {len(votes)}")
    if len(votes) < rule.slots:
        return None
    return not missed(rule, votes)
