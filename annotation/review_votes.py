"""A reviewer's votes, as the fields of the form have them."""

from __future__ import annotations

from .criteria import Votes
from .store.blind import ANSWER, ANSWER_RIGHT
from .store.records import Annotation

NOTE = "note"
"""Field of a review that is no vote."""


def votes_of(one: Annotation) -> Votes:
    """Return a reviewer's votes: whether their answer equals the key, then each criterion."""
    fields = one.fields or {}
    criteria = {name: value == "yes" for name, value in fields.items() if name not in {ANSWER, ANSWER_RIGHT, NOTE}}
    return {ANSWER: fields[ANSWER_RIGHT] == "yes", **criteria}
