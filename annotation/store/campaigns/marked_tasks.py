"""Agreement of annotators' regions on a task, stored with the task so that the database can use it in counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from ..database.records import Campaign
from ..database.schema import annotations_table, slots, tasks


class MarkedTask(NamedTuple):
    """A task with marked regions.

    Args:
        task_id: Id of the task in the store.
        item_id: Id of its image or pair.
        content_hash: Content hash of that image or pair.
        payload: Content of the task, as JSON values.
        compared: Value of `regions_compared`, now or after the comparison.
    """

    task_id: int
    item_id: str
    content_hash: str
    payload: Mapping[str, Any]
    compared: str


def uncompared_tasks(
    connection: sa.Connection, campaign: Campaign, settings: str, *, task: int | None = None
) -> list[MarkedTask]:
    """Return the done tasks whose regions have not been compared with these settings since the last decision.

    Args:
        campaign: Campaign that marks regions.
        settings: Digest of the settings by which regions are compared.
        task: Id of the only task to look at; default None, all tasks.
    """
    newest = (
        sa.select(sa.func.max(annotations_table.c.id))
        .join(slots, annotations_table.c.slot_id == slots.c.id)
        .where(slots.c.task_id == tasks.c.id)
        .scalar_subquery()
    )
    compared = sa.literal(f"{settings}:").concat(sa.cast(newest, sa.Text))
    query = sa.select(tasks.c.id, tasks.c.item_id, tasks.c.content_hash, tasks.c.payload, compared.label("compared"))
    query = query.where(
        tasks.c.campaign_id == campaign.id,
        tasks.c.state == "done",
        sa.or_(tasks.c.regions_compared.is_(None), tasks.c.regions_compared != compared),
    ).order_by(tasks.c.id)
    rows = connection.execute(query if task is None else query.where(tasks.c.id == task))
    return [
        MarkedTask(row.id, row.item_id, row.content_hash, json.loads(row.payload), row.compared or "") for row in rows
    ]


def tasks_among(task_ids: Sequence[int]) -> sa.Select[tuple[int]]:
    """Return a query for the tasks with given ids."""
    return sa.select(tasks.c.id).where(tasks.c.id.in_(task_ids))


def marked_tasks(connection: sa.Connection, campaign: Campaign) -> list[int]:
    """Return the ids of the tasks that all their annotators have decided, newest last."""
    query = sa.select(tasks.c.id).where(tasks.c.campaign_id == campaign.id, tasks.c.state == "done")
    return list(connection.execute(query.order_by(tasks.c.id)).scalars())


def shown_in(connection: sa.Connection, task_ids: Sequence[int]) -> list[MarkedTask]:
    """Return the contents of tasks, by task id."""
    query = sa.select(tasks.c.id, tasks.c.item_id, tasks.c.content_hash, tasks.c.payload, tasks.c.regions_compared)
    rows = connection.execute(query.where(tasks.c.id.in_(task_ids)).order_by(tasks.c.id))
    return [
        MarkedTask(row.id, row.item_id, row.content_hash, json.loads(row.payload), row.regions_compared or "")
        for row in rows
    ]


def note_compared(connection: sa.Connection, compared: Mapping[int, tuple[bool, str]]) -> None:
    """Store, for each task, whether its regions agree and which regions were compared."""
    if compared:
        connection.execute(
            sa.update(tasks).where(tasks.c.id == sa.bindparam("of_task")),
            [
                {"of_task": task_id, "regions_agree": agree, "regions_compared": what}
                for task_id, (agree, what) in compared.items()
            ],
        )
