"""Reading the decisions on a campaign's tasks, and the campaign's progress."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from sys import intern
from typing import Any, cast

import sqlalchemy as sa

from ..database.records import SLOT_STATES, TASK_STATES, Annotation, AnnotatorKind, Campaign, CampaignStatus
from ..database.schema import annotations_table, annotators, campaigns, slots, tasks, votes_set_aside

_newer = annotations_table.alias("newer")


def latest_annotations(*, also_set_aside: bool = False, only_set_aside: bool = False) -> sa.Select[Any]:
    """Return a query for the newest version of each slot's annotation.

    Args:
        also_set_aside: Whether to include votes that a curator set aside; default False, only votes that count.
        only_set_aside: Whether to return only votes set aside; default False.
    """
    aside = sa.select(votes_set_aside.c.slot_id)
    query = sa.select(annotations_table).where(
        ~sa.exists().where(
            _newer.c.slot_id == annotations_table.c.slot_id, _newer.c.version > annotations_table.c.version
        )
    )
    if only_set_aside:
        return query.where(annotations_table.c.slot_id.in_(aside))
    if also_set_aside:
        return query
    return query.where(annotations_table.c.slot_id.not_in(aside))


@cache
def _decisions(*, with_retired: bool, of_task: bool) -> sa.Select[Any]:
    """Return the query for `list_decisions`, which is built only once because every submission uses it."""
    latest = latest_annotations().subquery()
    query = (
        sa.select(
            latest,
            tasks.c.item_id,
            tasks.c.content_hash,
            tasks.c.round,
            tasks.c.regions_agree,
            slots.c.slot,
            annotators.c.name,
            annotators.c.kind,
        )
        .join(slots, latest.c.slot_id == slots.c.id)
        .join(tasks, slots.c.task_id == tasks.c.id)
        .join(annotators, slots.c.annotator_id == annotators.c.id)
        .where(tasks.c.campaign_id == sa.bindparam("campaign"))
        .order_by(tasks.c.item_id, tasks.c.round, slots.c.slot)
    )
    if not with_retired:
        query = query.where(tasks.c.state != "retired")
    return query.where(tasks.c.id == sa.bindparam("task")) if of_task else query


def list_decisions(
    connection: sa.Connection,
    campaign: Campaign,
    *,
    with_retired: bool = False,
    task: int | None = None,
    among: sa.Select[tuple[int]] | None = None,
) -> list[Annotation]:
    """Return the latest decisions on a campaign's tasks, by item id, round and slot; see `each_decision`."""
    return [*each_decision(connection, campaign, with_retired=with_retired, task=task, among=among)]


def each_decision(
    connection: sa.Connection,
    campaign: Campaign,
    *,
    with_retired: bool = False,
    task: int | None = None,
    among: sa.Select[tuple[int]] | None = None,
) -> Iterator[Annotation]:
    """Yield the latest decisions on a campaign's tasks, by item id, round and slot.

    The caller must not write through the connection before consuming the last decision.

    Args:
        connection: Connection in a read transaction.
        campaign: Campaign.
        with_retired: Whether to include decisions on earlier contents of items; default False, current tasks only.
        task: Id of the one task to read; default None, all tasks.
        among: Query for the ids of the tasks to read; default None, all tasks.
    """
    query = _decisions(with_retired=with_retired, of_task=task is not None)
    if among is not None:
        query = query.where(tasks.c.id.in_(among))
    yield from map(annotation_of, connection.execute(query, {"campaign": campaign.id, "task": task}))


def annotation_of(row: sa.Row[Any]) -> Annotation:
    """Return the annotation in a row with all columns of a version and those of its task, slot and annotator."""
    # Keeps texts that many annotations share once: otherwise they fill most of the memory of a joint read.
    return Annotation(
        decision=intern(row.decision),
        reasons=tuple(json.loads(row.reasons)),
        note=row.note,
        edits=None if row.edits is None else json.loads(row.edits),
        fields=None if row.fields is None else json.loads(row.fields),
        active_s=row.active_s,
        item_id=intern(row.item_id),
        content_hash=intern(row.content_hash),
        round=row.round,
        slot=row.slot,
        annotator=intern(row.name),
        annotator_kind=cast("AnnotatorKind", intern(row.kind)),
        version=row.version,
        started_at=row.started_at,
        submitted_at=row.submitted_at,
        regions_agree=getattr(row, "regions_agree", None),
    )


def campaign_status(connection: sa.Connection, campaign: Campaign, *, now: datetime) -> CampaignStatus:
    """Return the progress of a campaign at a given time."""
    of_campaign = tasks.c.campaign_id == campaign.id
    counted = _count_by(connection, tasks.c.state, tasks, of_campaign & tasks.c.gold.is_(None))
    slot_state = sa.case(
        (slots.c.submitted_at.is_not(None), "submitted"), (slots.c.lease_until > now, "leased"), else_="free"
    )
    current = slots.join(tasks)
    is_current = of_campaign & (tasks.c.state != "retired") & ~is_withdrawn(now) & (slots.c.slot > 0)
    filled = _count_by(connection, slot_state, current, is_current)
    people = (
        sa.select(sa.func.count(sa.distinct(slots.c.annotator_id)))
        .select_from(current)
        .where(of_campaign, slots.c.decision.is_not(None))
    )
    return CampaignStatus(
        name=campaign.name,
        kind=campaign.kind,
        rule=campaign.rule,
        simulated=campaign.is_simulated,
        tasks={state: counted.get(state, 0) for state in TASK_STATES},
        slots={state: filled.get(state, 0) for state in SLOT_STATES},
        annotators=connection.execute(people).scalar_one(),
    )


def is_withdrawn(now: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a slot is withdrawn: its task was closed without it, and no annotator holds it."""
    is_held = slots.c.lease_until.is_not(None) & (slots.c.lease_until > now)
    return (tasks.c.state == "done") & slots.c.submitted_at.is_(None) & ~is_held


def _count_by(
    connection: sa.Connection,
    column: sa.ColumnElement[Any],
    source: sa.FromClause,
    where: sa.ColumnElement[bool],
) -> dict[str, int]:
    # Grouped by a label: PostgreSQL takes a CASE with parameters for a different expression each time.
    query = sa.select(column.label("counted"), sa.func.count()).select_from(source).where(where)
    return {str(row[0]): int(row[1]) for row in connection.execute(query.group_by("counted"))}


def list_campaign_names(connection: sa.Connection) -> list[str]:
    """Return the names of campaigns that are not archived, sorted."""
    query = sa.select(campaigns.c.name).where(~campaigns.c.is_archived).order_by(campaigns.c.name)
    return list(connection.execute(query).scalars())
