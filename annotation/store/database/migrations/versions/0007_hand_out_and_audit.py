"""Gold items, priorities, tasks that annotators saw and lost, comments, time without pauses, and the audit log."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

from benchwright.canonical import digest

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("priority", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tasks", sa.Column("gold", sa.Text))
    order = ["campaign_id", "state", "priority", "shuffle"]
    op.create_index("ix_tasks_campaign_id_state_priority_shuffle", "tasks", order)
    op.create_index("ix_tasks_campaign_id_gold", "tasks", ["campaign_id", "gold"])
    op.create_index("ix_tasks_item_id", "tasks", ["item_id"])
    op.drop_index("ix_slots_annotator_id", "slots")
    op.create_index("ix_slots_annotator_id_submitted_at", "slots", ["annotator_id", "submitted_at"])
    op.add_column("annotations", sa.Column("active_s", sa.Float))
    _make_seen()
    _make_remarks()
    _make_log()


def _make_seen() -> None:
    op.create_table(
        "seen",
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("task_id", "annotator_id", name="pk_seen"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_seen_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_seen_annotator_id"),
    )


def _make_remarks() -> None:
    op.create_table(
        "remarks",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("is_flag", sa.Boolean, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("settled_at", sa.DateTime),
        sa.Column("settled_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_remarks"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_remarks_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_remarks_annotator_id"),
        sa.CheckConstraint("(settled_at IS NULL) = (settled_by IS NULL)", name="ck_remarks_settled"),
    )
    op.create_index("ix_remarks_task_id_annotator_id", "remarks", ["task_id", "annotator_id"])


def _make_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("act", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_log"),
    )
    _begin_log()
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_log_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the audit log is only ever added to'; END $$"
        )
        op.execute(
            "CREATE TRIGGER audit_log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log "
            "FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_added()"
        )
    else:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{verb.lower()} BEFORE {verb} ON audit_log "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END"
            )


def _begin_log() -> None:
    """Write a first row that names the last decision made before the log existed; no row if there are no decisions."""
    said = sa.table("annotations", sa.column("id", sa.Integer), sa.column("submitted_at", sa.DateTime))
    found = op.get_bind().execute(sa.select(sa.func.max(said.c.id), sa.func.max(said.c.submitted_at))).one()
    if found[0] is None:
        return
    at: datetime = found[1]
    row: dict[str, Any] = {
        "id": 1, "at": at, "actor": "benchwright", "act": "log_begun",
        "about": json.dumps({"annotations": found[0]}, separators=(",", ":")), "previous": "0" * 64,
    }  # fmt: skip
    log = sa.table(
        "audit_log", sa.column("at", sa.DateTime), *(sa.column(name) for name in (*row, "hash") if name != "at")
    )
    op.get_bind().execute(sa.insert(log).values(row | {"hash": digest(list((row | {"at": at.isoformat()}).values()))}))
