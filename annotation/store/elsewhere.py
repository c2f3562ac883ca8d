"""Decisions that were made elsewhere, such as in Label Studio, taken in as they stand there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from . import handout_sql as sql
from .campaigns import find_campaign, upsert_annotator
from .handout import claim_task, return_expired
from .schema import annotators, slots
from .submitting import Saying, submit

Taken = Literal["new", "changed", "unchanged"]


class Elsewhere(NamedTuple):
    """What somebody said of a task elsewhere.

    Args:
        task_id: In the store.
        annotator: Name; registered where it is not yet.
        decision: One of the form's.
        reasons: Some of the form's.
        note: In the annotator's words.
        started_at: When they began, as well as is known.
        submitted_at: When they said so.
        fields: What was said by field, where the campaign has a typed form.
        edits: A revision of the item, as JSON values.
        active_s: Seconds that it took, where that is not the time between the two moments.
    """

    task_id: int
    annotator: str
    decision: str
    reasons: Sequence[str]
    note: str | None
    started_at: datetime
    submitted_at: datetime
    fields: Mapping[str, Any] | None = None
    edits: Mapping[str, Any] | None = None
    active_s: float | None = None


def take_in(connection: sa.Connection, campaign_name: str, said: Elsewhere, *, now: datetime) -> Taken:
    """Take a decision in; one that differs from what the annotator said before becomes its newest version.

    Args:
        connection: In a transaction that writes.
        campaign_name: As the recipe names the step.
        said: The decision.
        now: Leases that ended by this moment are free.

    Raises:
        RefusedError: There is no slot for it, or the form does not know it.
    """
    campaign = find_campaign(connection, campaign_name)
    upsert_annotator(connection, said.annotator, kind="person")
    return_expired(connection, now=now)
    own = (
        sa.select(slots.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(slots.c.task_id == said.task_id, annotators.c.name == said.annotator, slots.c.submitted_at.is_not(None))
    )
    slot = connection.execute(own).scalar_one_or_none()
    before = None if slot is None else connection.execute(sql.SAID, {"held": slot}).one()
    if slot is None:
        until = said.submitted_at - said.started_at + timedelta(seconds=1)
        slot = claim_task(
            connection, campaign, said.annotator, said.task_id, now=said.started_at,
            lease_s=until.total_seconds(),
        ).slot_id  # fmt: skip
    saying = Saying(
        said.decision, reasons=said.reasons, note=said.note, edits=said.edits, fields=said.fields,
        active_s=said.active_s,
    )  # fmt: skip
    submit(connection, slot, said.annotator, saying, now=said.submitted_at, amend=True)
    if before is None:
        return "new"
    return "unchanged" if connection.execute(sql.SAID, {"held": slot}).one().version == before.version else "changed"
