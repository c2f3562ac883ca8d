"""What an annotator would get next, looked for without holding anybody up.

Looking takes most of the time of handing out, and needs no turn to write: what was found is taken only if it is still
to be had then (`handout.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from . import handout_sql as sql
from .askers import who_asks
from .next_task import look, next_task
from .records import Campaign


class Found(NamedTuple):
    """A task for an annotator.

    Args:
        who: Parameters by which the hand-out knows the annotator in the campaign.
        task: The task.
        slot: The slot that they hold of it, or a free one, with the task; None where one has to be made.
        is_bounded: Whether shares had a say: what others take meanwhile then matters.
    """

    who: Mapping[str, Any]
    task: int
    slot: sa.Row[Any] | None
    is_bounded: bool = False

    @property
    def can_be_taken(self) -> bool:
        """Return whether it can be taken as it was found, without looking at anything else."""
        return self.slot is not None and not self.is_bounded


def find_next(connection: sa.Connection, campaign: Campaign, annotator: str, *, now: datetime) -> Found | None:
    """Return the task that an annotator still holds, else the next one; None when nothing is left for them.

    Nor is anything found while a lease is over whose slot was not returned yet: what is left may change with it.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    who = who_asks(connection, campaign, annotator)
    where = look(connection, who)
    if where.first_end is not None and where.first_end <= now:
        return None
    if where.held is not None:
        held: Any = connection.execute(sql.LEASE_OF, {"held": where.held}).one()
        return Found(who, held.task_id, held)
    coming = next_task(connection, campaign, annotator, who, where)
    if coming is None or coming.slot is not None:
        return coming and Found(who, *coming)
    free = sql.free_of_task(blind=bool(who["shows_key"]))
    return Found(
        who, coming.task, connection.execute(free, {**who, "task": coming.task}).one_or_none(), coming.is_bounded
    )


def peek_next(connection: sa.Connection, campaign: Campaign, annotator: str) -> Mapping[str, Any] | None:
    """Return what the next free task is about, as it stands; it is handed out to nobody.

    Raises:
        RefusedError: The annotator is of the wrong kind for the campaign.
    """
    who = who_asks(connection, campaign, annotator)
    coming = next_task(connection, campaign, annotator, who, look(connection, who))
    if coming is None:
        return None
    text = coming.slot.payload if coming.slot is not None else _payload(connection, coming.task)
    payload: Mapping[str, Any] = json.loads(text)
    return payload


def _payload(connection: sa.Connection, task: int) -> str:
    text: str = connection.execute(sql.PAYLOAD, {"task": task}).scalar_one()
    return text
