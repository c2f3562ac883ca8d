"""What adjudicators decide of tasks, and that they opened them: whoever has knows the key and the others' answers."""

from __future__ import annotations

import json

import sqlalchemy as sa

from .records import Adjudicated, Adjudication, Campaign
from .schema import adjudications, annotators, tasks

OPENED, SEND_BACK = "opened", "send_back"


def list_adjudicated(
    connection: sa.Connection, campaign: Campaign, *, task: int | None = None
) -> dict[tuple[str, str], Adjudicated]:
    """Return what adjudicators did with a campaign's tasks, by item id and content hash; only where they did anything.

    The latest decision counts; sending back takes back those before.
    """
    query = (
        sa.select(adjudications, tasks.c.item_id, tasks.c.content_hash, annotators.c.name)
        .join(tasks, adjudications.c.task_id == tasks.c.id)
        .join(annotators, adjudications.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == campaign.id, adjudications.c.decision != OPENED)
        .order_by(adjudications.c.id)
    )
    if task is not None:
        query = query.where(tasks.c.id == task)
    found: dict[tuple[str, str], Adjudicated] = {}
    for row in connection.execute(query):
        key = (row.item_id, row.content_hash)
        before = found.get(key, Adjudicated(0, None))
        if row.decision == SEND_BACK:
            found[key] = Adjudicated(before.sent_back + 1, None)
            continue
        decision = Adjudication(
            item_id=row.item_id, content_hash=row.content_hash, annotator=row.name, decision=row.decision,
            reasons=tuple(json.loads(row.reasons)), note=row.note,
            edits=None if row.edits is None else json.loads(row.edits), decided_at=row.decided_at,
        )  # fmt: skip
        found[key] = Adjudicated(before.sent_back, decision)
    return found
