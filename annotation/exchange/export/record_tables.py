"""Tables of records other than decisions: adjudication, revisions, blind answers, comments, and the audit log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from ...store.database.schema import (
    adjudications,
    annotators,
    audit_log,
    authors,
    blind_answers,
    campaigns,
    closings,
    followed,
    guidelines,
    rater_models,
    remarks,
    revision_requests,
    revisions,
    seen,
    skips,
    slots,
    tasks,
)
from .figure_rows import rounded
from .table_files import Columns, ExportTable, Type
from .work_tables import Names, stream

_TASK: Columns = {"campaign": "text", "item_id": "text", "round": "int", "annotator": "text"}


def record_tables(
    connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names
) -> Iterator[ExportTable]:
    """Yield the tables of these campaigns; for the arguments see `work_tables`."""

    def of(table: sa.Table, name: str | None = None, **columns: Type) -> ExportTable:
        return _of_tasks(connection, campaign_ids, display_names, table, name or table.name, columns)

    yield of(
        adjudications,
        decision="text",
        reasons="text",
        note="text",
        edits="text",
        decided_at="moment",
    )
    yield of(revisions, edits="text", revised_at="moment")
    yield _sent_back(connection, campaign_ids, display_names)
    yield of(blind_answers, answer="text", answered_at="moment")
    yield of(seen)
    yield of(skips, skipped_at="moment")
    yield _remarks(connection, campaign_ids, display_names)
    yield _guidelines(connection, campaign_ids)
    yield _followed(connection, campaign_ids, display_names)
    yield _closings(connection, campaign_ids)


def _of_tasks(
    connection: sa.Connection,
    campaign_ids: Sequence[int],
    display_names: Names,
    table: sa.Table,
    name: str,
    columns: Columns,
) -> ExportTable:
    """Return a table in which each row belongs to a task and an annotator."""
    own = [table.c[column] for column in columns]
    # Rows come in the order of writing, where known.
    order = [table.c.id] if "id" in table.c else [tasks.c.item_id, tasks.c.round, annotators.c.id]
    query = (
        sa.select(campaigns.c.name, tasks.c.item_id, tasks.c.round, annotators.c.name, *own)
        .select_from(
            table.join(tasks, table.c.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .join(annotators, table.c.annotator_id == annotators.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, *order)
    )
    rows = ([*row[:3], display_names[row[3]], *row[4:]] for row in stream(connection, query))
    return ExportTable(name, {**_TASK, **columns}, rows)


def _remarks(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    columns: Columns = {
        "is_flag": "bool",
        "words": "text",
        "made_at": "moment",
        "settled_at": "moment",
        "settled_by": "text",
    }
    table = _of_tasks(connection, campaign_ids, display_names, remarks, remarks.name, columns)
    rows = ([*row[:-1], display_names.get(row[-1], row[-1])] for row in table.rows)  # the command line is no person
    return ExportTable(table.name, table.columns, rows)


def _guidelines(connection: sa.Connection, campaign_ids: Sequence[int]) -> ExportTable:
    g = guidelines.c
    query = (
        sa.select(campaigns.c.name, g.version, g.origin, g.text)
        .join_from(guidelines, campaigns)
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, g.version)
    )
    columns: Columns = {"campaign": "text", "version": "int", "origin": "text", "text": "text"}
    return ExportTable("guidelines", columns, stream(connection, query))


def _closings(connection: sa.Connection, campaign_ids: Sequence[int]) -> ExportTable:
    """Return the table of tasks that closed because their decision was certain enough, including withdrawn closings."""
    c = closings.c
    query = (
        sa.select(
            campaigns.c.name,
            tasks.c.item_id,
            tasks.c.round,
            c.votes,
            c.decision,
            c.probability,
            c.low,
            c.high,
            rater_models.c.decisions,
            c.closed_at,
            c.is_withdrawn,
        )
        .select_from(
            closings.join(tasks, c.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .outerjoin(rater_models, c.model_id == rater_models.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, c.id)
    )
    columns: Columns = {
        "campaign": "text",
        "item_id": "text",
        "round": "int",
        "votes": "int",
        "decision": "text",
        "probability": "float",
        "ci_low": "float",
        "ci_high": "float",
        "model_decisions": "int",
        "closed_at": "moment",
        "is_withdrawn": "bool",
    }
    rows = ([*row[:5], *rounded(*row[5:8]), *row[8:10], bool(row[10])] for row in stream(connection, query))
    return ExportTable("closings", columns, rows)


def _sent_back(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    """Return the table of items sent back to their writers; for items that a check sent back, no person is named."""
    r = revision_requests.c
    query = (
        sa.select(campaigns.c.name, tasks.c.item_id, tasks.c.round, annotators.c.name, r.slot, r.item_id, r.stage)
        .add_columns(r.question, r.words, r.sent_at)
        .select_from(
            revision_requests.join(tasks, r.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .outerjoin(annotators, r.annotator_id == annotators.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(r.id)
    )
    rows = (
        [*row[:3], None if row[3] is None else display_names[row[3]], *row[4:]] for row in stream(connection, query)
    )
    columns: Columns = {"slot": "int", "sent_item_id": "text", "stage": "text", "question": "text"}
    return ExportTable("revision_requests", {**_TASK, **columns, "words": "text", "sent_at": "moment"}, rows)


def _followed(connection: sa.Connection, campaign_ids: Sequence[int], display_names: Names) -> ExportTable:
    query = (
        sa.select(
            campaigns.c.name,
            tasks.c.item_id,
            tasks.c.round,
            annotators.c.name,
            followed.c.version,
            guidelines.c.version,
        )
        .select_from(
            followed.join(guidelines, followed.c.guidelines_id == guidelines.c.id)
            .join(slots, followed.c.slot_id == slots.c.id)
            .join(tasks, slots.c.task_id == tasks.c.id)
            .join(campaigns, tasks.c.campaign_id == campaigns.c.id)
            .join(annotators, slots.c.annotator_id == annotators.c.id)
        )
        .where(campaigns.c.id.in_(campaign_ids))
        .order_by(campaigns.c.name, tasks.c.item_id, tasks.c.round, slots.c.slot, followed.c.version)
    )
    rows = ([*row[:3], display_names[row[3]], *row[4:]] for row in stream(connection, query))
    return ExportTable("followed", {**_TASK, "version": "int", "guidelines_version": "int"}, rows)


def authors_table(connection: sa.Connection, display_names: Names) -> ExportTable:
    """Return the table of items' authors."""
    query = (
        sa.select(authors.c.item_id, annotators.c.name)
        .join(annotators, authors.c.annotator_id == annotators.c.id)
        .order_by(authors.c.item_id, annotators.c.id)
    )
    rows = ((item, display_names[name]) for item, name in stream(connection, query))
    return ExportTable("authors", {"item_id": "text", "annotator": "text"}, rows)


def log_table(connection: sa.Connection) -> ExportTable:
    """Return the whole audit log, which names people, with its hashes so that others can check the chain."""
    log = audit_log.c
    query = sa.select(log.id, log.at, log.actor, log.act, log.about, log.previous, log.hash).order_by(log.id)
    columns: Columns = {
        "id": "int",
        "at": "moment",
        "actor": "text",
        "act": "text",
        "about": "text",
        "previous": "text",
        "hash": "text",
    }
    return ExportTable("audit_log", columns, stream(connection, query))
