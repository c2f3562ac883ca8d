"""What has become of a campaign's tasks so far: accepted, rejected, divided, still open; and round by round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from ..store import Campaign
from ..store.counts.decision_counts import DecisionCounts
from ..workflow.settlement import (
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

BEGUN, UNTOUCHED = "begun", "untouched"
Facet = Literal["kind", "task", "category"]


class CampaignProgress(NamedTuple):
    """Tasks of a campaign, or of a part of it.

    Args:
        name: Of the part; "" where tasks have no such value.
        tasks: How many.
        outcomes: Tasks by what they came to: an adjudicator's decision or one under the rule, `no_agreement`, `waits`
            for an adjudicator, `failed_review` where too few votes were for a criterion, `decided` where the rule
            settles nothing, `begun` or `untouched`. Those that can occur, in this order.
    """

    name: str
    tasks: int
    outcomes: Mapping[str, int]


class RoundProgress(NamedTuple):
    """What became of the items of one round.

    Args:
        round: From 1.
        items: That came to it.
        passed: Accepted in it.
        revised: Edited in it, so that they came again.
        dropped: Neither, and decided.
        waiting: For an adjudicator.
        open: Not decided yet.
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
        """Return what the items are parted into."""
        return {name: number for name, number in self._asdict().items() if name not in {"round", "items"}}


def progress_of(campaign: Campaign, patterns: Iterable[DecisionCounts], name: str = "") -> CampaignProgress:
    """Return what became of tasks."""
    policy = policy_of(campaign)
    counted: Counter[str] = Counter()
    for one in patterns:
        counted[_outcome(policy, one)] += one.times
    outcomes = {outcome: counted.pop(outcome, 0) for outcome in (*_known(campaign, policy), BEGUN, UNTOUCHED)}
    return CampaignProgress(
        name, sum(outcomes.values()) + counted.total(), {**dict(sorted(counted.items())), **outcomes}
    )


def progress_by(campaign: Campaign, patterns: Sequence[DecisionCounts], facet: Facet) -> list[CampaignProgress]:
    """Return what became of the tasks of each kind, task or category, by name."""
    names = sorted({getattr(one, facet) or "" for one in patterns})
    return [
        progress_of(campaign, [one for one in patterns if (getattr(one, facet) or "") == name], name) for name in names
    ]


def rounds_of(
    campaign: Campaign, patterns: Iterable[DecisionCounts], revised: Mapping[int, int]
) -> list[RoundProgress]:
    """Return what became of items round by round; nothing where a campaign has no rounds.

    Args:
        campaign: The campaign.
        patterns: Its current tasks.
        revised: How many items each round revised.
    """
    policy = policy_of(campaign)
    if not policy.rounds:
        return []
    found: dict[int, Counter[str]] = {number: Counter(revised=times) for number, times in revised.items()}
    for one in patterns:
        found.setdefault(one.round, Counter())[_part(_outcome(policy, one))] += one.times
    return [
        RoundProgress(
            number, found[number].total(), **{part: found[number][part] for part in RoundProgress._fields[2:]}
        )
        for number in sorted(found)
    ]


def edits_matter(campaign: Campaign) -> Callable[[DecisionCounts], bool]:
    """Return what tells of alike tasks whether their outcome depends on how many different edits were proposed."""
    policy = policy_of(campaign)

    def matter(pattern: DecisionCounts) -> bool:
        return len({_outcome(policy, pattern._replace(proposals=proposals)) for proposals in (0, 1, 2)}) > 1

    return matter


def _part(outcome: str) -> str:
    known = {ACCEPT: "passed", WAITS: "waiting", BEGUN: "open", UNTOUCHED: "open"}
    return known.get(outcome, "dropped")


def _known(campaign: Campaign, policy: SettlementPolicy) -> Sequence[str]:
    """Return the outcomes of decided tasks that are counted also where none has come to them, in their order."""
    if policy.rule is None:
        return (DECIDED,)
    if policy.criteria:
        return (ACCEPT, REJECT, WAITS) if policy.rule.is_adjudicated else (ACCEPT, FAILED_REVIEW)
    return (*campaign.form.decisions, WAITS if policy.rule.is_adjudicated else NO_AGREEMENT)


def _outcome(policy: SettlementPolicy, pattern: DecisionCounts) -> str:
    """Return what alike tasks came to, in the words of `review status`.

    What was to be revised and does not come again is `revise`, or `failed_review` where annotators vote on criteria;
    why it does not is in the outcomes of the run.
    """
    if pattern.state == "open":
        return BEGUN if pattern.given else UNTOUCHED
    votes = TaskVotes(pattern.given, pattern.decisions, pattern.votes, pattern.proposals, pattern.adjudicated)
    outcome = settle_last(policy, votes, round_number=pattern.round)
    if outcome in {NEEDS_REVISION, OUT_OF_ROUNDS}:
        return FAILED_REVIEW if policy.criteria else REVISE
    return outcome
