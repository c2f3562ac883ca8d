"""Assign tasks to annotators.

No annotator gets a task twice, and no task gets more annotators than its rule requires. A slot whose lease ended goes
to the next annotator who asks. Annotators never answer an item whose right answer another campaign showed them, nor an
item that they wrote.

The call locks the annotator's row first (`locks`), so that an annotator with several windows gets one task. The search
(`next_task`) then skips rows that others have just locked. Only if nothing else remains does it wait for those rows, so
that the last task is not missed because another annotator looked at it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ...forms.assignment_settings import assignment_settings_of
from ..campaigns.authors import is_author
from ..campaigns.set_asides import is_set_aside
from ..database.audit import clock, record
from ..database.dialects import insert_into
from ..database.locks import hold_campaign, hold_task, hold_task_of_slot
from ..database.records import Campaign, Lease, RefusedError
from ..database.schema import seen, slots, tasks
from . import statements as sql
from .eligibility import INVOLVED_IN_TASK, annotator_parameters, key_shown_problem
from .next_task import next_task, read_position

_ONE_LATER = timedelta(microseconds=1)
"""Time difference between tasks that are assigned together, which determines their order."""


def claim_next(
    connection: sa.Connection, campaign: Campaign, annotator: str, *, now: datetime, lease_s: float
) -> Lease | None:
    """Return a slot for this annotator: the one that they hold, with its lease renewed, or one of the next task.

    Which task is next is random, differs between annotators, and follows from the campaign's seed (`next_task`).

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of a registered annotator.
        now: Time of the call; leases that ended by then are free once they are returned (`return_expired`).
        lease_s: Seconds until the lease ends.

    Returns:
        The lease, or None if no task is left for this annotator.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    if assignment_settings_of(campaign.settings).shares:
        hold_campaign(connection, campaign.id)
    parameters = annotator_parameters(connection, campaign, annotator, to_take=True)
    if campaign.is_closed or is_set_aside(connection, campaign.id, parameters["annotator"]):
        return None
    position = read_position(connection, parameters)
    row = None
    if position.held is not None:
        row = connection.execute(sql.HELD_LEASE, {**parameters, "held": position.held}).one_or_none()
    if row is None:
        row = _free_slot(connection, campaign, annotator, parameters, position)
    return None if row is None else _take(connection, campaign, row, annotator, parameters, now=now, lease_s=lease_s)


def claim_ahead(
    connection: sa.Connection, campaign: Campaign, annotator: str, *, most: int, now: datetime, lease_s: float
) -> tuple[list[int], bool]:
    """Renew an annotator's leases in a campaign and, if there are fewer than `most`, take one more slot.

    A call takes at most one slot. An annotator who holds the lock of one task and waits for the lock of a second could
    cause a deadlock. Call it again until it takes none.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of a registered annotator.
        most: Maximum number of tasks that the annotator holds at once.
        now: Time of the call, as in `claim_next`.
        lease_s: Seconds until the leases end.

    Returns:
        Ids of the tasks that the annotator holds, in order of assignment; and whether one of them is new.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    if assignment_settings_of(campaign.settings).shares:
        hold_campaign(connection, campaign.id)
    parameters = annotator_parameters(connection, campaign, annotator, to_take=True)
    if is_set_aside(connection, campaign.id, parameters["annotator"]):
        return [], False
    rows = connection.execute(sql.all_own(blind=bool(parameters["shows_key"])), parameters).all()
    if rows:
        # Without the locks of their tasks: only the annotator's own windows, which wait here, use these slots.
        connection.execute(sql.RENEW, {"slots": [row.id for row in rows], "until": now + timedelta(seconds=lease_s)})
    held = [row.task_id for row in rows]
    if len(held) >= most or campaign.is_closed:
        return held, False
    free = _free_slot(connection, campaign, annotator, parameters, read_position(connection, parameters))
    if free is None:
        return held, False
    after_others = max([now, *(row.claimed_at + _ONE_LATER for row in rows)])
    lease = _take(connection, campaign, free, annotator, parameters, now=after_others, lease_s=lease_s)
    return [*held, lease.task_id], True


def _free_slot(
    connection: sa.Connection,
    campaign: Campaign,
    annotator: str,
    parameters: Mapping[str, Any],
    position: sa.Row[Any],
) -> sa.Row[Any] | None:
    """Lock the next task and one of its free slots, and return the slot; None if no slot is left."""
    blind = bool(parameters["shows_key"])
    while (coming := next_task(connection, campaign, annotator, parameters, position)) is not None:
        if coming.slot is not None:
            return coming.slot
        hold_task(connection, coming.task)
        of_task = {**parameters, "task": coming.task}
        if (row := connection.execute(sql.free_of_task(blind=blind), of_task).one_or_none()) is not None:
            return row
        if connection.execute(sql.GOLD_OF_TASK, of_task).scalar_one() is not None:
            connection.execute(sql.MAKE_SLOT, of_task)  # a gold task has a slot for every annotator who asks
            return connection.execute(sql.free_of_task(blind=blind), of_task).one()
    return None


def claim_task(
    connection: sa.Connection,
    campaign: Campaign,
    annotator: str,
    task: int,
    *,
    now: datetime,
    lease_s: float,
    on_gold: bool = False,
) -> Lease:
    """Return a slot of a given task, as `claim_next` does for any task; annotators' shares set no limit in this case.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of a registered annotator.
        task: Id of the task.
        now: Time of the call, as in `claim_next`.
        lease_s: Seconds until the lease ends.
        on_gold: Whether the task may be a gold item, as for a decision imported from elsewhere; default False.

    Raises:
        RefusedError: The annotator cannot have the task; the message gives the reason.
    """
    parameters = annotator_parameters(connection, campaign, annotator, to_take=True) | {"task": task}
    if is_set_aside(connection, campaign.id, parameters["annotator"]):
        raise RefusedError(f"a curator has set the votes of {annotator!r} in {campaign.name!r} aside")
    hold_task(connection, task)
    blind = bool(parameters["shows_key"])
    row = connection.execute(sql.own(of_task=True, blind=blind), parameters).one_or_none()
    is_gold = connection.execute(sql.GOLD_OF_TASK, parameters).scalar_one_or_none() is not None
    if row is None and is_gold and on_gold:
        connection.execute(sql.MAKE_SLOT, parameters)
    if row is None and (on_gold or not is_gold):
        row = connection.execute(sql.free_of_task(blind=blind), parameters).one_or_none()
    if row is None:
        raise RefusedError(_why_not(connection, campaign, parameters))
    return _take(connection, campaign, row, annotator, parameters, now=now, lease_s=lease_s)


def assign_task(
    connection: sa.Connection, campaign: Campaign, annotator: str, task: int, *, by: str, now: datetime, until: datetime
) -> Lease:
    """Reserve a slot of one task for an annotator, on a curator's behalf; it comes before all their other tasks.

    No other annotator gets that slot before `until`, unless this one skips the task. A visit that ends without reaching
    the task does not end the reservation.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        annotator: Name of a registered annotator.
        task: Id of the task.
        by: Name of the curator, for the log.
        now: Time of the call, as in `claim_next`.
        until: Time from which others may get the slot.

    Raises:
        RefusedError: The annotator cannot have the task; the message gives the reason.
    """
    lease = claim_task(connection, campaign, annotator, task, now=now, lease_s=(until - now).total_seconds())
    record(connection, "assigned_task", actor=by, at=now, task=task, annotator=annotator, until=until.isoformat())
    return lease


def has_expired(connection: sa.Connection, *, now: datetime) -> bool:
    """Return whether any slot has a lease that has ended."""
    return connection.execute(sql.ANY_EXPIRED, {"now": now}).first() is not None


def return_expired(connection: sa.Connection, *, now: datetime) -> None:
    """Free the slots whose leases have ended; record that their holders have seen the task.

    Slots of tasks that others have locked wait for the next call. Call this in a separate transaction, or in one that
    has sole use of the store, because it keeps many tasks locked.
    """
    while expired := connection.execute(sql.EXPIRED, {"now": now}).all():
        for row in sorted(expired):
            note_seen(connection, row.task_id, row.annotator_id)
            connection.execute(sql.FREE, {"held": row.id})
            if row.kind == "person":
                record(connection, "lease_ended", actor=row.name, at=now, task=row.task_id, slot=row.id)


def note_seen(connection: sa.Connection, task: int, annotator_id: int) -> None:
    """Record that the app showed an annotator a task that they no longer hold."""
    row = {"task_id": task, "annotator_id": annotator_id}
    connection.execute(insert_into(connection, seen).values(row).on_conflict_do_nothing())


def _take(
    connection: sa.Connection,
    campaign: Campaign,
    row: Any,
    annotator: str,
    parameters: Mapping[str, Any],
    *,
    now: datetime,
    lease_s: float,
) -> Lease:
    since, until = row.claimed_at or now, max(now + timedelta(seconds=lease_s), row.lease_until or now)
    connection.execute(sql.TAKE, {"held": row.id, "annotator": parameters["annotator"], "since": since, "until": until})
    if row.annotator_id is None and not campaign.is_simulated:
        record(connection, "handed_out", actor=annotator, at=now, task=row.task_id, slot=row.id)
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
    """Return a slot undecided; do nothing if this annotator no longer holds the slot.

    Args:
        connection: Connection in a write transaction.
        slot_id: Slot of the annotator's lease.
        annotator: Name of its holder.
        now: Time of the release, for the log; default the present time.
    """
    hold_task_of_slot(connection, slot_id)
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
    settings = assignment_settings_of(campaign.settings)
    closes = settings.close_decided or settings.further_votes is not None
    return (
        _knows_too_much(connection, parameters)
        or {
            "open": "all its slots are taken",
            "done": f"it is decided under {rule}" if closes else f"all {rule} decisions are in",
            "retired": "the item has changed since then; look at its new version",
        }[state]
    )


def _knows_too_much(connection: sa.Connection, parameters: Mapping[str, Any]) -> str | None:
    """Return the reason, in words, why an annotator may not judge a task; None if the annotator may."""
    if is_author(connection, parameters["task"], parameters["annotator"]):
        return "this annotator wrote this item; another annotator must judge it"
    if problem := key_shown_problem(connection, parameters):
        return problem
    if connection.execute(INVOLVED_IN_TASK, parameters).first() is not None:
        return "this annotator edited this version of the item, or adjudicates it; another annotator must judge it"
    return None
