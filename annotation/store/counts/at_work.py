"""Annotators at work in a campaign: the tasks that they hold, since when, and their decisions today."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from ...forms.assignment_settings import assignment_settings_of
from ..campaigns.gold import IS_NO_CHECK
from ..database.records import Campaign
from ..database.schema import annotators, slots, tasks

_GRACE = timedelta(minutes=1)


class AtWork(NamedTuple):
    """An annotator who holds tasks of a campaign.

    Attributes:
        annotator: Name.
        task_id: Id of the task they have held longest; None for an attention check.
        item_id: Item of that task; None for an attention check.
        since: Time at which the task was assigned to them.
        held: Number of tasks they hold, including those fetched ahead.
        today: Number of their decisions in the campaign that count and arrived since the day began.
        last_at: Time of the last of these decisions, or None if there is none.
    """

    annotator: str
    task_id: int | None
    item_id: str | None
    since: datetime
    held: int
    today: int
    last_at: datetime | None


def who_is_at_work(
    connection: sa.Connection, campaign: Campaign, *, now: datetime, day_began: datetime
) -> list[AtWork]:
    """Return the annotators who hold tasks of a campaign; those who began last come first.

    Tasks that a curator assigned, or that wait for votes from elsewhere, are not counted, since they are held for days.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        now: Current time.
        day_began: Beginning of the day.
    """
    until = now + timedelta(seconds=assignment_settings_of(campaign.settings).lease_s) + _GRACE
    holds = (
        sa.select(
            annotators.c.id, annotators.c.name, tasks.c.id.label("task"), tasks.c.item_id, slots.c.claimed_at,
            IS_NO_CHECK.label("is_item"),
        )
        .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id).join(annotators))
        .where(tasks.c.campaign_id == campaign.id, slots.c.lease_until > now, slots.c.lease_until <= until)
        .order_by(slots.c.claimed_at, slots.c.id)
    )  # fmt: skip
    first: dict[int, sa.Row[tuple[int, str, int, str, datetime, bool]]] = {}
    held: dict[int, int] = {}
    for row in connection.execute(holds):
        first.setdefault(row.id, row)
        held[row.id] = held.get(row.id, 0) + 1
    decided = (
        sa.select(slots.c.annotator_id, sa.func.count().label("n"), sa.func.max(slots.c.submitted_at).label("last"))
        .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id))
        .where(
            tasks.c.campaign_id == campaign.id,
            slots.c.annotator_id.in_(first),
            slots.c.submitted_at >= day_began,
            slots.c.decision.is_not(None),
        )
        .group_by(slots.c.annotator_id)
    )
    today = {row.annotator_id: row for row in connection.execute(decided)} if first else {}
    found = [
        AtWork(
            row.name,
            row.task if row.is_item else None,
            row.item_id if row.is_item else None,
            row.claimed_at,
            held[number],
            today[number].n if number in today else 0,
            today[number].last if number in today else None,
        )
        for number, row in first.items()
    ]
    return sorted(found, key=lambda each: each.since, reverse=True)
