"""Versions of items made within a campaign; each has its own task, linked to that of the previous version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest

from ...forms.payloads import TaskInput
from ..database.audit import record
from ..database.records import Campaign, Revision, Task
from ..database.schema import annotators, revisions, slots, tasks
from .tasks import new_task, reopen, retire

_before = tasks.alias("before")


def list_revisions(connection: sa.Connection, campaign: Campaign) -> list[Revision]:
    """Return the revisions made in a campaign, by item id and round, including outdated ones."""
    query = (
        sa.select(
            revisions, tasks.c.item_id, tasks.c.content_hash, _before.c.content_hash.label("was"), annotators.c.name
        )
        .join(tasks, revisions.c.task_id == tasks.c.id)
        .join(_before, revisions.c.revised_from == _before.c.id)
        .join(annotators, revisions.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id)
        .order_by(tasks.c.item_id, revisions.c.round, revisions.c.id)
    )
    return [
        Revision(
            item_id=row.item_id,
            task_id=row.task_id,
            content_hash=row.content_hash,
            revised_from=row.was,
            round=row.round,
            edits=json.loads(row.edits),
            annotator=row.name,
        )
        for row in connection.execute(query)
    ]


def round_of(connection: sa.Connection, task_id: int) -> int:
    """Return the round of a task, counted from 1."""
    query = sa.select(revisions.c.round).where(revisions.c.task_id == task_id)
    return connection.execute(query).scalar_one_or_none() or 1


def add_revision(
    connection: sa.Connection,
    campaign: Campaign,
    task: Task,
    work: TaskInput,
    *,
    edits: Mapping[str, Any],
    annotator: str,
    now: datetime,
) -> bool:
    """Open the task for an item's next version, and retire the task for the previous version.

    If the item had this content in the campaign before, the earlier task reopens with its decisions. The task gets the
    priority and the shortest believable time of the previous version.

    Args:
        connection: Connection in a write transaction.
        campaign: Campaign.
        task: Task of the previous version.
        work: Content of the next version.
        edits: Edits that produce the next version, as JSON values.
        annotator: Name of the annotator who made the edits.
        now: Time of the revision.

    Returns:
        False if no task opens because the previous version already has a successor or the item would return to an
        earlier version.
    """
    task_id = connection.execute(
        sa.select(tasks.c.id).where(
            tasks.c.campaign_id == campaign.id,
            tasks.c.item_id == work.item_id,
            tasks.c.content_hash == work.content_hash,
        )
    ).scalar_one_or_none()
    linked = revisions.c.revised_from == task.id
    if task_id is not None:
        linked = linked | (revisions.c.task_id == task_id) | (revisions.c.revised_from == task_id)
    if connection.execute(sa.select(revisions.c.id).where(linked)).first() is not None:
        return False
    if task_id is None:
        task_id = _open(connection, campaign, work)
    else:
        reopen(connection, [task_id])
    retire(connection, [task.id])
    # An edit changes few words, so the shortest believable time stays.
    kept = {
        name: sa.select(_before.c[name]).where(_before.c.id == task.id).scalar_subquery()
        for name in ("priority", "shortest_s")
    }
    connection.execute(sa.update(tasks).where(tasks.c.id == task_id).values(kept))
    annotator_id = sa.select(annotators.c.id).where(annotators.c.name == annotator).scalar_subquery()
    round_, spelled = round_of(connection, task.id) + 1, canonical_json(dict(edits))
    row = {"task_id": task_id, "revised_from": task.id, "round": round_, "edits": spelled, "revised_at": now}
    connection.execute(sa.insert(revisions).values({**row, "annotator_id": annotator_id}))
    if not campaign.is_simulated:
        payload = connection.execute(sa.select(tasks.c.payload).where(tasks.c.id == task_id)).scalar_one()
        record(
            connection,
            "revised",
            actor=annotator,
            at=now,
            task=task_id,
            revised_from=task.id,
            content=work.content_hash,
            said=digest_of_revision(round_, spelled, payload),
        )
    return True


def digest_of_revision(round_: int, edits: str, payload: str) -> str:
    """Return the log's digest of a revision: the round, the edits, and the payload of the resulting task."""
    return digest([round_, edits, payload])


def _open(connection: sa.Connection, campaign: Campaign, work: TaskInput) -> int:
    """Add a task for new content, together with its slots."""
    contents = sa.select(sa.func.count()).where(tasks.c.campaign_id == campaign.id, tasks.c.item_id == work.item_id)
    row = new_task(campaign, work, round_=connection.execute(contents).scalar_one() + 1)
    task_id = connection.execute(sa.insert(tasks).values(row).returning(tasks.c.id)).scalar_one()
    rows = [{"task_id": task_id, "slot": number} for number in range(1, campaign.slots_per_task + 1)]
    connection.execute(sa.insert(slots), rows)
    return int(task_id)
