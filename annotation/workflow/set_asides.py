"""Set votes aside or let them count again, after a curator's action or a deletion, and settle the tasks again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from ..store.campaigns import set_asides, withdrawn_votes
from ..store.campaigns.set_asides import TakenBack
from ..store.campaigns.withdrawn_votes import Vote
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from .settlement.closing import close_early


def set_votes_aside(store: ReviewStore, campaign: str, annotator: str, *, by: str, why: str, now: datetime) -> int:
    """Set an annotator's votes in a campaign aside, and return the number of votes; tasks that need votes reopen.

    Args:
        store: The review store.
        campaign: Name of the campaign.
        annotator: Annotator of the votes.
        by: Curator who sets them aside.
        why: Reason, as a sentence for the log.
        now: Time of the action.

    Raises:
        RefusedError: The votes cannot be set aside; the message gives the reason.
    """
    with store.batch() as held:
        settings = held.campaign(campaign)
        with held.writing(alone=True) as connection:
            votes = set_asides.set_aside(connection, settings, annotator, by=by, why=why, now=now)
        close_early(held, settings)
    return votes


def take_votes_back(store: ReviewStore, campaign: str, annotator: str, *, by: str, now: datetime) -> TakenBack:
    """Let an annotator's votes in a campaign count again, except those that other annotators have replaced.

    Args:
        store: The review store.
        campaign: Name of the campaign.
        annotator: Annotator of the votes.
        by: Curator who takes them back.
        now: Time of the action.

    Raises:
        RefusedError: None of their votes are set aside.
    """
    with store.batch() as held:
        settings = held.campaign(campaign)
        with held.writing(alone=True) as connection:
            taken = set_asides.take_back(connection, settings, annotator, by=by, now=now)
        close_early(held, settings)
    return taken


def withdraw_deleted(
    store: ReviewStore, campaign: Campaign, given: Collection[Vote], *, now: datetime
) -> frozenset[Vote]:
    """Exclude votes whose annotations were deleted at their source from all counts; see `withdrawn_votes`."""
    with store.batch() as held:
        with held.writing(alone=True) as connection:
            withdrawn = withdrawn_votes.withdraw_votes(connection, campaign, given, now=now)
        close_early(held, campaign)
    return withdrawn


def bring_deleted_back(store: ReviewStore, campaign: Campaign, *, by: str, now: datetime) -> tuple[int, int]:
    """Let withdrawn votes count again; return how many do, and how many do not because others decided instead."""
    with store.batch() as held:
        with held.writing(alone=True) as connection:
            counts = withdrawn_votes.bring_all_back(connection, campaign, by=by, now=now)
        close_early(held, campaign)
    return counts
