"""The statements behind an annotator's desk: own tasks, own history, drafts, skipped tasks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from .handout import eyes_of
from .handout_sql import IS_BLIND
from .records import Campaign
from .reports import latest_annotations
from .schema import annotators, drafts, skips, slots, tasks

MAX_HISTORY = 200

_latest = latest_annotations().subquery()
_by_name = annotators.c.name == sa.bindparam("name")
_id_of_name = sa.select(annotators.c.id).where(_by_name).scalar_subquery()

OWNER = (
    sa.select(slots.c.submitted_at, slots.c.lease_until)
    .join(annotators)
    .where(slots.c.task_id == sa.bindparam("task"), _by_name)
)
"""Whether, and how, an annotator has a slot of a task."""

TASK_OF_SLOT = sa.select(slots.c.task_id).where(slots.c.id == sa.bindparam("slot"))

_OWN: sa.Select[Any] = (
    sa.select(
        tasks.c.id.label("task_id"),
        tasks.c.payload,
        tasks.c.state,
        slots.c.id.label("slot_id"),
        slots.c.lease_until,
        slots.c.submitted_at,
        _latest.c.decision,
        _latest.c.reasons,
        _latest.c.note,
        _latest.c.fields,
        _latest.c.edits,
        _latest.c.version,
        _latest.c.submitted_at.label("said_at"),
        drafts.c.body,
    )
    .select_from(slots)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(annotators, slots.c.annotator_id == annotators.c.id)
    .outerjoin(_latest, _latest.c.slot_id == slots.c.id)
    .outerjoin(drafts, (drafts.c.task_id == tasks.c.id) & (drafts.c.annotator_id == annotators.c.id))
    .where(tasks.c.campaign_id == sa.bindparam("campaign"), _by_name)
)
OWN_TASK: sa.Select[Any] = _OWN.where(tasks.c.id == sa.bindparam("task"))
OWN_HISTORY: sa.Select[Any] = (
    _OWN.where(slots.c.submitted_at.is_not(None))
    .order_by(_latest.c.submitted_at.desc(), _latest.c.id.desc())
    .limit(sa.bindparam("most"))
)


def count_own(connection: sa.Connection, campaign: Campaign, annotator: str, now: datetime) -> tuple[int, int]:
    """Return how many tasks an annotator has decided, and how many more they could."""
    mine = slots.alias("mine")
    has_mine = sa.exists().where(mine.c.task_id == tasks.c.id, mine.c.annotator_id == _id_of_name)
    is_free = slots.c.annotator_id.is_(None) | (slots.c.submitted_at.is_(None) & (slots.c.lease_until <= now))
    has_free = sa.exists().where(slots.c.task_id == tasks.c.id, is_free)
    held = sa.exists().where(
        mine.c.task_id == tasks.c.id, mine.c.annotator_id == _id_of_name, mine.c.submitted_at.is_(None)
    )
    of_campaign = sa.select(sa.func.count()).select_from(tasks).where(tasks.c.campaign_id == campaign.id)
    decided = of_campaign.where(tasks.c.state != "retired", has_mine, ~held)
    left = of_campaign.where(tasks.c.state == "open", held | (has_free & ~has_mine), IS_BLIND)
    who_id = connection.execute(sa.select(_id_of_name), {"name": annotator}).scalar_one()
    who = {"name": annotator, "campaign": campaign.id, **eyes_of(campaign, who_id)}
    return connection.execute(decided, who).scalar_one(), connection.execute(left, who).scalar_one()


def put_draft(connection: sa.Connection, task_id: int, annotator: str, body: str, now: datetime) -> None:
    """Write a draft over the one that is there."""
    _put(connection, drafts, task_id, annotator, {"body": body, "saved_at": now})


def drop_draft(connection: sa.Connection, slot_id: int, annotator: str) -> None:
    """Remove the draft that belongs to a slot."""
    of_slot = sa.select(slots.c.task_id).where(slots.c.id == slot_id).scalar_subquery()
    connection.execute(
        sa.delete(drafts).where(drafts.c.task_id == of_slot, drafts.c.annotator_id == _id_of_name),
        {"name": annotator},
    )


def put_skip(connection: sa.Connection, task_id: int, annotator: str, now: datetime) -> None:
    """Note that an annotator would rather see a task later."""
    _put(connection, skips, task_id, annotator, {"skipped_at": now})


def _put(connection: sa.Connection, table: sa.Table, task_id: int, annotator: str, values: dict[str, Any]) -> None:
    who = connection.execute(sa.select(annotators.c.id).where(_by_name), {"name": annotator}).scalar_one()
    own = (table.c.task_id == task_id) & (table.c.annotator_id == who)
    if not connection.execute(sa.update(table).where(own).values(values)).rowcount:
        connection.execute(sa.insert(table).values(task_id=task_id, annotator_id=who, **values))
