"""Practice before real work, curators' exemptions from it, reasons for gold, and examples in guidelines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("gold_why", sa.Text))
    op.create_table(
        "practice_items",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "place", name="pk_practice_items"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_practice_items_campaign_id"),
    )
    op.create_table(
        "practice_attempts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("items", sa.Text, nullable=False),
        sa.Column("correct", sa.Integer, nullable=False),
        sa.Column("begun_at", sa.DateTime, nullable=False),
        sa.Column("ended_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_practice_attempts"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_practice_attempts_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_practice_attempts_annotator_id"),
        sa.UniqueConstraint(
            "campaign_id", "annotator_id", "number", name="uq_practice_attempts_campaign_id_annotator_id_number"
        ),
    )
    op.create_table(
        "practice_answers",
        sa.Column("attempt_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text),
        sa.Column("decision", sa.Text),
        sa.Column("is_right", sa.Boolean),
        sa.Column("answered_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("attempt_id", "place", name="pk_practice_answers"),
        sa.ForeignKeyConstraint(["attempt_id"], ["practice_attempts.id"], name="fk_practice_answers_attempt_id"),
    )
    op.create_table(
        "practised",
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("annotator_id", "item_id", name="pk_practised"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_practised_annotator_id"),
    )
    op.create_table(
        "waivers",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("waived_by", sa.Text, nullable=False),
        sa.Column("waived_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "annotator_id", name="pk_waivers"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_waivers_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_waivers_annotator_id"),
    )
    op.create_table(
        "guideline_examples",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("is_accepted", sa.Boolean, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("withdrawn_at", sa.DateTime),
        sa.Column("withdrawn_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_guideline_examples"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_guideline_examples_task_id"),
        sa.CheckConstraint("(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name="ck_guideline_examples_withdrawn"),
    )
    op.create_index("ix_guideline_examples_task_id", "guideline_examples", ["task_id"])
