"""Request more than the first votes only while the decision on a task is uncertain, if the campaign asks for this.

Each task gets its first votes. From then on it closes as soon as its leading decision is sure enough. This is the case
once the lower end of the credible interval of its probability, given each annotator's vote (`agreement.posterior`),
reaches the setting `until`, and the campaign's rule, applied to the present votes, comes to the same decision. The rule
alone determines the outcome; this module only determines which tasks get further votes. Decisions for which all
annotators' reasons or edits count do not close a task early (`settlement.CLOSING`).

The estimates of the annotators are renewed whenever the number of decisions has grown by a tenth, and at the latest
after 2,000 new decisions. They are stored, so that the same decisions in the same order close the same tasks, even
after an interruption. A closing remains valid as long as its decisions do, regardless of later estimates; each new
estimate is applied to open tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from benchwright.seeds import seed_for
from benchwright.texts.normalization import counted

from ...agreement.posterior import Posterior, PosteriorSampler, fitted, model_of, prior_model
from ...forms.assignment_settings import AssignmentSettings, FurtherVotes, assignment_settings_of
from ...forms.kinds import REVIEW
from ...store.campaigns.closings import (
    Closing,
    SureCounts,
    TaskVote,
    add_closings,
    add_model,
    closings_in_force,
    count_since,
    count_sure,
    list_votes,
    newest_model,
    newest_ratings,
    newest_version,
    withdraw,
)
from ...store.database.records import Campaign
from ...store.review_store import ReviewStore
from .settle import CLOSING, SettlementPolicy, TaskVotes, agreed_of_fewer, policy_of

SURE_KINDS = tuple(sorted(set(CLOSING) - {REVIEW}))
"""Kinds whose tasks may close because they are sure; a review asks several questions at once."""
LEAST_NEW, _MOST_NEW, _PART_NEW = 20, 2000, 0.1
"""Number of new decisions after which to renew the estimates: a fraction of the earlier ones, within two bounds."""
MOST_RATINGS = 20_000
"""Maximum number of newest decisions in an estimate, which limits the time that it takes."""


def check_further_votes(handout: AssignmentSettings, kind: str, *, slots: int | None) -> None:
    """Check that tasks of this kind, with this number of slots each, can close with fewer votes.

    Raises:
        ValueError: They cannot close with fewer votes; the message gives the reason.
    """
    if handout.further_votes is None:
        return
    if kind not in SURE_KINDS:
        raise ValueError(
            f"{kind!r} cannot spare votes: it counts every answer, or asks several questions at once; "
            f"{', '.join(SURE_KINDS)} can"
        )
    if slots is not None and handout.further_votes.first >= slots:
        raise ValueError(
            f"further_votes.first is {handout.further_votes.first}, but the rule takes {counted(slots, 'vote')} in "
            "all; give fewer, or leave further_votes out"
        )


def close_sure(store: ReviewStore, campaign: Campaign, *, task: int | None = None, only_open: bool = False) -> None:
    """Close tasks whose decision is certain enough, and reopen tasks closed in this way that are no longer certain.

    Safe to repeat. Call it in the transaction of a decision, or in a run and after each new estimate for all begun
    tasks.

    Args:
        store: The review store.
        campaign: The campaign.
        task: Id of the only task to look at; default None, all tasks.
        only_open: Whether to leave closed tasks unchanged, for example when only the estimate is new; default False.
    """
    settings = assignment_settings_of(campaign.settings).further_votes
    if campaign.kind not in SURE_KINDS or campaign.is_simulated or (settings is None and task is not None):
        return
    with store.writing(alone=True) as connection:
        in_force = {} if only_open else closings_in_force(connection, campaign, task=task)
        if settings is None:
            withdraw(connection, sorted(in_force))
            return
        policy, kept = policy_of(campaign), newest_model(connection, campaign)
        model = prior_model(policy.decisions) if kept is None else model_of(kept.document)
        sampler = PosteriorSampler(model, seed=seed_for(campaign.seed, campaign.name, "further votes"))
        listed = list_votes(connection, campaign, task=task, also=in_force)
        unsure, sure = sorted(in_force.keys() - listed.keys()), []
        for task_id, votes in listed.items():
            closing = in_force.get(task_id)
            if closing is not None and task is None and _still_holds(closing, votes, policy, settings):
                continue
            if closing is None and votes[0].state != "open":
                continue
            if closing is not None:
                unsure.append(task_id)
            posterior = sure_decision(campaign, policy, settings, sampler, votes)
            if posterior is not None:
                latest = max(vote.submitted_at for vote in votes)
                model_id = None if kept is None else kept.id
                sure.append(Closing(task_id, len(votes), *posterior, closed_at=latest, model_id=model_id))
        withdraw(connection, unsure)
        add_closings(connection, sure)


def sure_decision(
    campaign: Campaign,
    policy: SettlementPolicy,
    settings: FurtherVotes,
    sampler: PosteriorSampler,
    votes: Sequence[TaskVote],
) -> Posterior | None:
    """Return the decision with which these votes close a task; None if it needs more votes or has them all."""
    if not settings.first <= len(votes) < policy.slots:
        return None
    posterior = sampler.posterior([(vote.annotator_id, vote.decision) for vote in votes])
    if posterior is None or posterior.low < settings.until or posterior.decision not in CLOSING[campaign.kind]:
        return None
    return posterior if _agreed(policy, votes) == posterior.decision else None


def _agreed(policy: SettlementPolicy, votes: Sequence[TaskVote]) -> str | None:
    return agreed_of_fewer(policy, TaskVotes(len(votes), Counter(vote.decision for vote in votes), {}))


def _still_holds(closing: Closing, votes: Sequence[TaskVote], policy: SettlementPolicy, settings: FurtherVotes) -> bool:
    """Return whether a closing is still valid under the present settings, with its decisions unchanged."""
    is_same = closing.votes == len(votes) < policy.slots and _agreed(policy, votes) == closing.decision
    return is_same and closing.votes >= settings.first and closing.low >= settings.until


def estimate_anew(store: ReviewStore, campaign: Campaign) -> bool:
    """Renew the estimates for a campaign's annotators if there are enough new decisions; return whether it was done.

    The estimate is made outside any write transaction. All begun tasks are then judged by it.
    """
    if assignment_settings_of(campaign.settings).further_votes is None or campaign.kind not in SURE_KINDS:
        return False
    with store.reading() as connection:
        if not _is_due(connection, campaign):
            return False
        up_to = newest_version(connection)
        rows = newest_ratings(connection, campaign, most=MOST_RATINGS)
    gold: Mapping[int, str] = {row.task_id: row.gold for row in rows if row.gold is not None}
    labels = policy_of(campaign).decisions
    model = fitted(
        labels,
        [row.task_id for row in rows],
        [row.annotator_id for row in rows],
        [row.decision for row in rows],
        gold,
    )
    with store.batch() as held, held.writing(alone=True) as connection:
        add_model(connection, campaign, model.to_json(), decisions=len(rows), up_to=up_to)
        close_sure(held, campaign, only_open=True)
    return True


def _is_due(connection: sa.Connection, campaign: Campaign) -> bool:
    kept = newest_model(connection, campaign)
    decisions, up_to = (0, 0) if kept is None else (kept.decisions, kept.up_to)
    least = max(LEAST_NEW, min(_MOST_NEW, int(decisions * _PART_NEW)))
    # Versions are numbered over all campaigns, so that counting this campaign's can mostly be skipped.
    return newest_version(connection) - up_to >= least and count_since(connection, campaign, up_to) >= least


def count_spared(store: ReviewStore, campaign: Campaign) -> SureCounts:
    """Return how many tasks are closed because their decision is certain enough, and how many votes that saved."""
    with store.reading() as connection:
        return count_sure(connection, campaign)
