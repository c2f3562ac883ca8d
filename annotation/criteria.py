"""Votes by criterion: an item passes where every criterion has as many votes as the rule needs.

II-Bench (section 3.2) asks five reviewers whether a question is accurate, reasonable and difficult, and whether they
come to the key by themselves; at least four of five must say yes to each. They need not be the same four.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .form import OneOf, form_of
from .kinds import REVIEW
from .rules import Rule
from .store import Campaign
from .store.blind import ANSWER_RIGHT

YES = "yes"
"""What an annotator says to a criterion that is met."""
Votes = Mapping[str, bool]
"""One annotator's votes: by criterion, whether it is met."""


def criteria_of(campaign: Campaign) -> tuple[str, ...]:
    """Return what reviewers vote on, beginning with the answer being right; nothing where they do not."""
    form = form_of(campaign.form) if campaign.kind == REVIEW else None
    if form is None:
        return ()
    return (ANSWER_RIGHT, *(field.name for field in form.fields if isinstance(field, OneOf)))


def tally(votes: Sequence[Votes]) -> dict[str, int]:
    """Return how many votes each criterion has, by its name; criteria in the order of the first vote."""
    criteria = list(votes[0]) if votes else []
    if any(set(vote) != set(criteria) for vote in votes):
        raise ValueError(f"every annotator votes on the same criteria, here {criteria}")
    return {criterion: sum(vote[criterion] for vote in votes) for criterion in criteria}


def short_of(rule: Rule, yes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the criteria with fewer votes than the rule needs, given how many voted yes to each."""
    return tuple(criterion for criterion, count in yes.items() if count < rule.need)
