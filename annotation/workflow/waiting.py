"""Tasks waiting for an annotator in each campaign, and the campaign to continue with."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from ..store.database.records import Campaign
from ..store.database.schema import tasks
from ..store.review_store import ReviewStore
from .task_queue import TaskQueue


class WaitingTasks(NamedTuple):
    """The tasks in a campaign that are waiting for an annotator.

    Args:
        campaign: The campaign.
        is_begun: Whether the annotator has decided or holds any.
        left: Number of open tasks, within their share, that they hold or may still take, and may judge.
        share_left: Number left of their even share; the same as `left` if all of it is theirs or their share is done.
        decided: Number of tasks they have decided.
    """

    campaign: Campaign
    is_begun: bool
    left: int
    share_left: int
    decided: int = 0


def waiting_for(
    store: ReviewStore, campaigns: Sequence[Campaign], annotator: str, *, now: datetime
) -> list[WaitingTasks]:
    """Return the tasks that are waiting for an annotator in each of these campaigns, in the order given.

    The counts come from indexes and the annotator's own slots, as in `TaskQueue.progress`, without reading decisions.
    """
    waiting_tasks = []
    for campaign in campaigns:
        queue = TaskQueue(store, campaign, annotator)
        own = queue.counts(now=now)
        progress = queue.progress_of(own)
        is_begun = bool(own.decided or own.ahead.held)
        waiting_tasks.append(
            WaitingTasks(
                campaign, is_begun, progress.left, queue.share_left(progress) or progress.left, decided=own.decided
            )
        )
    return waiting_tasks


def next_campaign(waiting: Sequence[WaitingTasks]) -> WaitingTasks | None:
    """Return the first begun campaign with waiting tasks, or else the first campaign; None if no tasks are waiting."""
    some = [waiting_tasks for waiting_tasks in waiting if waiting_tasks.left]
    return next((waiting_tasks for waiting_tasks in some if waiting_tasks.is_begun), some[0] if some else None)


def open_tasks_of(store: ReviewStore, campaigns: Sequence[Campaign]) -> dict[str, int]:
    """Return, by name, the number of undecided tasks in each campaign."""
    count = (
        sa.select(tasks.c.campaign_id, sa.func.count())
        .where(tasks.c.campaign_id.in_([campaign.id for campaign in campaigns]), tasks.c.state == "open")
        .group_by(tasks.c.campaign_id)
    )
    with store.reading() as connection:
        counts = {row[0]: row[1] for row in connection.execute(count)}
    return {campaign.name: counts.get(campaign.id, 0) for campaign in campaigns}
