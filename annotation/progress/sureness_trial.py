"""The votes that a campaign would save at several thresholds by stopping once its votes are certain enough.

The trial goes through each task vote by vote, in the order of its slots, with the functions that close tasks
(`further_votes`). The model of the annotators is that of all decisions so far, so that early tasks are judged with more
data than at the time. Tasks that have all their votes show the errors that saving would cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchwright.seeds import seed_for

from ..agreement.posterior import PosteriorSampler, fitted
from ..forms.assignment_settings import FurtherVotes, assignment_settings_of
from ..store.campaigns.closings import TaskVote, list_begun_votes, newest_ratings
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.settlement.further_votes import MOST_RATINGS, SURE_KINDS, sure_decision
from ..workflow.settlement.settle import SettlementPolicy, TaskVotes, policy_of
from .campaign_progress import counted_outcome

_THRESHOLDS = (0.8, 0.9, 0.95, 0.99)
_LEAST_SLOTS = 3
"""Minimum number of votes per task at which some can be saved, since every task gets two first."""


class SurenessTrial(NamedTuple):
    """The votes that a threshold of certainty would save.

    Args:
        until: The threshold, 0 to 1.
        tasks: Number of tasks that would close early.
        votes_spared: Number of votes that these tasks would not need.
        otherwise: Number of tasks with all their votes whose outcome would differ from that of all votes.
        compared: Number of tasks that have all their votes and would close early.
    """

    until: float
    tasks: int
    votes_spared: int
    otherwise: int
    compared: int


def can_spare(campaign: Campaign) -> bool:
    """Return whether a campaign allows saving votes."""
    policy = policy_of(campaign)
    return campaign.kind in SURE_KINDS and len(policy.decisions) > 1 and policy.slots >= _LEAST_SLOTS


def try_sureness(
    store: ReviewStore, campaign: Campaign, thresholds: Sequence[float] = _THRESHOLDS
) -> list[SurenessTrial]:
    """Return the votes that each threshold would save in a campaign that allows saving votes; no task is closed."""
    policy = policy_of(campaign)
    with store.reading() as connection:
        votes = list_begun_votes(connection, campaign)
        ratings = newest_ratings(connection, campaign, most=MOST_RATINGS)
    known: Mapping[int, str] = {row.task_id: row.gold for row in ratings if row.gold is not None}
    model = fitted(
        policy.decisions,
        [row.task_id for row in ratings],
        [row.annotator_id for row in ratings],
        [row.decision for row in ratings],
        known,
    )
    sampler = PosteriorSampler(model, seed=seed_for(campaign.seed, campaign.name, "further votes"))
    own = assignment_settings_of(campaign.settings).further_votes
    first = min((own or FurtherVotes()).first, policy.slots - 1)
    # Tasks on which the same annotators voted alike in the same order have the same outcome.
    alike: dict[tuple[tuple[int, str], ...], list[Sequence[TaskVote]]] = {}
    for given in votes.values():
        counted = given[: policy.slots]
        alike.setdefault(tuple((vote.annotator_id, vote.decision) for vote in counted), []).append(counted)
    trials = []
    for until in thresholds:
        settings = FurtherVotes(first=first, until=until)
        tasks = spared = otherwise = compared = 0
        for same in alike.values():
            early = _closes(campaign, policy, settings, sampler, same[0])
            if early is None:
                continue
            number, decision = early
            tasks, spared = tasks + len(same), spared + len(same) * (policy.slots - number)
            if len(same[0]) >= policy.slots:
                compared += len(same)
                otherwise += len(same) * (decision != _by_all(policy, same[0]))
        trials.append(SurenessTrial(until, tasks, spared, otherwise, compared))
    return trials


def _closes(
    campaign: Campaign,
    policy: SettlementPolicy,
    settings: FurtherVotes,
    sampler: PosteriorSampler,
    votes: Sequence[TaskVote],
) -> tuple[int, str] | None:
    """Return the number of votes after which a task would close, with its decision; None if all votes are needed."""
    for number in range(settings.first, min(len(votes), policy.slots - 1) + 1):
        posterior = sure_decision(campaign, policy, settings, sampler, votes[:number])
        if posterior is not None:
            return number, posterior.decision
    return None


def _by_all(policy: SettlementPolicy, votes: Sequence[TaskVote]) -> str:
    counts = TaskVotes(len(votes), Counter(vote.decision for vote in votes), {}, is_closed=True)
    return counted_outcome(policy, counts, 1)
