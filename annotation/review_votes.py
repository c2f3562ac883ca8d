"""What reviewers' votes come to."""

from __future__ import annotations

from collections.abc import Sequence

from .criteria import Votes, passes
from .rules import Decision, Rule
from .store.blind import ANSWER, ANSWER_RIGHT
from .store.records import Annotation

NOTE = "note"
"""Field of a review that is no vote."""


def votes_of(one: Annotation) -> Votes:
    """Return a reviewer's votes: whether their answer equals the key, then each criterion."""
    fields = one.fields or {}
    criteria = {name: value == "yes" for name, value in fields.items() if name not in {ANSWER, ANSWER_RIGHT, NOTE}}
    return {ANSWER: fields[ANSWER_RIGHT] == "yes", **criteria}


def reviewed(rule: Rule, said: Sequence[Annotation]) -> Decision | None:
    """Return what the votes of a round come to: accept where the item passes, else None, since votes reject nothing."""
    return "accept" if passes(rule, [votes_of(one) for one in said]) else None


def reviewed_already(rule: Rule, said: Sequence[Annotation]) -> Decision | None:
    """Return accept where the item passes though everybody else were against every criterion.

    That it fails is never settled early: who votes last may propose the edits that are taken.
    """
    votes = [votes_of(one) for one in said]
    against = [dict.fromkeys(votes[0], False)] * (rule.slots - len(votes)) if votes else []
    return "accept" if votes and passes(rule, [*votes, *against]) else None
