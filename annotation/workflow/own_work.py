"""An annotator's waiting tasks and past work: minutes left at their pace, and decisions since a given time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import NamedTuple

import sqlalchemy as sa

from ..store.database.records import Campaign
from ..store.database.schema import annotations_table, annotators, slots, tasks
from ..store.review_store import ReviewStore
from .waiting import WaitingTasks, waiting_for

_RECENT = 30
"""Number of an annotator's decisions that determine the pace; a break or a hard item changes it little."""
_LEAST = 3
"""Minimum number of decisions required to determine a pace."""

_of_annotator = annotators.c.name == sa.bindparam("name")
_OWN = (
    sa.select(annotations_table)
    .select_from(annotations_table)
    .join(slots, annotations_table.c.slot_id == slots.c.id)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .where(_of_annotator, annotations_table.c.version == 1)
)
_TIMES = (
    _OWN.with_only_columns(annotations_table.c.active_s)
    .where(tasks.c.campaign_id == sa.bindparam("campaign"), annotations_table.c.active_s.is_not(None))
    .order_by(annotations_table.c.submitted_at.desc(), annotations_table.c.id.desc())
    .limit(_RECENT)
)
_SINCE = (
    _OWN.with_only_columns(tasks.c.campaign_id, sa.func.count())
    .where(annotations_table.c.submitted_at >= sa.bindparam("since"))
    .group_by(tasks.c.campaign_id)
)


class OwnWork(NamedTuple):
    """The work of an annotator in a campaign.

    Args:
        waiting: Tasks that wait for the annotator.
        decided: Number of tasks they have decided.
        today: Number of these decided since the given time.
        pace_s: Median duration of their last decisions in seconds; None while there are too few decisions.
    """

    waiting: WaitingTasks
    decided: int
    today: int
    pace_s: float | None

    @property
    def minutes_left(self) -> float | None:
        """Return the minutes that the annotator's share will take at their pace; None while the pace is unknown."""
        return None if self.pace_s is None else self.pace_s * self.waiting.share_left / 60


def own_work(
    store: ReviewStore, campaigns: Sequence[Campaign], annotator: str, *, since: datetime, now: datetime
) -> list[OwnWork]:
    """Return an annotator's work in each of these campaigns, in the order given.

    Args:
        store: The review store.
        campaigns: Campaigns in which the annotator may decide.
        annotator: Name of the annotator.
        since: Time from which decisions count as today's.
        now: Time of the call.
    """
    waiting = waiting_for(store, campaigns, annotator, now=now)
    with store.reading() as connection:
        rows = connection.execute(_SINCE, {"name": annotator, "since": since}).all()
        today = {row[0]: int(row[1]) for row in rows}
        times = {
            campaign.id: connection.execute(_TIMES, {"name": annotator, "campaign": campaign.id}).scalars().all()
            for campaign in campaigns
        }
    return [
        OwnWork(
            tasks_waiting,
            decided=tasks_waiting.decided,
            today=today.get(tasks_waiting.campaign.id, 0),
            pace_s=median(seconds) if len(seconds := times[tasks_waiting.campaign.id]) >= _LEAST else None,
        )
        for tasks_waiting in waiting
    ]
