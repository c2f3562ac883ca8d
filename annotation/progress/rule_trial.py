"""Effects of other rules on a campaign's decisions so far. Trying a rule changes nothing.

A rule for fewer annotators than decided uses the first of them, in the order of assignment. Under a rule for more, a
task is settled if it closes regardless of the missing decisions (`CLOSING`), and open otherwise. An adjudicator's
decisions count under rules that name an adjudicator. All outcomes come from `settlement`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..forms.kind_forms.pair import DIFFERENT
from ..forms.kind_forms.screening import KEEP
from ..forms.kinds import KEY_RIGHT, REVIEW, TO_WRITER, VERIFY
from ..store.counts.decision_sequences import DecisionSequence, TaskSequence, count_sequences, list_sequences
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.settlement.criteria import votes_counted
from ..workflow.settlement.rounds import votes_in_sequence
from ..workflow.settlement.rules import Rule
from ..workflow.settlement.settle import (
    ACCEPT,
    CLOSING,
    NO_AGREEMENT,
    OPEN,
    REVISE,
    WAITS,
    policy_of,
)
from .campaign_progress import counted_outcome

KEPT, _DROPPED, _TO_REVISE = "kept", "dropped", "to_revise"
FATES = (KEPT, _TO_REVISE, WAITS, NO_AGREEMENT, _DROPPED, OPEN)
"""Outcomes of a task, in the order of a table's columns."""
_MOST_SLOTS = 5
"""Maximum number of annotators in a tried rule, unless the campaign itself needs more."""
_KEPT_OUTCOMES = {ACCEPT, KEEP, KEY_RIGHT, DIFFERENT}
_WITH_ADJUDICATOR = (VERIFY, REVIEW)
_WITH_EDITS = (VERIFY,)


@dataclass(frozen=True)
class RuleTrial:
    """The effect of a rule on decisions made so far.

    Attributes:
        rule: The rule.
        is_in_force: Whether it is the campaign's own rule.
        fates: Number of tasks by fate: kept; to be revised; left to an adjudicator; without agreement; dropped; open,
            because missing decisions can still change the outcome.
        further_votes: Number of decisions that the rule still requires.
        decisions: Number of decisions that the rule requires in total.
        changed: Number of tasks that both rules settle, but differently.
    """

    rule: Rule
    is_in_force: bool
    fates: Mapping[str, int]
    further_votes: int
    decisions: int
    changed: int

    def to_json(self) -> dict[str, Any]:
        """Return the trial as JSON values."""
        return {
            "rule": str(self.rule),
            "in_force": self.is_in_force,
            **self.fates,
            "decisions": self.decisions,
            "further_votes": self.further_votes,
            "changed": self.changed,
        }


class ChangedTask(NamedTuple):
    """A task whose fate under a tried rule differs from that under the rule in force."""

    item_id: str
    before: str
    after: str


def can_try(campaign: Campaign) -> bool:
    """Return whether a campaign's tasks are settled by a rule, so that other rules can be tried."""
    policy = policy_of(campaign)
    return policy.rule is not None and bool(policy.decisions or policy.criteria)


def fates_of(campaign: Campaign) -> tuple[str, ...]:
    """Return the fates that a campaign's tasks can have under any rule, in the order of `FATES`."""
    without = set() if campaign.kind in _WITH_ADJUDICATOR else {WAITS}
    without |= set() if campaign.kind in _WITH_EDITS or campaign.form.to_writer else {_TO_REVISE}
    without |= {NO_AGREEMENT} if campaign.kind == REVIEW else set()  # an item without enough votes fails the review
    return tuple(fate for fate in FATES if fate not in without)


def rules_to_try(campaign: Campaign) -> list[Rule]:
    """Return the possible rules for a kind of campaign, for 1 to `_MOST_SLOTS` annotators, including the present rule.

    For each number of annotators, these are the rules that require more than half of them, up to all; each comes with
    and without an adjudicator if the kind of campaign may have one.
    """
    own = policy_of(campaign).rule
    if own is None:
        return []
    rules = {Rule(need, slots) for slots in range(1, _MOST_SLOTS + 1) for need in range(slots // 2 + 1, slots + 1)}
    if campaign.kind in _WITH_ADJUDICATOR and not campaign.is_simulated:
        rules |= {replace(rule, is_adjudicated=True) for rule in rules if rule.slots > 1}
    return sorted(rules | {own}, key=lambda rule: (rule.is_adjudicated, rule.slots, rule.need))


def try_rules(store: ReviewStore, campaign: Campaign, rules: Sequence[Rule] | None = None) -> list[RuleTrial]:
    """Return the effect of each rule on a campaign's decisions so far, as counted by the database.

    Args:
        store: The review store.
        campaign: Campaign whose tasks a rule settles.
        rules: Rules to try; default those of `rules_to_try`.
    """
    with store.reading() as connection:
        sequences = count_sequences(connection, campaign, votes_counted(campaign))
    trial = _Trial(campaign)
    return [trial.of_all(rule, sequences) for rule in (rules_to_try(campaign) if rules is None else rules)]


def changed_tasks(store: ReviewStore, campaign: Campaign, rule: Rule) -> list[ChangedTask]:
    """Return the tasks that a rule settles differently from the rule in force, by change and then by item."""
    with store.reading() as connection:
        listed = list_sequences(connection, campaign, votes_counted(campaign))
    return _Trial(campaign).changed(rule, listed)


class _Trial:
    """Settles the decisions of a campaign under rules other than its own."""

    def __init__(self, campaign: Campaign) -> None:
        self._own = policy_of(campaign)
        self._closes = CLOSING.get(campaign.kind, ())

    def of_all(self, rule: Rule, sequences: Mapping[DecisionSequence, int]) -> RuleTrial:
        fates, changed, further, decisions = Counter[str](), 0, 0, 0
        for sequence, times in sequences.items():
            outcome, own = self._outcome(rule, sequence), self._outcome(self._own.rule, sequence)
            fates[fate_of(outcome)] += times
            changed += times if _differs(own, outcome) else 0
            further += times * self._missing(rule, sequence, outcome)
            decisions += times * rule.slots
        return RuleTrial(
            rule, rule == self._own.rule, {fate: fates[fate] for fate in FATES}, further, decisions, changed
        )

    def changed(self, rule: Rule, listed: Iterable[TaskSequence]) -> list[ChangedTask]:
        outcomes: dict[DecisionSequence, tuple[str, str]] = {}
        changed = []
        for task in listed:
            if task.sequence not in outcomes:
                both = self._outcome(self._own.rule, task.sequence), self._outcome(rule, task.sequence)
                outcomes[task.sequence] = both
            before, after = outcomes[task.sequence]
            if _differs(before, after):
                changed.append(ChangedTask(task.item_id, fate_of(before), fate_of(after)))
        return sorted(changed, key=lambda task: (FATES.index(task.before), FATES.index(task.after), task.item_id))

    def _outcome(self, rule: Rule | None, sequence: DecisionSequence) -> str:
        if rule is None or rule == self._own.rule:
            if sequence.state == "open":
                return OPEN
            return counted_outcome(self._own, votes_in_sequence(self._own, sequence, is_closed=True), sequence.round)
        # A tried rule closes no task early, but an outcome that the missing decisions cannot change is certain.
        policy = self._own._replace(rule=rule, slots=rule.slots, closes_with=self._closes)
        return counted_outcome(policy, votes_in_sequence(policy, sequence, is_closed=False), sequence.round)

    def _missing(self, rule: Rule, sequence: DecisionSequence, outcome: str) -> int:
        """Return the number of decisions still required; 0 if a task is closed or closes under its settings."""
        if rule == self._own.rule and sequence.state == "done":
            return 0
        is_ruled = rule.is_adjudicated and sequence.adjudicated is not None
        if is_ruled or (outcome != OPEN and outcome in self._own.closes_with):
            return 0
        return max(0, rule.slots - len(sequence.decisions))


def fate_of(outcome: str) -> str:
    """Return the fate of a task with a given outcome."""
    if outcome in {OPEN, WAITS, NO_AGREEMENT}:
        return outcome
    if outcome in {REVISE, TO_WRITER}:
        return _TO_REVISE
    return KEPT if outcome in _KEPT_OUTCOMES else _DROPPED


def _differs(before: str, after: str) -> bool:
    return OPEN not in {before, after} and fate_of(before) != fate_of(after)
