"""Curators' overrides of steps' verdicts: reversed drops and asks, drops by hand, and withdrawals of these."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "overrides",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("record_id", sa.Text, nullable=False),
        sa.Column("root_image_id", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("against", sa.Text),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("decided_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_overrides"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_overrides_annotator_id"),
        sa.CheckConstraint("action IN ('keep', 'drop', 'undo')", name="ck_overrides_action"),
        sa.CheckConstraint("(action = 'keep') = (reason IS NOT NULL)", name="ck_overrides_reason"),
    )
    op.create_index("ix_overrides_stage_record_id", "overrides", ["stage", "record_id"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION overrides_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'overrides are only ever added'; END $$"
        )
        op.execute(
            "CREATE TRIGGER overrides_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON overrides "
            "FOR EACH STATEMENT EXECUTE FUNCTION overrides_only_added()"
        )
    else:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER overrides_no_{verb.lower()} BEFORE {verb} ON overrides "
                "BEGIN SELECT RAISE(ABORT, 'overrides are only ever added'); END"
            )
