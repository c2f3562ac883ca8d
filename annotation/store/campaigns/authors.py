"""Authors of items: annotators never judge an item that they wrote.

The evidence of an item that a person wrote names the campaign, record and slot of the writing. Only the store knows
which annotator had that slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from benchwright.questions.implication import WrittenIn

from ...forms.payloads import TaskInput, item_in
from ..database.schema import authors, campaigns, slots, tasks

_WRITTEN_IN = "written_in"
"""Name of the evidence that states where an item was written."""

_SAT_THERE = (
    sa.select(slots.c.annotator_id)
    .join(tasks, slots.c.task_id == tasks.c.id)
    .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
    .where(
        campaigns.c.name == sa.bindparam("campaign"),
        tasks.c.item_id == sa.bindparam("record_id"),
        slots.c.slot == sa.bindparam("slot"),
        slots.c.submitted_at.is_not(None),
    )
)

OWN_ITEMS = sa.select(authors.c.item_id).where(authors.c.annotator_id == sa.bindparam("annotator"))
"""Items that an annotator wrote."""


def note_authors(connection: sa.Connection, work: Iterable[TaskInput]) -> None:
    """Record who wrote the items of certain tasks, if this store knows; safe to repeat."""
    for task_input in work:
        writer = written_in(task_input.payload)
        if writer is None:
            continue
        for annotator_id in connection.execute(_SAT_THERE, writer.model_dump(exclude={"simulated"})).scalars().all():
            is_own = (authors.c.item_id == task_input.item_id) & (authors.c.annotator_id == annotator_id)
            if connection.execute(sa.select(authors.c.item_id).where(is_own)).first() is None:
                connection.execute(sa.insert(authors).values(item_id=task_input.item_id, annotator_id=annotator_id))


def is_author(connection: sa.Connection, task_id: int, annotator_id: int) -> bool:
    """Return whether an annotator wrote the item of a task."""
    query = OWN_ITEMS.join(tasks, tasks.c.item_id == authors.c.item_id).where(tasks.c.id == task_id)
    return connection.execute(query, {"annotator": annotator_id}).first() is not None


def has_writer(connection: sa.Connection, payload: Mapping[str, Any]) -> bool:
    """Return whether a task's item was written in a campaign of this store, so that it can go back to its writer."""
    writer = written_in(payload)
    return writer is not None and (
        connection.execute(_SAT_THERE, writer.model_dump(exclude={"simulated"})).first() is not None
    )


def written_in(payload: Mapping[str, Any]) -> WrittenIn | None:
    """Return the campaign, record and slot in which a task's item was written; None if it was not written there."""
    stated = item_in(payload).get("evidence", {}).get(_WRITTEN_IN)
    try:
        return None if stated is None else WrittenIn.model_validate(stated)
    except ValidationError:  # a step of another package may use this name for something else
        return None
