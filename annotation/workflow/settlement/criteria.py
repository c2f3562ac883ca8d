"""Votes by criterion: an item passes if every criterion has as many yes votes as the rule requires.

II-Bench (section 3.2) asks five reviewers whether a question is accurate, reasonable and difficult, and whether they
find the key by themselves; at least four of five must say yes to each. They need not be the same four.

The form's fields hold a reviewer's votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...forms.fields.field_types import OneOf
from ...forms.kinds import CHANGE, REVIEW, TO_WRITER
from ...store.database.records import Annotation, Campaign
from ...store.submissions.pre_key_answers import ANSWER, ANSWER_RIGHT
from .rules import Rule

YES = "yes"
"""The vote for a criterion that is met."""
Votes = Mapping[str, bool]
"""One annotator's votes: by criterion, whether it is met."""


def criteria_of(campaign: Campaign) -> tuple[str, ...]:
    """Return the criteria of a review, a right answer first; none in campaigns of other kinds."""
    form = campaign.form.typed if campaign.kind == REVIEW else None
    if form is None:
        return ()
    return (
        ANSWER_RIGHT,
        *(field.name for field in form.fields if isinstance(field, OneOf) and field.name != TO_WRITER),
    )


def votes_counted(campaign: Campaign) -> tuple[str, ...]:
    """Return the fields of a review whose yes votes settle an item: the criteria, and the return to the writer."""
    criteria = criteria_of(campaign)
    return (*criteria, TO_WRITER) if criteria and campaign.form.to_writer else criteria


def tally(votes: Sequence[Votes]) -> dict[str, int]:
    """Return the number of yes votes for each criterion, by name, in the order of the first annotator's votes."""
    criteria = list(votes[0]) if votes else []
    if any(set(vote) != set(criteria) for vote in votes):
        raise ValueError(f"every annotator votes on the same criteria, here {criteria}")
    return {criterion: sum(vote[criterion] for vote in votes) for criterion in criteria}


def unmet_criteria(rule: Rule, yes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the criteria with fewer yes votes than the rule requires, given the number of yes votes for each."""
    return tuple(criterion for criterion, count in yes.items() if count < rule.need)


NOTE = "note"
NO_CRITERIA = frozenset({ANSWER, ANSWER_RIGHT, NOTE, TO_WRITER, CHANGE})
"""The fields of a review that do not contain a vote on a criterion."""


def votes_of(annotation: Annotation) -> Votes:
    """Return a reviewer's votes: first whether the answer equals the key, then each criterion."""
    fields = annotation.fields or {}
    criteria = {name: value == "yes" for name, value in fields.items() if name not in NO_CRITERIA}
    return {ANSWER: fields[ANSWER_RIGHT] == "yes", **criteria}
