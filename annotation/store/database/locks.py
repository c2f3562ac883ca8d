"""Locks of a review store on PostgreSQL; for a file, which has one writer at a time, each function does nothing.

A transaction that needs several locks takes them in this order, which prevents deadlocks:

1. The store (`hold_store`). Actions on one task, person or account share it. A recipe's run, an import, and any other
   action that changes a campaign or many of its tasks holds it exclusively, and thus needs no other lock.
2. The campaign's row, for counts over all its annotators, such as shares, or numbering within it.
3. The annotator's row: an annotator takes, decides, drafts and adjudicates one task at a time, even in several windows.
   Accounts have the same rank: an act that changes an account needs no tasks.
4. The task's row: its state, its slots, and the decisions and adjudications on it change only while it is locked.
   `SELECT ... FOR NO KEY UPDATE SKIP LOCKED` finds a task; only if no other task is left does the search wait for a
   locked one. A transaction that holds several tasks at once (`return_expired`) takes only unlocked tasks.
5. The audit log (`hold_log`), in which each row hashes the previous one: last, just before the commit.

Rows are locked `FOR NO KEY UPDATE`, which still lets others insert rows that refer to them. The tables
enforce their unique keys regardless of the code; the locks only keep transactions from violating them.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from .schema import annotators, campaigns, slots, tasks

_CAMPAIGN = sa.select(campaigns.c.id).where(campaigns.c.id == sa.bindparam("campaign")).with_for_update(key_share=True)
_ANNOTATOR = sa.select(annotators.c.id).where(annotators.c.name == sa.bindparam("name")).with_for_update(key_share=True)
_TASK = sa.select(tasks.c.id).where(tasks.c.id == sa.bindparam("task")).with_for_update(key_share=True)
_TASK_OF_SLOT = (
    sa.select(tasks.c.id)
    .where(tasks.c.id == sa.select(slots.c.task_id).where(slots.c.id == sa.bindparam("held")).scalar_subquery())
    .with_for_update(key_share=True)
)


def has_row_locks(connection: sa.Connection) -> bool:
    """Return whether the database locks rows; if it does not, it has one writer at a time."""
    return connection.dialect.name == "postgresql"


def hold_store(connection: sa.Connection, *, alone: bool) -> None:
    """Share the store with other writers; or wait until they are done, and keep them out until the commit.

    Readers never wait. Waiting writers get the store in the order of their requests.
    """
    if has_row_locks(connection):
        connection.exec_driver_sql(f"LOCK TABLE campaigns IN {'EXCLUSIVE' if alone else 'ROW SHARE'} MODE")


def hold_campaign(connection: sa.Connection, campaign_id: int) -> None:
    """Lock a campaign's row."""
    _lock(connection, _CAMPAIGN, campaign=campaign_id)


def hold_annotator(connection: sa.Connection, name: str) -> None:
    """Lock an annotator's row, if an annotator with that name exists."""
    _lock(connection, _ANNOTATOR, name=name)


def hold_task(connection: sa.Connection, task_id: int) -> None:
    """Lock a task's row, if the task exists."""
    _lock(connection, _TASK, task=task_id)


def hold_task_of_slot(connection: sa.Connection, slot_id: int) -> None:
    """Lock the row of a slot's task, if the slot exists."""
    _lock(connection, _TASK_OF_SLOT, held=slot_id)


def hold_uploads(connection: sa.Connection) -> None:
    """Wait until no transaction is uploading or submitting a photograph, and keep others out until the commit."""
    if has_row_locks(connection):
        connection.exec_driver_sql("LOCK TABLE uploads IN EXCLUSIVE MODE")


def hold_log(connection: sa.Connection) -> None:
    """Wait until no other transaction is adding to the audit log, and keep others out until the commit."""
    if has_row_locks(connection):
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock('audit_log'::regclass::oid::bigint)")


def hold_tables(connection: sa.Connection) -> None:
    """Wait until no other transaction is creating or changing this schema's tables, which need not exist yet."""
    if has_row_locks(connection):
        connection.exec_driver_sql(
            "SELECT pg_advisory_xact_lock(hashtext('benchwright ' || current_setting('search_path')))"
        )


def _lock(connection: sa.Connection, query: sa.Select[Any], **parameters: object) -> None:
    if has_row_locks(connection):
        connection.execute(query, parameters)
