"""A curator's act: set an annotator's votes aside, or take them back, and settle the campaign's tasks anew."""

from __future__ import annotations

from datetime import datetime

from ..store.campaigns import set_asides
from ..store.campaigns.set_asides import TakenBack
from ..store.review_store import ReviewStore
from .settlement.closing import close_early


def set_votes_aside(store: ReviewStore, campaign: str, annotator: str, *, by: str, why: str, now: datetime) -> int:
    """Set an annotator's votes in a campaign aside, and return how many: tasks that need them are asked again.

    Args:
        store: The review store.
        campaign: Name of the campaign.
        annotator: Whose votes.
        by: Curator who does it.
        why: Why, in a sentence that the log keeps.
        now: Moment of the act.

    Raises:
        RefusedError: It cannot be done; the message says why.
    """
    with store.batch() as held:
        settings = held.campaign(campaign)
        with held.writing(alone=True) as connection:
            votes = set_asides.set_aside(connection, settings, annotator, by=by, why=why, now=now)
        close_early(held, settings)
    return votes


def take_votes_back(store: ReviewStore, campaign: str, annotator: str, *, by: str, now: datetime) -> TakenBack:
    """Let an annotator's votes in a campaign count again, but for those in whose place others have decided.

    Args:
        store: The review store.
        campaign: Name of the campaign.
        annotator: Whose votes.
        by: Curator who does it.
        now: Moment of the act.

    Raises:
        RefusedError: None of their votes are set aside.
    """
    with store.batch() as held:
        settings = held.campaign(campaign)
        with held.writing(alone=True) as connection:
            taken = set_asides.take_back(connection, settings, annotator, by=by, now=now)
        close_early(held, settings)
    return taken
