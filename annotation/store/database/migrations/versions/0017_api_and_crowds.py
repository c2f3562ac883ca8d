"""The HTTP API's tokens, webhooks, entries for crowd workers, and closed campaigns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("closed_at", sa.DateTime))
    op.add_column("campaigns", sa.Column("closed_by", sa.Text))
    _make_api()
    _make_webhooks()
    _make_entries()


def _make_api() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.Text, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("ends_at", sa.DateTime, nullable=False),
        sa.Column("used_at", sa.DateTime),
        sa.Column("revoked_at", sa.DateTime),
        sa.Column("revoked_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_api_tokens_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_api_tokens_annotator_id"),
        sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by IS NULL)", name="ck_api_tokens_revoked"),
        sa.CheckConstraint("scope IN ('annotator', 'curator')", name="ck_api_tokens_scope"),
    )
    op.create_index("ix_api_tokens_annotator_id", "api_tokens", ["annotator_id"])
    op.create_index("ix_api_tokens_campaign_id", "api_tokens", ["campaign_id"])
    op.create_table(
        "api_requests",
        sa.Column("token_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("reply", sa.Text),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("token_id", "key", name="pk_api_requests"),
        sa.ForeignKeyConstraint(["token_id"], ["api_tokens.id"], name="fk_api_requests_token_id"),
    )
    op.create_index("ix_api_requests_made_at", "api_requests", ["made_at"])


def _make_webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("read_up_to", sa.Integer, nullable=False),
        sa.Column("is_finished", sa.Boolean, nullable=False),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("ended_at", sa.DateTime),
        sa.Column("ended_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_webhooks_campaign_id"),
        sa.CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="ck_webhooks_ended"),
    )
    op.create_index("ix_webhooks_campaign_id", "webhooks", ["campaign_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("webhook_id", sa.Integer, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("happened_at", sa.DateTime, nullable=False),
        sa.Column("task_id", sa.Integer),
        sa.Column("slot_id", sa.Integer),
        sa.Column("version", sa.Integer),
        sa.Column("annotator_id", sa.Integer),
        sa.Column("outcome", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", sa.DateTime),
        sa.Column("status", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Column("delivered_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"], name="fk_webhook_deliveries_webhook_id"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_webhook_deliveries_task_id"),
        sa.ForeignKeyConstraint(["slot_id"], ["slots.id"], name="fk_webhook_deliveries_slot_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_webhook_deliveries_annotator_id"),
    )
    op.create_index("ix_webhook_deliveries_next_at", "webhook_deliveries", ["next_at"])
    op.create_index(
        "ix_webhook_deliveries_webhook_id_event_task_id", "webhook_deliveries", ["webhook_id", "event", "task_id"]
    )


def _make_entries() -> None:
    op.create_table(
        "crowd_entries",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("tasks", sa.Integer),
        sa.Column("completed_code", sa.Text, nullable=False),
        sa.Column("screened_out_code", sa.Text),
        sa.Column("paused_code", sa.Text),
        sa.Column("made_at", sa.DateTime, nullable=False),
        sa.Column("made_by", sa.Text, nullable=False),
        sa.Column("closed_at", sa.DateTime),
        sa.Column("closed_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_entries"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_crowd_entries_campaign_id"),
        sa.UniqueConstraint("key", name="uq_crowd_entries_key"),
        sa.CheckConstraint("(closed_at IS NULL) = (closed_by IS NULL)", name="ck_crowd_entries_closed"),
        sa.CheckConstraint("service IN ('prolific', 'mturk')", name="ck_crowd_entries_service"),
    )
    op.create_index("ix_crowd_entries_campaign_id", "crowd_entries", ["campaign_id"])
    op.create_table(
        "crowd_workers",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("service", sa.Text, nullable=False),
        sa.Column("worker", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_workers"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_crowd_workers_annotator_id"),
        sa.UniqueConstraint("annotator_id", name="uq_crowd_workers_annotator_id"),
        sa.UniqueConstraint("service", "worker", name="uq_crowd_workers_service_worker"),
    )
    op.create_table(
        "crowd_visits",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("entry_id", sa.Integer, nullable=False),
        sa.Column("worker_id", sa.Integer, nullable=False),
        sa.Column("study", sa.Text, nullable=False),
        sa.Column("session", sa.Text, nullable=False),
        sa.Column("submit_to", sa.Text),
        sa.Column("decided_before", sa.Integer, nullable=False),
        sa.Column("began_at", sa.DateTime, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("ended_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_visits"),
        sa.ForeignKeyConstraint(["entry_id"], ["crowd_entries.id"], name="fk_crowd_visits_entry_id"),
        sa.ForeignKeyConstraint(["worker_id"], ["crowd_workers.id"], name="fk_crowd_visits_worker_id"),
        sa.UniqueConstraint("entry_id", "worker_id", "session", name="uq_crowd_visits_entry_id_worker_id_session"),
        sa.CheckConstraint("(result IS NULL) = (ended_at IS NULL)", name="ck_crowd_visits_ended"),
        sa.CheckConstraint("result IN ('completed', 'screened_out', 'paused')", name="ck_crowd_visits_result"),
    )
    op.create_index("ix_crowd_visits_worker_id", "crowd_visits", ["worker_id"])
