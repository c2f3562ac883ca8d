"""Tables of people's work: campaigns, tasks, every version of every decision, annotators and their assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from ...forms.shortest_time import is_too_fast
from ...store.database.schema import (
    accounts,
    annotations_table,
    annotators,
    assignments,
    campaigns,
    overrides,
    slots,
    tasks,
)
from .table_files import Columns, ExportTable

Names = Mapping[str, str]
_AT_ONCE = 2000


def work_tables(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> Iterator[ExportTable]:
    """Yield the tables of these campaigns.

    Args:
        connection: Connection in a read transaction.
        campaign_ids: Ids of the campaigns in the store.
        display_names: Names of annotators in the export, by name in the store.
    """
    yield _campaigns(connection, campaign_ids)
    yield _tasks(connection, campaign_ids)
    yield _annotations(connection, campaign_ids, display_names)
    yield _annotators(connection, campaign_ids, display_names)
    yield _assignments(connection, campaign_ids, display_names)


def stream(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query, read a few thousand at a time."""
    yield from connection.execute(query.execution_options(yield_per=_AT_ONCE))


def _campaigns(connection: sa.Connection, campaign_ids: Sequence[int]) -> ExportTable:
    c = campaigns.c
    query = (
        sa.select(c.name, c.kind, c.rule, c.slots, c.is_simulated, c.is_for_assigned, c.form, c.settings)
        .where(c.id.in_(campaign_ids))
        .order_by(c.name)
    )
    columns: Columns = {
        "campaign": "text",
        "kind": "text",
        "rule": "text",
        "annotators_per_task": "int",
        "is_simulated": "bool",
        "is_for_assigned": "bool",
        "form": "text",
        "settings": "text",
    }
    return ExportTable("campaigns", columns, stream(connection, query))


def _tasks(connection: sa.Connection, campaign_ids: Sequence[int]) -> ExportTable:
    t = tasks.c
    query = (
        sa.select(
            campaigns.c.name,
            t.item_id,
            t.content_hash,
            t.round,
            t.state,
            t.item_kind,
            t.item_task,
            t.category,
            t.payload,
            t.shortest_s,
        )
        .join(campaigns)
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, t.item_id, t.round, t.content_hash)
    )
    columns: Columns = {
        "campaign": "text",
        "item_id": "text",
        "content_hash": "text",
        "round": "int",
        "state": "text",
        "kind": "text",
        "task": "text",
        "category": "text",
        "payload": "text",
        "shortest_seconds": "float",
    }
    return ExportTable("tasks", columns, stream(connection, query))


def _annotations(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    a, t = annotations_table.c, tasks.c
    newer = annotations_table.alias("newer")
    is_newest = ~sa.exists().where(newer.c.slot_id == a.slot_id, newer.c.version > a.version)
    active = a.get("active_s")
    query = (
        sa.select(
            campaigns.c.name.label("campaign"),
            t.item_id,
            t.content_hash,
            t.round,
            slots.c.slot,
            annotators.c.name.label("annotator"),
            a.version,
            is_newest.label("is_newest"),
            a.decision,
            a.reasons,
            a.note,
            a.fields,
            a.edits,
            a.started_at,
            a.submitted_at,
            (sa.null() if active is None else active).label("active_seconds"),
            t.shortest_s,
        )
        .select_from(
            annotations_table.join(slots, a.slot_id == slots.c.id)
            .join(tasks, slots.c.task_id == t.id)
            .join(campaigns, t.campaign_id == campaigns.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, t.item_id, t.round, t.content_hash, slots.c.slot, a.version)
    )
    columns: Columns = {
        "campaign": "text",
        "item_id": "text",
        "content_hash": "text",
        "round": "int",
        "slot": "int",
        "annotator": "text",
        "version": "int",
        "is_newest": "bool",
        "decision": "text",
        "reasons": "text",
        "note": "text",
        "fields": "text",
        "edits": "text",
        "started_at": "moment",
        "submitted_at": "moment",
        "active_seconds": "float",
        "seconds": "float",
        "too_fast": "bool",
    }

    def rows() -> Iterator[Sequence[Any]]:
        for row in stream(connection, query):
            *values, shortest_s = row
            values[5] = display_names[values[5]]
            values[7] = bool(values[7])
            is_known = values[6] == 1 and values[15] is not None and shortest_s is not None
            too_fast = is_too_fast(values[15], shortest_s) if is_known else None
            yield [*values, (values[14] - values[13]).total_seconds(), too_fast]

    return ExportTable("annotations", columns, rows())


def _annotators(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    counts = (
        sa.select(slots.c.annotator_id, sa.func.count().label("decisions"))
        .select_from(slots.join(tasks))
        .where(tasks.c.campaign_id.in_(campaign_ids), slots.c.decision.is_not(None))
        .group_by(slots.c.annotator_id)
        .subquery()
    )
    query = (
        sa.select(annotators.c.name, annotators.c.kind, accounts.c.role, sa.func.coalesce(counts.c.decisions, 0))
        .outerjoin(accounts, accounts.c.annotator_id == annotators.c.id)
        .outerjoin(counts, counts.c.annotator_id == annotators.c.id)
    )
    rows = sorted((display_names[name], *rest) for name, *rest in connection.execute(query))
    columns: Columns = {"annotator": "text", "kind": "text", "role": "text", "decisions": "int"}
    return ExportTable("annotators", columns, rows)


def _assignments(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    query = (
        sa.select(campaigns.c.name, annotators.c.name)
        .select_from(assignments.join(campaigns).join(annotators))
        .where(campaigns.c.id.in_(campaign_ids))
    )
    rows = sorted((campaign, display_names[name]) for campaign, name in connection.execute(query))
    return ExportTable("assignments", {"campaign": "text", "annotator": "text"}, rows)


def overrides_table(connection: sa.Connection, display_names: Names) -> ExportTable:
    """Return the table of curators' overrides, in the order in which they were decided."""
    o = overrides.c
    query = (
        sa.select(o.stage, o.record_id, o.action, o.reason, o.against, annotators.c.name, o.why, o.decided_at)
        .join(annotators, o.annotator_id == annotators.c.id)
        .order_by(o.id)
    )
    columns: Columns = {
        "stage": "text",
        "record_id": "text",
        "action": "text",
        "reason": "text",
        "against": "text",
        "by": "text",
        "why": "text",
        "decided_at": "moment",
    }
    rows = ([*row[:5], display_names[row[5]], *row[6:]] for row in stream(connection, query))
    return ExportTable("overrides", columns, rows)
