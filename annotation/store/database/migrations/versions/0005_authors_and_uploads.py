"""Authors of items, so that annotators never judge items that they wrote; photographs that annotators uploaded."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "authors",
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("item_id", "annotator_id", name="pk_authors"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_authors_annotator_id"),
    )
    op.create_index("ix_authors_annotator_id", "authors", ["annotator_id"])
    op.create_table(
        "uploads",
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("image_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("task_id", "annotator_id", "image_id", name="pk_uploads"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_uploads_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_uploads_annotator_id"),
    )
