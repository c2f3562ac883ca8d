"""Settlement: the outcome of a task from its decisions. Pure functions; outcomes are computed in no other module.

decisions, or votes on criteria ──▶ enough of one kind        that decision; of marked regions, if these agree too
                                ├─▶ an annotator returns it   to its writer, as long as it may go there
                                ├─▶ an adjudicator decides    whatever the annotators decided
                                ├─▶ edits are proposed        the next round, as long as there is one
                                ├─▶ the rule names one        waits for the adjudicator
                                └─▶ no agreement              no agreement, or a failed review

A run, the pages of curators, `review status`, the queue of adjudicators and the closing of decided tasks all call
`settle`. Code that reads single decisions converts them to `TaskVotes` (`rounds.votes_in`). Code that counts hundreds
of thousands of tasks builds `TaskVotes` from the database's counts (`campaign_progress`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.records import LETTERS
from benchwright.texts.normalization import counted

from ...forms.assignment_settings import assignment_settings_of
from ...forms.fields.field_types import OneOf
from ...forms.kind_forms.marking import MARKED
from ...forms.kind_forms.screening import KEEP
from ...forms.kinds import ERRATA, KEY_RIGHT, REVIEW, SCREEN, SCREEN_ITEMS, TO_WRITER, VERIFY
from ...store.database.records import Campaign, Returned
from .criteria import criteria_of, unmet_criteria, votes_counted
from .rules import Rule, parse_rule

ACCEPT, REJECT, REVISE = "accept", "reject", "revise"
OPEN, WAITS, NEXT_ROUND, DECIDED = "open", "waits", "next_round", "decided"
NEEDS_REVISION, OUT_OF_ROUNDS, NO_AGREEMENT = "needs_revision", "out_of_rounds", "no_agreement"
FAILED_REVIEW = "failed_review"

CLOSING: Mapping[str, Sequence[str]] = {
    VERIFY: (ACCEPT, REJECT),
    REVIEW: (ACCEPT,),
    SCREEN: (KEEP,),
    SCREEN_ITEMS: (KEEP,),
    ERRATA: (KEY_RIGHT,),
}
"""Outcomes with which a task may close before all annotators have decided, by kind of campaign.

A revision and a failed review are excluded, because the last annotator may propose the edits that prevail. So are
outcomes that drop an item with reasons, because all annotators' reasons count.
"""


class SettlementPolicy(NamedTuple):
    """How a campaign settles its tasks.

    Args:
        rule: The acceptance rule; None if every answer counts and none settles the task.
        slots: Number of annotators of each task.
        decisions: Decisions that can settle a task; if several have enough votes, the first settles it.
        criteria: Criteria that annotators vote on instead; each needs enough votes.
        rounds: Maximum number of rounds per item; 0 if revised items do not return.
        closes_with: Outcomes with which a task closes before all annotators have decided.
        votes_counted: Fields whose yes votes count in campaigns with votes: the criteria, and, if offered, whether the
            item goes back to its writer.
        to_writer: Whether items go back to their writers.
    """

    rule: Rule | None
    slots: int
    decisions: Sequence[str] = ()
    criteria: Sequence[str] = ()
    rounds: int = 0
    closes_with: Sequence[str] = ()
    votes_counted: Sequence[str] = ()
    to_writer: bool = False


class TaskVotes(NamedTuple):
    """The votes that count on a task: the newest version of each decision since the task was last sent back.

    Args:
        given: Number of annotators who have decided.
        decisions: Number of annotators who made each decision.
        votes: Number of annotators who voted yes in each counted field.
        proposals: Number of different proposed edits.
        adjudicated: The adjudicator's decision; None if there is none that counts.
        is_closed: Whether the task is closed, so that no further decision comes. If votes are missing, the rule for
            fewer annotators settles it (`further_votes`).
        is_disputed: Whether the annotators' regions differ by more than the campaign allows (`marked_regions`), in
            which case agreement that there is something to mark does not suffice.
        returned: Outcome of sending the item back to its writer; None if it was not sent back but still may be.
    """

    given: int
    decisions: Mapping[str, int]
    votes: Mapping[str, int]
    proposals: int = 0
    adjudicated: str | None = None
    is_closed: bool = False
    is_disputed: bool = False
    returned: Returned | None = None

    @property
    def to_writer(self) -> int:
        """Return how many annotators send the item back to its writer."""
        return self.decisions.get(TO_WRITER, 0) + self.votes.get(TO_WRITER, 0)


def policy_of(campaign: Campaign) -> SettlementPolicy:
    """Return the settlement policy of a campaign; campaigns with simulated annotators have no adjudicator."""
    rule = None
    with suppress(BenchwrightError):  # a rule such as answers(3) settles nothing
        rule = parse_rule(campaign.rule)
    if rule is not None and campaign.is_simulated:
        rule = replace(rule, is_adjudicated=False)
    closes = assignment_settings_of(campaign.settings).close_decided
    criteria = criteria_of(campaign)
    return SettlementPolicy(
        rule,
        campaign.slots_per_task,
        () if criteria else _decisions_of(campaign),
        criteria,
        campaign.form.rounds,
        CLOSING.get(campaign.kind, ()) if closes else (),
        votes_counted(campaign),
        campaign.form.to_writer,
    )


def _decisions_of(campaign: Campaign) -> Sequence[str]:
    """Return the decisions in a campaign's form, in order; all letters if the decisions are an item's own options."""
    form = campaign.form.typed
    if form is None:
        return tuple(LETTERS) if campaign.form.takes_choices else campaign.form.decisions
    return tuple(option.code for option in form.headline.options) if isinstance(form.headline, OneOf) else ()


def settle(policy: SettlementPolicy, votes: TaskVotes, *, round_number: int = 1) -> str:
    """Return the outcome of a task: `OPEN`, `WAITS`, `NEXT_ROUND`, a decision, or the reason why there is no decision.

    An item sent back to its writer stays with them until they submit it, regardless of others' decisions. Otherwise an
    adjudicator's decision takes precedence over all others, even if the task closed before all annotators had decided.
    If the annotators agree on neither accepting nor rejecting, and one of them sends the item back, its writer revises
    it (`TO_WRITER`), unless they left it unchanged or it has gone back as often as allowed. Otherwise proposed edits
    lead to the next version; if the rule names an adjudicator, only with exactly one proposal and enough annotators for
    a revision.

    Args:
        policy: The campaign's policy.
        votes: Votes on the task.
        round_number: Round in which the task's version is judged, from 1.

    Returns:
        The outcome: `DECIDED` if there is no rule; `FAILED_REVIEW` instead of `NEEDS_REVISION` and `NO_AGREEMENT` if
        annotators vote on criteria.

    Raises:
        ValueError: There are more decisions than the task accepts.
    """
    if votes.returned == "with_writer":
        return TO_WRITER
    if votes.adjudicated is not None:
        return _after_edits(policy, round_number) if votes.adjudicated == REVISE else votes.adjudicated
    if votes.given > policy.slots:
        raise ValueError(
            f"{policy.rule} takes the decisions of {counted(policy.slots, 'annotator')}, not of {votes.given}"
        )
    agreed = _agreed(policy, votes)
    if votes.given < policy.slots:
        if agreed is not None and agreed in policy.closes_with:
            return agreed
        fewer = agreed_of_fewer(policy, votes) if votes.is_closed else None
        return _back_to_writer(policy, votes) if fewer == TO_WRITER else fewer or OPEN
    return _settle_decided(policy, votes, agreed, round_number)


def _agreed(policy: SettlementPolicy, votes: TaskVotes) -> str | None:
    """Return the annotators' decision, or None if it depends on missing decisions."""
    if policy.rule is None:
        return None
    if policy.criteria:
        return (
            None
            if unmet_criteria(policy.rule, {name: votes.votes.get(name, 0) for name in policy.criteria})
            else ACCEPT
        )
    return _with_regions(
        votes, policy.rule.certain_of(votes.decisions, policy.decisions, missing=policy.slots - votes.given)
    )


def _with_regions(votes: TaskVotes, agreed: str | None) -> str | None:
    """Return a decision; None if annotators agree that there is something to mark but disagree on the regions."""
    return None if agreed == MARKED and votes.is_disputed else agreed


def agreed_of_fewer(policy: SettlementPolicy, votes: TaskVotes) -> str | None:
    """Return a task's decision under the rule for the annotators who have decided; None if there is no decision."""
    if policy.rule is None or policy.criteria or not votes.given:
        return None
    rule = policy.rule.of_fewer(votes.given)
    return _with_regions(votes, rule.certain_of(votes.decisions, policy.decisions, missing=0))


def _settle_decided(policy: SettlementPolicy, votes: TaskVotes, agreed: str | None, round_number: int) -> str:
    """Settle a task that all its annotators have decided."""
    if policy.rule is None:
        return DECIDED
    if votes.to_writer and agreed in (None, REVISE, TO_WRITER):
        return _back_to_writer(policy, votes)
    if agreed is not None and (agreed != REVISE or not policy.rounds):
        return agreed
    if policy.rule.is_adjudicated and (agreed is None or votes.proposals != 1):
        return WAITS
    if votes.proposals:
        return _after_edits(policy, round_number)
    return _undecided(policy, NO_AGREEMENT if agreed is None else NEEDS_REVISION)


def _back_to_writer(policy: SettlementPolicy, votes: TaskVotes) -> str:
    """Settle a task that an annotator sends back to the item's writer."""
    if votes.returned == "spent":
        return OUT_OF_ROUNDS
    is_final = votes.returned == "left" or not policy.to_writer  # the recipe sent items back earlier, no longer
    return _undecided(policy, NEEDS_REVISION) if is_final else TO_WRITER


def settle_last(policy: SettlementPolicy, votes: TaskVotes, *, round_number: int = 1) -> str:
    """Return the outcome of a task on the last version of its item, as `settle` does, but never `NEXT_ROUND`.

    A next round opens together with the decision that leads to it. If none was opened, the edits led back to an earlier
    version of the item, and the outcome is no agreement.
    """
    outcome = settle(policy, votes, round_number=round_number)
    return _undecided(policy, NO_AGREEMENT) if outcome == NEXT_ROUND else outcome


def _after_edits(policy: SettlementPolicy, round_number: int) -> str:
    if round_number < policy.rounds:
        return NEXT_ROUND
    return OUT_OF_ROUNDS if policy.rounds > 1 else _undecided(policy, NEEDS_REVISION)


def _undecided(policy: SettlementPolicy, outcome: str) -> str:
    return FAILED_REVIEW if policy.criteria else outcome
