"""Locks of a review store on PostgreSQL. A file has one writer at a time, so every function here does nothing there.

Whoever needs several locks takes them in this order, and so nobody waits for somebody who waits for them:

1. The store (`hold_store`). Acts on one task, person or account share it. A recipe's run, an import, and whatever else
   changes a campaign or many of its tasks has it alone, and thus needs no other lock.
2. The campaign's row, where something is counted over all its annotators, such as shares, or numbered within it.
3. The annotator's row: one person takes, decides, drafts and adjudicates one thing at a time, also in several windows.
   Accounts come at the same place: whoever changes an account needs nobody's tasks.
4. The task's row: its state, its slots, and the decisions and adjudications on it change only while it is held. A task
   is found by `SELECT ... FOR NO KEY UPDATE SKIP LOCKED`; only where nothing else is left is one waited for. Whoever
   holds several tasks at once (`return_expired`) takes only tasks that nobody has locked.
5. The audit log (`hold_log`), in which each row hashes the one before: last, just before the commit.

Rows are locked `FOR NO KEY UPDATE`, which rows that refer to them may still be inserted beside. The unique keys of the
tables hold whatever the code does; the locks only make sure that nobody runs into them.
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
    """Return whether the database locks rows; else it has one writer at a time."""
    return connection.dialect.name == "postgresql"


def hold_store(connection: sa.Connection, *, alone: bool) -> None:
    """Share the store with others that write, or wait until nobody else does and keep them out until the commit.

    Readers never wait. Those who wait get the store in the order in which they asked for it.
    """
    if has_row_locks(connection):
        connection.exec_driver_sql(f"LOCK TABLE campaigns IN {'EXCLUSIVE' if alone else 'ROW SHARE'} MODE")


def hold_campaign(connection: sa.Connection, campaign_id: int) -> None:
    """Lock a campaign's row."""
    _lock(connection, _CAMPAIGN, campaign=campaign_id)


def hold_annotator(connection: sa.Connection, name: str) -> None:
    """Lock an annotator's row, if anybody has this name."""
    _lock(connection, _ANNOTATOR, name=name)


def hold_task(connection: sa.Connection, task_id: int) -> None:
    """Lock a task's row, if there is such a task."""
    _lock(connection, _TASK, task=task_id)


def hold_task_of_slot(connection: sa.Connection, slot_id: int) -> None:
    """Lock the row of the task that a slot belongs to, if there is such a slot."""
    _lock(connection, _TASK_OF_SLOT, held=slot_id)


def hold_uploads(connection: sa.Connection) -> None:
    """Wait until nobody uploads or submits a photograph, and keep them out until the commit."""
    if has_row_locks(connection):
        connection.exec_driver_sql("LOCK TABLE uploads IN EXCLUSIVE MODE")


def hold_log(connection: sa.Connection) -> None:
    """Wait until nobody else adds to the audit log, and keep them out until the commit."""
    if has_row_locks(connection):
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock('audit_log'::regclass::oid::bigint)")


def hold_tables(connection: sa.Connection) -> None:
    """Wait until nobody else makes or changes the tables of this schema, which need not exist yet."""
    if has_row_locks(connection):
        connection.exec_driver_sql(
            "SELECT pg_advisory_xact_lock(hashtext('benchwright ' || current_setting('search_path')))"
        )


def _lock(connection: sa.Connection, query: sa.Select[Any], **parameters: object) -> None:
    if has_row_locks(connection):
        connection.execute(query, parameters)
