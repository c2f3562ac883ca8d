"""Rounds: the decisions that count on an item's version, and the edits that lead to the next version. Pure functions.

version 1 ──▶ decisions ──▶ accept            kept
                      ├──▶ reject            dropped
                      ├──▶ a revision        version 2 ──▶ decisions ──▶ ... at most so many rounds
                      └──▶ nothing agreed    an adjudicator decides if the rule names one, else dropped

The outcome of decisions is computed in `settlement`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from benchwright.canonical import canonical_json

from ...store.counts.decision_sequences import DecisionSequence
from ...store.database.records import Adjudicated, Adjudication, Annotation
from .criteria import YES
from .settle import SettlementPolicy, TaskVotes

NOBODY = Adjudicated(0, None)
"""The record of a task that has no adjudicator's decision and was sent back neither to annotators nor to its writer."""


class ProposedEdit(NamedTuple):
    """Edits proposed by an annotator."""

    edits: Mapping[str, Any]
    annotator: str


@dataclass(frozen=True, slots=True)
class Round:
    """A version of an item, with the decisions on that version.

    Attributes:
        content_hash: Content hash of the version.
        annotations: Decisions that count, by slot; those before an adjudicator sent the item back do not.
        before: Decisions that counted before the item was sent back.
        adjudication: The adjudicator's decision, or None if there is none.
        edits: Edits that led to the next version; None for the last version.
    """

    content_hash: str
    annotations: tuple[Annotation, ...] = ()
    before: tuple[Annotation, ...] = ()
    adjudication: Adjudication | None = None
    edits: Mapping[str, Any] | None = None


def in_count(
    policy: SettlementPolicy, annotations: Sequence[Annotation], *, sent_back: int
) -> tuple[list[Annotation], list[Annotation]]:
    """Separate decisions that count from those made before the item was last sent back and received new slots."""
    first = sent_back * policy.slots
    counted = [annotation for annotation in annotations if annotation.slot > first]
    return counted, [annotation for annotation in annotations if annotation.slot <= first]


def votes_in(
    policy: SettlementPolicy,
    annotations: Sequence[Annotation],
    adjudicated: Adjudicated = NOBODY,
    *,
    is_closed: bool = False,
) -> TaskVotes:
    """Return the votes that count on a task, from all its decisions and adjudications.

    Args:
        policy: The campaign's policy.
        annotations: All decisions on the task.
        adjudicated: Actions of adjudicators and the writer on it; default none.
        is_closed: Whether the task is closed, whether or not decisions are missing; default False.
    """
    counted, _ = in_count(policy, annotations, sent_back=adjudicated.sent_back)
    fields = [annotation.fields or {} for annotation in counted]
    return TaskVotes(
        given=len(counted),
        decisions=Counter(annotation.decision for annotation in counted),
        votes={name: sum(values.get(name) == YES for values in fields) for name in policy.votes_counted},
        proposals=len({canonical_json(dict(annotation.edits)) for annotation in counted if annotation.edits}),
        adjudicated=None if adjudicated.decision is None else adjudicated.decision.decision,
        is_closed=is_closed,
        is_disputed=any(annotation.regions_agree is False for annotation in counted),
        returned=adjudicated.returned,
    )


def votes_in_sequence(policy: SettlementPolicy, sequence: DecisionSequence, *, is_closed: bool) -> TaskVotes:
    """Return the votes that a policy counts on a task: those of the first annotators, as listed by the database.

    An adjudicator's decision counts under a rule that names an adjudicator.
    """
    decisions, names, rule = sequence.decisions[: policy.slots], policy.votes_counted, policy.rule
    return TaskVotes(
        given=len(decisions),
        decisions={} if names else Counter(decisions),
        votes={name: sum(decision[place] == "1" for decision in decisions) for place, name in enumerate(names)},
        proposals=len(set(sequence.edits[: policy.slots]) - {0}),
        adjudicated=sequence.adjudicated if rule is not None and rule.is_adjudicated else None,
        is_closed=is_closed,
        is_disputed=sequence.is_disputed,
        returned=sequence.returned,
    )


def next_edits(
    policy: SettlementPolicy, annotations: Sequence[Annotation], adjudicated: Adjudicated = NOBODY
) -> ProposedEdit | None:
    """Return the edits that lead to the next version: the adjudicator's, or else the most frequently proposed ones."""
    decision = adjudicated.decision
    if decision is not None:
        return ProposedEdit(decision.edits, decision.annotator) if decision.edits else None
    counted, _ = in_count(policy, annotations, sent_back=adjudicated.sent_back)
    return next(iter(proposals_of(counted)), None)


def proposals_of(annotations: Sequence[Annotation]) -> list[ProposedEdit]:
    """Return the different proposed edits, most frequent first; equally frequent ones are sorted by time."""
    spelled = [canonical_json(dict(annotation.edits)) for annotation in annotations if annotation.edits]
    votes = Counter(spelled)
    first: dict[str, Annotation] = {}
    for annotation in sorted(
        (annotation for annotation in annotations if annotation.edits),
        key=lambda annotation: (annotation.submitted_at, annotation.slot),
    ):
        first.setdefault(canonical_json(dict(annotation.edits or {})), annotation)
    ranked = sorted(first, key=lambda text: -votes[text])  # a stable sort: among equals the earliest stays first
    return [ProposedEdit(first[text].edits or {}, first[text].annotator) for text in ranked]
