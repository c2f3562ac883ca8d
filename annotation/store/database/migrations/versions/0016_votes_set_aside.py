"""Votes that a curator sets aside; their slots have negative numbers, and no decision."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_LATEST = "NOT EXISTS (SELECT 1 FROM annotations WHERE slot_id = NEW.slot_id AND version > NEW.version)"


def upgrade() -> None:
    op.create_table(
        "set_asides",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("set_at", sa.DateTime, nullable=False),
        sa.Column("set_by", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("taken_back_at", sa.DateTime),
        sa.Column("taken_back_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_set_asides"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_set_asides_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_set_asides_annotator_id"),
        sa.CheckConstraint("(taken_back_at IS NULL) = (taken_back_by IS NULL)", name="ck_set_asides_taken_back"),
    )
    op.create_index("ix_set_asides_campaign_id_annotator_id", "set_asides", ["campaign_id", "annotator_id"])
    op.create_table(
        "votes_set_aside",
        sa.Column("slot_id", sa.Integer, nullable=False),
        sa.Column("set_aside_id", sa.Integer, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("slot_id", name="pk_votes_set_aside"),
        sa.ForeignKeyConstraint(["slot_id"], ["slots.id"], name="fk_votes_set_aside_slot_id"),
        sa.ForeignKeyConstraint(["set_aside_id"], ["set_asides.id"], name="fk_votes_set_aside_set_aside_id"),
    )
    op.create_index("ix_votes_set_aside_set_aside_id", "votes_set_aside", ["set_aside_id"])
    _keep_decisions_that_count()


def _keep_decisions_that_count() -> None:
    """Keep a later version of a set-aside vote from counting, like the version before."""
    own = "id = NEW.slot_id AND slot > 0"
    update = f"UPDATE slots SET decision = NEW.decision WHERE {own} AND {_LATEST};"  # noqa: S608 # fixed
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE OR REPLACE FUNCTION slots_keep_decision() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {update} "
            "RETURN NULL; END $$"
        )
        return
    op.execute("DROP TRIGGER annotations_newest")
    op.execute(f"CREATE TRIGGER annotations_newest AFTER INSERT ON annotations BEGIN {update} END")
