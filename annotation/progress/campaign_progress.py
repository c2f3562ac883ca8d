"""Counts of a campaign's tasks by present outcome, such as accepted, rejected or open, and by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..forms.kinds import TO_WRITER
from ..store.counts.decision_counts import DecisionCounts
from ..store.database.records import Campaign
from ..workflow.settlement.settle import (
    ACCEPT,
    DECIDED,
    FAILED_REVIEW,
    NEEDS_REVISION,
    NO_AGREEMENT,
    OUT_OF_ROUNDS,
    REJECT,
    REVISE,
    WAITS,
    SettlementPolicy,
    TaskVotes,
    policy_of,
    settle_last,
)

_BEGUN, _UNTOUCHED = "begun", "untouched"
Facet = Literal["kind", "task", "category"]


class CampaignProgress(NamedTuple):
    """Counts of the tasks of a campaign, or of a part of them.

    Args:
        name: Name of the part, or "" for tasks that have no value.
        tasks: Number of tasks.
        outcomes: Number of tasks by outcome: a decision under the rule or of an adjudicator; `no_agreement`; `waits`,
            for an adjudicator; `failed_review`, if too few votes were for a criterion; `to_writer`, if the item goes
            back to its writer, who has not revised it yet; `decided`, if the rule settles nothing; `begun` or
            `untouched`. Only possible outcomes are listed, in this order.
    """

    name: str
    tasks: int
    outcomes: Mapping[str, int]


class RoundProgress(NamedTuple):
    """Counts of the items in a round, by outcome.

    Args:
        round: Number of the round, from 1.
        items: Number of items in the round.
        passed: Number of items accepted in this round.
        revised: Number of items edited in this round, which got another round.
        dropped: Number of items decided otherwise.
        waiting: Number of items that wait for an adjudicator, or went back to their writers.
        open: Number of undecided items.
    """

    round: int
    items: int
    passed: int
    revised: int
    dropped: int
    waiting: int
    open: int

    @property
    def parts(self) -> dict[str, int]:
        """Return the number of items by outcome."""
        return {name: number for name, number in self._asdict().items() if name not in {"round", "items"}}


def progress_of(campaign: Campaign, decision_counts: Iterable[DecisionCounts], name: str = "") -> CampaignProgress:
    """Return the numbers of tasks by outcome, from the counts for a campaign or for a part of it."""
    policy = policy_of(campaign)
    counted: Counter[str] = Counter()
    for counts in decision_counts:
        counted[_outcome(policy, counts)] += counts.times
    outcomes = {outcome: counted.pop(outcome, 0) for outcome in (*_known(campaign, policy), _BEGUN, _UNTOUCHED)}
    return CampaignProgress(
        name, sum(outcomes.values()) + counted.total(), {**dict(sorted(counted.items())), **outcomes}
    )


def progress_by(campaign: Campaign, decision_counts: Sequence[DecisionCounts], facet: Facet) -> list[CampaignProgress]:
    """Return the numbers of tasks by outcome for each kind, task or category, by name."""
    names = sorted({getattr(counts, facet) or "" for counts in decision_counts})
    return [
        progress_of(campaign, [counts for counts in decision_counts if (getattr(counts, facet) or "") == name], name)
        for name in names
    ]


def rounds_of(
    campaign: Campaign, decision_counts: Iterable[DecisionCounts], revised: Mapping[int, int]
) -> list[RoundProgress]:
    """Return the numbers of items by outcome for each round; empty if a campaign has no rounds.

    Args:
        campaign: The campaign.
        decision_counts: Counts of its current tasks.
        revised: Number of items revised in each round.
    """
    policy = policy_of(campaign)
    if not policy.rounds:
        return []
    by_round: dict[int, Counter[str]] = {number: Counter(revised=times) for number, times in revised.items()}
    for counts in decision_counts:
        by_round.setdefault(counts.round, Counter())[_part(_outcome(policy, counts))] += counts.times
    return [
        RoundProgress(
            number, by_round[number].total(), **{part: by_round[number][part] for part in RoundProgress._fields[2:]}
        )
        for number in sorted(by_round)
    ]


def edits_matter(campaign: Campaign) -> Callable[[DecisionCounts], bool]:
    """Return a function that tells whether the outcome of tasks with equal counts depends on the number of edits."""
    policy = policy_of(campaign)

    def matter(decision_counts: DecisionCounts) -> bool:
        return len({_outcome(policy, decision_counts._replace(proposals=proposals)) for proposals in (0, 1, 2)}) > 1

    return matter


def _part(outcome: str) -> str:
    known = {ACCEPT: "passed", WAITS: "waiting", TO_WRITER: "waiting", _BEGUN: "open", _UNTOUCHED: "open"}
    return known.get(outcome, "dropped")


def _known(campaign: Campaign, policy: SettlementPolicy) -> Sequence[str]:
    """Return, in order, the outcomes of decided tasks that are listed even if no task has them."""
    if policy.rule is None:
        return (DECIDED,)
    if policy.criteria:
        back = (TO_WRITER,) if campaign.form.to_writer else ()
        return (ACCEPT, *back, *((REJECT, WAITS) if policy.rule.is_adjudicated else (FAILED_REVIEW,)))
    return (*campaign.form.decisions, WAITS if policy.rule.is_adjudicated else NO_AGREEMENT)


def _outcome(policy: SettlementPolicy, decision_counts: DecisionCounts) -> str:
    """Return the outcome of tasks with equal counts, named as in `review status`."""
    if decision_counts.state == "open":
        return _BEGUN if decision_counts.given else _UNTOUCHED
    votes = TaskVotes(
        decision_counts.given,
        decision_counts.decisions,
        decision_counts.votes,
        decision_counts.proposals,
        decision_counts.adjudicated,
        is_closed=True,
        is_disputed=decision_counts.is_disputed,
        returned=decision_counts.returned,
    )
    return counted_outcome(policy, votes, decision_counts.round)


def counted_outcome(policy: SettlementPolicy, votes: TaskVotes, round_number: int) -> str:
    """Return a task's outcome on the last version of its item, for counts; the cause of a failure is ignored.

    Items that need a revision but get no further round are `revise`, or `failed_review` if annotators vote on criteria;
    the outcomes of the run give the reason.
    """
    outcome = settle_last(policy, votes, round_number=round_number)
    if outcome in {NEEDS_REVISION, OUT_OF_ROUNDS}:
        return FAILED_REVIEW if policy.criteria else REVISE
    return outcome
