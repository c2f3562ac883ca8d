"""Tables of annotators' work: campaigns, tasks, every version of every decision, annotators and their assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from benchwright.questions.own_ids import OWN_ID

from ...forms.payloads import own_id_in
from ...forms.shortest_time import is_too_fast
from ...store.campaigns.gold import IS_ITEM
from ...store.database.schema import (
    accounts,
    annotations_table,
    annotators,
    assignments,
    campaigns,
    overrides,
    set_asides,
    slots,
    tasks,
    votes_set_aside,
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
    yield annotations_of(connection, campaign_ids, display_names)
    yield _attention_checks(connection, campaign_ids, display_names)
    yield _set_asides(connection, campaign_ids, display_names)
    yield _annotators(connection, campaign_ids, display_names)
    yield _assignments(connection, campaign_ids, display_names)


def stream(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query, reading a few thousand at a time."""
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
            t.payload.label("own"),
        )
        .join(campaigns)
        .where(campaigns.c.id.in_(campaign_ids), IS_ITEM)
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
        OWN_ID: "text",
    }
    rows = ([*values, own_id_in(payload)] for *values, payload in stream(connection, query))
    return ExportTable("tasks", columns, rows)


def annotations_of(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    """Return the table of every version of every decision on items; for the arguments see `work_tables`."""
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
            sa.func.coalesce(votes_set_aside.c.slot, slots.c.slot),
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
            votes_set_aside.c.slot_id.is_not(None).label("is_set_aside"),
            t.shortest_s,
            t.payload,
        )
        .select_from(
            annotations_table.join(slots, a.slot_id == slots.c.id)
            .join(tasks, slots.c.task_id == t.id)
            .join(campaigns, t.campaign_id == campaigns.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
            .outerjoin(votes_set_aside, votes_set_aside.c.slot_id == slots.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids), IS_ITEM)
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
        "is_set_aside": "bool",
        OWN_ID: "text",
    }

    def rows() -> Iterator[Sequence[Any]]:
        for row in stream(connection, query):
            *values, is_set_aside, shortest_s, payload = row
            values[5] = display_names[values[5]]
            values[7] = bool(values[7])
            is_known = values[6] == 1 and values[15] is not None and shortest_s is not None
            too_fast = is_too_fast(values[15], shortest_s) if is_known else None
            seconds = (values[14] - values[13]).total_seconds()
            yield [*values, seconds, too_fast, bool(is_set_aside), own_id_in(payload)]

    return ExportTable("annotations", columns, rows())


def _attention_checks(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    """Return the table of answered attention checks, which are not in the tables of items."""
    a = annotations_table.c
    query = (
        sa.select(campaigns.c.name, tasks.c.item_id, annotators.c.name, a.version, a.decision, tasks.c.gold)
        .add_columns(a.started_at, a.submitted_at, a.active_s, votes_set_aside.c.slot_id)
        .select_from(
            annotations_table.join(slots, a.slot_id == slots.c.id)
            .join(tasks, slots.c.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
            .outerjoin(votes_set_aside, votes_set_aside.c.slot_id == slots.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids), ~IS_ITEM)
        .order_by(campaigns.c.name, tasks.c.item_id, slots.c.slot, a.version)
    )
    columns: Columns = {
        "campaign": "text",
        "check": "text",
        "annotator": "text",
        "version": "int",
        "decision": "text",
        "right": "text",
        "started_at": "moment",
        "submitted_at": "moment",
        "active_seconds": "float",
        "is_set_aside": "bool",
    }
    rows = ([*row[:2], display_names[row[2]], *row[3:-1], row[-1] is not None] for row in stream(connection, query))
    return ExportTable("attention_checks", columns, rows)


def _set_asides(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    """Return the table of the actions by which curators set votes aside or restored them."""
    s = set_asides.c
    query = (
        sa.select(campaigns.c.name, annotators.c.name, s.set_by, s.why, s.set_at, s.taken_back_by, s.taken_back_at)
        .select_from(
            set_asides.join(campaigns, s.campaign_id == campaigns.c.id).join(
                annotators, s.annotator_id == annotators.c.id
            )
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(s.id)
    )
    columns: Columns = {
        "campaign": "text",
        "annotator": "text",
        "set_by": "text",
        "why": "text",
        "set_at": "moment",
        "taken_back_by": "text",
        "taken_back_at": "moment",
    }

    def rows() -> Iterator[Sequence[Any]]:
        for campaign, name, by, why, at, back_by, back_at in stream(connection, query):
            known = [None if who is None else display_names.get(who, who) for who in (by, back_by)]
            yield [campaign, display_names[name], known[0], why, at, known[1], back_at]

    return ExportTable("set_asides", columns, rows())


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
    """Return the table of curators' overrides, in chronological order."""
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
