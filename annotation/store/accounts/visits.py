"""Limits that follow from crowd workers' visits: how many tasks they may take, and which campaigns they see."""

from __future__ import annotations

import sqlalchemy as sa

from ..database.integration_tables import crowd_entries, crowd_visits, crowd_workers
from ..database.schema import annotators, slots, tasks


def visit_left(connection: sa.Connection, campaign_id: int, annotator_id: int) -> int | None:
    """Return how many more tasks a worker may take in a campaign during current visits; 0 without a current visit.

    Returns:
        The number, minus the tasks that they hold; None if there is no limit, as for annotators who did not come
        through an entry.
    """
    is_worker = sa.select(crowd_workers.c.id).where(crowd_workers.c.annotator_id == annotator_id)
    worker = connection.execute(is_worker).scalar_one_or_none()
    if worker is None:
        return None
    lasting = connection.execute(
        sa.select(crowd_entries.c.id, crowd_entries.c.tasks, crowd_visits.c.decided_before)
        .join(crowd_visits, crowd_visits.c.entry_id == crowd_entries.c.id)
        .where(crowd_visits.c.worker_id == worker, crowd_visits.c.result.is_(None))
        .where(crowd_entries.c.campaign_id == campaign_id)
    ).all()
    if not lasting:
        return 0
    if any(row.tasks is None for row in lasting):
        return None
    taken = sa.select(sa.func.count()).select_from(slots.join(tasks)).where(slots.c.annotator_id == annotator_id)
    count = connection.execute(taken.where(tasks.c.campaign_id == campaign_id)).scalar_one()
    return int(max(0, *(row.decided_before + row.tasks - count for row in lasting)))


def may_come(connection: sa.Connection, campaign_id: int, name: str) -> bool:
    """Return whether a person may see a campaign; crowd workers must have entered it, all others always may."""
    worker = sa.select(crowd_workers.c.id).join(annotators).where(annotators.c.name == name)
    if (worker_id := connection.execute(worker).scalar_one_or_none()) is None:
        return True
    came = (
        sa.select(crowd_visits.c.id)
        .join(crowd_entries)
        .where(crowd_visits.c.worker_id == worker_id, crowd_entries.c.campaign_id == campaign_id)
    )
    return connection.execute(came.limit(1)).first() is not None
