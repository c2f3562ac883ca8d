"""Rounds: what the decisions on one version of an item come to, and which version comes next. Pure functions.

version 1 ──▶ decisions ──▶ accept            kept
                      ├──▶ reject            dropped
                      ├──▶ a revision        version 2 ──▶ decisions ──▶ ... at most so many rounds
                      └──▶ nothing agreed    an adjudicator decides where the rule names one, else dropped
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from benchwright.canonical import canonical_json

from .rules import Decision, Rule
from .store.records import Adjudication, Annotation

State = Literal["open", "waits", "accept", "reject", "revise", "undecided"]
"""Of a round: not all have decided; an adjudicator has to; kept; dropped; revised; nothing is agreed."""

Judge = Callable[[Rule, Sequence[Annotation]], Decision | None]
"""What the decisions of a round come to by themselves; None where nothing is agreed."""


class Proposal(NamedTuple):
    """Edits that somebody proposed."""

    edits: Mapping[str, Any]
    annotator: str


class Settled(NamedTuple):
    """What a round came to, and the edits that make the next version where it is revised."""

    state: State
    proposal: Proposal | None = None
    by_adjudicator: bool = False


@dataclass(frozen=True)
class Round:
    """One version of an item, with what was said of it.

    Attributes:
        content_hash: Of the version.
        said: Decisions that count, by slot; those before an adjudicator sent the item back do not.
        before: Decisions that counted until then.
        adjudication: What the adjudicator decided, where one did.
        edits: What made the next version of it; None of the last one.
    """

    content_hash: str
    said: tuple[Annotation, ...] = ()
    before: tuple[Annotation, ...] = ()
    adjudication: Adjudication | None = None
    edits: Mapping[str, Any] | None = None


def in_count(rule: Rule, said: Sequence[Annotation], *, sent_back: int) -> tuple[list[Annotation], list[Annotation]]:
    """Part decisions into those that count and those before: each time an item is sent back it gets slots anew."""
    first = sent_back * rule.slots
    return [one for one in said if one.slot > first], [one for one in said if one.slot <= first]


def settle(
    rule: Rule,
    judge: Judge,
    said: Sequence[Annotation],
    adjudication: Adjudication | None = None,
    *,
    foregone: Judge | None = None,
) -> Settled:
    """Return what a round came to.

    An adjudicator's decision goes before all others. A revision that somebody proposed becomes the next version where
    the annotators agree on neither accepting nor rejecting; where the rule names an adjudicator, only if there is
    one proposal.

    Args:
        rule: Of the campaign.
        judge: What decisions come to in this kind of campaign.
        said: Decisions that count, by slot.
        adjudication: The adjudicator's, if there is one that counts.
        foregone: What decisions come to that the missing ones cannot change, where a task closes with these.
    """
    if len(said) < rule.slots:
        return Settled((foregone and foregone(rule, said)) or "open")
    if adjudication is not None:
        return _adjudicated(adjudication)
    decision = judge(rule, said)
    if decision in {"accept", "reject"}:
        return Settled(decision)
    proposals = proposals_of(said)
    if rule.is_adjudicated and (decision is None or len(proposals) != 1):
        return Settled("waits")
    if proposals:
        return Settled("revise", proposals[0])
    return Settled("revise" if decision == "revise" else "undecided")


def proposals_of(said: Sequence[Annotation]) -> list[Proposal]:
    """Return the different edits that were proposed, those of most annotators first, among equals the earliest."""
    spelled = [canonical_json(dict(one.edits)) for one in said if one.edits]
    votes = Counter(spelled)
    first: dict[str, Annotation] = {}
    for one in sorted((one for one in said if one.edits), key=lambda one: (one.submitted_at, one.slot)):
        first.setdefault(canonical_json(dict(one.edits or {})), one)
    ranked = sorted(first, key=lambda text: -votes[text])  # a stable sort: among equals the earliest stays first
    return [Proposal(first[text].edits or {}, first[text].annotator) for text in ranked]


def verified(rule: Rule, said: Sequence[Annotation]) -> Decision | None:
    """Return what decisions of a campaign `verify` come to: each is accept, reject or revise."""
    known: dict[str, Decision] = {"accept": "accept", "reject": "reject", "revise": "revise"}
    return rule.decide(known[one.decision] for one in said)


def verified_already(rule: Rule, said: Sequence[Annotation]) -> Decision | None:
    """Return accept or reject where decisions of a campaign `verify` come to it whatever else is said.

    A revision never is: who decides last may propose the edits that are taken.
    """
    known: dict[str, Decision] = {"accept": "accept", "reject": "reject", "revise": "revise"}
    decision = rule.certain(known[one.decision] for one in said)
    return None if decision == "revise" else decision


def _adjudicated(one: Adjudication) -> Settled:
    if one.decision == "revise":
        return Settled("revise", Proposal(one.edits or {}, one.annotator) if one.edits else None, by_adjudicator=True)
    return Settled("accept" if one.decision == "accept" else "reject", by_adjudicator=True)
