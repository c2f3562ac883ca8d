"""Items sent back to their writers, with the reasons."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

TABLE = "revision_requests"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("revision_id", sa.Integer, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("annotator_id", sa.Integer),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("sent_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_revision_requests"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_revision_requests_task_id"),
        sa.ForeignKeyConstraint(["revision_id"], ["tasks.id"], name="fk_revision_requests_revision_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_revision_requests_annotator_id"),
    )
    op.create_index("ix_revision_requests_task_id", TABLE, ["task_id"])
    op.create_index("ix_revision_requests_revision_id", TABLE, ["revision_id"])
    op.create_index("ix_revision_requests_item_id_content_hash", TABLE, ["item_id", "content_hash"])
    _only_added()


def _only_added() -> None:
    """Make the database refuse to change or remove rows in the table."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {TABLE}_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{TABLE} are only ever added'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {TABLE}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {TABLE} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {TABLE}_only_added()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {TABLE}_no_{verb.lower()} BEFORE {verb} ON {TABLE} "
            f"BEGIN SELECT RAISE(ABORT, '{TABLE} are only ever added'); END"
        )
