"""Accounts and sessions of the review app, drafts of decisions, and tasks that annotators skipped."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text),
        sa.Column("invite_hash", sa.Text),
        sa.Column("invite_until", sa.DateTime),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_accounts_annotator_id"),
        sa.UniqueConstraint("annotator_id", name="uq_accounts_annotator_id"),
        sa.UniqueConstraint("invite_hash", name="uq_accounts_invite_hash"),
        sa.CheckConstraint("role IN ('annotator', 'curator')", name="ck_accounts_role"),
        sa.CheckConstraint("(invite_hash IS NULL) = (invite_until IS NULL)", name="ck_accounts_invite"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("ends_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_sessions_account_id"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_account_id", "sessions", ["account_id"])
    op.create_table(
        "drafts",
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("saved_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("task_id", "annotator_id", name="pk_drafts"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_drafts_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_drafts_annotator_id"),
    )
    op.create_table(
        "skips",
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("skipped_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("task_id", "annotator_id", name="pk_skips"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_skips_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_skips_annotator_id"),
    )
