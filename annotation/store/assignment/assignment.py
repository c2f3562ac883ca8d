"""Hand tasks out to annotators.

Nobody gets a task twice, no task gets more annotators than its rule asks for, and a slot whose lease ran out
goes to the next annotator who asks. Nobody answers an item whose right answer they were shown in another campaign, and
nobody gets an item that they wrote. A task is found first (`next_task`) and then taken, in a transaction that holds the
write lock from its start (`connection`), on SQLite and PostgreSQL alike; taking checks again that the slot is free.
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
from .eligibility import INVOLVED_IN_TASK, annotator_parameters, key_shown_problem
from .next_task import FoundTask, find_next

_ADD_IF_TAKEN = add_after(sql.IS_TAKEN.exists())


def claim_next(
    connection: sa.Connection, campaign: Campaign, annotator: str, *, now: datetime, lease_s: float
) -> Lease | None:
    """Return a slot for this annotator: the one that they still hold (its lease is renewed), else one of the next task.

    Which task is next is random, differs between annotators, and follows from the campaign's seed (`next_task`).

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of a registered annotator.
        now: Moment of the call; leases that ended by then are free.
        lease_s: Seconds until the lease ends.

    Returns:
        The lease; None when nothing is left for this annotator.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    return_expired(connection, now=now)
    found_task = find_next(connection, campaign, annotator, now=now)
    if found_task is None:
        return None
    if found_task.slot is None:
        found_task = found_task._replace(
            slot=_make_slot(connection, {**found_task.parameters, "task": found_task.task})
        )
    return _take(connection, campaign, found_task.slot, annotator, found_task.parameters, now=now, lease_s=lease_s)


def take_found(
    connection: sa.Connection,
    campaign: Campaign,
    annotator: str,
    found_task: FoundTask,
    *,
    now: datetime,
    lease_s: float,
) -> Lease | None:
    """Return a lease of the task that was found for an annotator; None if it can no longer be taken as it was found.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of the annotator for whom it was found.
        found_task: Task that was found before this transaction, when no lease had ended unreturned.
        now: Moment of the call.
        lease_s: Seconds until the lease ends.
    """
    is_new = found_task.slot is not None and found_task.slot.annotator_id is None
    only = sql.take_free(blind=bool(found_task.parameters["shows_key"])) if is_new else sql.KEEP
    return _take(
        connection, campaign, found_task.slot, annotator, found_task.parameters, now=now, lease_s=lease_s, only=only
    )


def claim_task(
    connection: sa.Connection, campaign: Campaign, annotator: str, task: int, *, now: datetime, lease_s: float
) -> Lease:
    """Return a slot of one given task, as `claim_next` does of any. Shares of annotators do not limit this.

    Raises:
        RefusedError: The annotator cannot have the task; the message says why.
    """
    parameters = annotator_parameters(connection, campaign, annotator) | {"task": task}
    blind = bool(parameters["shows_key"])
    return_expired(connection, now=now)
    row = connection.execute(sql.own(of_task=True, blind=blind), parameters).one_or_none()
    if row is None and connection.execute(sql.GOLD_OF_TASK, parameters).scalar_one_or_none() is None:
        row = connection.execute(sql.free_of_task(blind=blind), parameters).one_or_none()
    if row is None:
        raise RefusedError(_why_not(connection, campaign, parameters))
    lease = _take(connection, campaign, row, annotator, parameters, now=now, lease_s=lease_s)
    assert lease is not None  # found under the write lock, so it is still free
    return lease


def return_expired(connection: sa.Connection, *, now: datetime) -> None:
    """Free the slots whose leases have ended; record that their holders have seen the task."""
    while expired := connection.execute(sql.EXPIRED, {"now": now}).all():
        for row in sorted(expired):
            note_seen(connection, row.task_id, row.annotator_id)
            connection.execute(sql.FREE, {"held": row.id})
            if row.kind == "person":
                record(connection, "lease_ended", actor=row.name, at=now, task=row.task_id, slot=row.id)


def note_seen(connection: sa.Connection, task: int, annotator_id: int) -> None:
    """Record that an annotator was shown a task that they no longer hold."""
    parameters = {"task": task, "annotator": annotator_id}
    if connection.execute(sql.HAS_SEEN, parameters).first() is None:
        connection.execute(sql.NOTE_SEEN, {"task_id": task, "annotator_id": annotator_id})


def _make_slot(connection: sa.Connection, parameters: Mapping[str, Any]) -> sa.Row[Any]:
    """Make and return a slot of a gold task, which has one for every annotator who asks."""
    connection.execute(sql.MAKE_SLOT, parameters)
    return connection.execute(sql.free_of_task(blind=bool(parameters["shows_key"])), parameters).one()


def _take(
    connection: sa.Connection,
    campaign: Campaign,
    row: Any,
    annotator: str,
    parameters: Mapping[str, Any],
    *,
    now: datetime,
    lease_s: float,
    only: sa.Update = sql.TAKE,
) -> Lease | None:
    since, until = row.claimed_at or now, now + timedelta(seconds=lease_s)
    taking = {"held": row.id, "annotator": parameters["annotator"], "since": since}
    take: Step = (only, {**parameters, **taking, "until": until, "now": now})
    if row.annotator_id is None and not campaign.is_simulated:
        act = AuditEntry("handed_out", annotator, now, {"task": row.task_id, "slot": row.id})
        [taken_count] = run_recorded(connection, [take], act, conditional=(_ADD_IF_TAKEN, taking))
    else:
        [taken_count] = run_together(connection, take)
    if taken_count != 1:
        return None
    return Lease(
        slot_id=row.id,
        task_id=row.task_id,
        item_id=row.item_id,
        content_hash=row.content_hash,
        round=row.round,
        annotator=annotator,
        claimed_at=since,
        until=until,
        payload=json.loads(row.payload),
    )


def release(connection: sa.Connection, slot_id: int, annotator: str, *, now: datetime | None = None) -> None:
    """Give a slot back undecided; a slot that this annotator no longer holds is left alone.

    Args:
        connection: Connection in a write transaction.
        slot_id: Slot of the annotator's lease.
        annotator: Name of whoever holds it.
        now: Moment of the release, for the log; default the present time.
    """
    row = connection.execute(sql.HELD_BY, {"held": slot_id, "name": annotator}).one_or_none()
    if row is None:
        return
    note_seen(connection, row.task_id, row.annotator_id)
    connection.execute(sql.FREE, {"held": row.id})
    if row.kind == "person":
        record(connection, "given_back", actor=annotator, at=now or clock(), task=row.task_id, slot=row.id)


def _why_not(connection: sa.Connection, campaign: Campaign, parameters: Mapping[str, Any]) -> str:
    task, annotator_id = parameters["task"], parameters["annotator"]
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
        _knows_too_much(connection, parameters)
        or {
            "open": "all its slots are taken",
            "done": f"it is decided under {rule}" if closes else f"all {rule} decisions are in",
            "retired": "the item has changed since; look at its new version",
        }[state]
    )


def _knows_too_much(connection: sa.Connection, parameters: Mapping[str, Any]) -> str | None:
    """Return in words why an annotator may not judge a task; None if they may."""
    if is_author(connection, parameters["task"], parameters["annotator"]):
        return "this annotator wrote this item; somebody else must look at it"
    if problem := key_shown_problem(connection, parameters):
        return problem
    if connection.execute(INVOLVED_IN_TASK, parameters).first() is not None:
        return "this annotator edited this version of the item, or adjudicates it; somebody else must judge it"
    return None
