"""Marks in files from which annotators start, by campaign and item, and the report on reading these files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "starting_files",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("read_as", sa.Text, nullable=False),
        sa.Column("report", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", name="pk_starting_files"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_starting_files_campaign_id"),
    )
    op.create_table(
        "starting_marks",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("regions", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "item_id", "place", name="pk_starting_marks"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_starting_marks_campaign_id"),
    )
