"""Hand tasks out to annotators.

Nobody gets a task twice, no task gets more annotators than its rule asks for, and a slot whose lease ran out
goes to whoever asks next. Nobody answers an item whose right answer they were shown in another campaign, and nobody
gets an item that they wrote. What is handed out is found first (`next_task`) and then taken, in a transaction that
holds the write lock from its start (`connection`), on SQLite and PostgreSQL alike; taking looks again whether it is
still to be had.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ...forms.assignment_settings import assignment_settings_of
from ..campaigns.authors import is_author
from ..database.audit import AuditEntry, add_after, clock, record, run_recorded
from ..database.pipelining import Step, run_together
from ..database.records import Campaign, Lease, RefusedError
from ..database.schema import slots, tasks
from . import statements as sql
from .askers import shown_key, who_asks
from .eligibility import INVOLVED_IN_TASK
from .next_task import FoundTask, find_next

_ADD_IF_TAKEN = add_after(sql.IS_TAKEN.exists())


def claim_next(
    connection: sa.Connection, campaign: Campaign, annotator: str, *, now: datetime, lease_s: float
) -> Lease | None:
    """Return a slot for this annotator: one that is still held (its lease begins anew), else one of the next task.

    Which task is next is random, differs between annotators, and follows from the campaign's seed (`next_task`).

    Args:
        connection: In a transaction that writes.
        campaign: The campaign.
        annotator: Registered under this name.
        now: Leases that ended by this moment are free.
        lease_s: Seconds until the slot goes back.

    Returns:
        None when nothing is left for this annotator.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    return_expired(connection, now=now)
    found = find_next(connection, campaign, annotator, now=now)
    if found is None:
        return None
    if found.slot is None:
        found = found._replace(slot=_made_slot(connection, {**found.who, "task": found.task}))
    return _take(connection, campaign, found.slot, annotator, found.who, now=now, lease_s=lease_s)


def take_found(
    connection: sa.Connection, campaign: Campaign, annotator: str, found: FoundTask, *, now: datetime, lease_s: float
) -> Lease | None:
    """Return what was found for an annotator; None where it is not to be had as it was any more.

    Args:
        connection: In a transaction that writes.
        campaign: The campaign.
        annotator: For whom it was found.
        found: Before this transaction, when no lease was over.
        now: This moment.
        lease_s: Seconds until the slot goes back.
    """
    is_new = found.slot is not None and found.slot.annotator_id is None
    only = sql.take_free(blind=bool(found.who["shows_key"])) if is_new else sql.KEEP
    return _take(connection, campaign, found.slot, annotator, found.who, now=now, lease_s=lease_s, only=only)


def claim_task(
    connection: sa.Connection, campaign: Campaign, annotator: str, task: int, *, now: datetime, lease_s: float
) -> Lease:
    """Return a slot of this one task, as `claim_next` does of any. Shares bound nobody here.

    Raises:
        RefusedError: It is not to be had; the message says why.
    """
    who = who_asks(connection, campaign, annotator) | {"task": task}
    blind = bool(who["shows_key"])
    return_expired(connection, now=now)
    row = connection.execute(sql.own(of_task=True, blind=blind), who).one_or_none()
    if row is None and connection.execute(sql.GOLD_OF_TASK, who).scalar_one_or_none() is None:
        row = connection.execute(sql.free_of_task(blind=blind), who).one_or_none()
    if row is None:
        raise RefusedError(_why_not(connection, campaign, who))
    lease = _take(connection, campaign, row, annotator, who, now=now, lease_s=lease_s)
    assert lease is not None  # under the lock what was found is there
    return lease


def return_expired(connection: sa.Connection, *, now: datetime) -> None:
    """Free the slots whose leases have ended; who held one has seen the task."""
    while expired := connection.execute(sql.EXPIRED, {"now": now}).all():
        for row in sorted(expired):
            note_seen(connection, row.task_id, row.annotator_id)
            connection.execute(sql.FREE, {"held": row.id})
            if row.kind == "person":
                record(connection, "lease_ended", actor=row.name, at=now, task=row.task_id, slot=row.id)


def note_seen(connection: sa.Connection, task: int, annotator_id: int) -> None:
    """Note that somebody was shown a task, which they hold no more."""
    who = {"task": task, "who": annotator_id}
    if connection.execute(sql.HAS_SEEN, who).first() is None:
        connection.execute(sql.NOTE_SEEN, {"task_id": task, "annotator_id": annotator_id})


def _made_slot(connection: sa.Connection, who: Mapping[str, Any]) -> sa.Row[Any]:
    """Return a new slot of a gold task, of which there is one for everybody."""
    connection.execute(sql.MAKE_SLOT, who)
    return connection.execute(sql.free_of_task(blind=bool(who["shows_key"])), who).one()


def _take(
    connection: sa.Connection, campaign: Campaign, row: Any, annotator: str, who: Mapping[str, Any], *, now: datetime,
    lease_s: float, only: sa.Update = sql.TAKE,
) -> Lease | None:  # fmt: skip
    since, until = row.claimed_at or now, now + timedelta(seconds=lease_s)
    taking = {"held": row.id, "who": who["who"], "since": since}
    take: Step = (only, {**who, **taking, "until": until, "now": now})
    if row.annotator_id is None and not campaign.is_simulated:
        act = AuditEntry("handed_out", annotator, now, {"task": row.task_id, "slot": row.id})
        [taken] = run_recorded(connection, [take], act, given=(_ADD_IF_TAKEN, taking))
    else:
        [taken] = run_together(connection, take)
    if taken != 1:
        return None
    return Lease(
        slot_id=row.id, task_id=row.task_id, item_id=row.item_id, content_hash=row.content_hash,
        round=row.round, annotator=annotator, claimed_at=since, until=until, payload=json.loads(row.payload),
    )  # fmt: skip


def release(connection: sa.Connection, slot_id: int, annotator: str, *, now: datetime | None = None) -> None:
    """Give a slot back undecided; one that is not held by this annotator any more is left alone.

    Args:
        connection: In a transaction that writes.
        slot_id: From the lease.
        annotator: Who holds it.
        now: The moment, for the log; that of the clock where None.
    """
    row = connection.execute(sql.HELD_BY, {"held": slot_id, "name": annotator}).one_or_none()
    if row is None:
        return
    note_seen(connection, row.task_id, row.annotator_id)
    connection.execute(sql.FREE, {"held": row.id})
    if row.kind == "person":
        record(connection, "given_back", actor=annotator, at=now or clock(), task=row.task_id, slot=row.id)


def _why_not(connection: sa.Connection, campaign: Campaign, who: Mapping[str, Any]) -> str:
    task, annotator_id = who["task"], who["who"]
    state = connection.execute(
        sa.select(tasks.c.state).where(tasks.c.id == task, tasks.c.campaign_id == campaign.id)
    ).scalar_one_or_none()
    has_it = sa.select(slots.c.id).where(slots.c.task_id == task, slots.c.annotator_id == annotator_id)
    if state is None:
        return f"campaign {campaign.name!r} has no task {task}"
    if connection.execute(sql.GOLD_OF_TASK, {"task": task}).scalar_one() is not None:
        return "it is a gold item, and only the app hands these out"
    if connection.execute(has_it).first() is not None:
        return "this annotator has decided it already"
    rule = campaign.rule
    closes = assignment_settings_of(campaign.settings).close_decided
    return (
        _knows_too_much(connection, who)
        or {
            "open": "all its slots are taken",
            "done": f"it is decided under {rule}" if closes else f"all {rule} decisions are in",
            "retired": "the item has changed since; look at its new version",
        }[state]
    )


def _knows_too_much(connection: sa.Connection, who: Mapping[str, Any]) -> str | None:
    """Return in words why an annotator may not judge a task with fresh eyes; None where they may."""
    if is_author(connection, who["task"], who["who"]):
        return "this annotator wrote this item; somebody else must look at it"
    if shown := shown_key(connection, who):
        return shown
    if connection.execute(INVOLVED_IN_TASK, who).first() is not None:
        return "this annotator edited this version of the item, or adjudicates it; somebody else must judge it"
    return None
