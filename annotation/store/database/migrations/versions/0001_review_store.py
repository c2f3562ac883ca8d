"""The review store's first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("rule", sa.Text, nullable=False),
        sa.Column("slots", sa.Integer, nullable=False),
        sa.Column("form", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("is_simulated", sa.Boolean, nullable=False),
        sa.Column("is_archived", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_campaigns"),
        sa.UniqueConstraint("name", name="uq_campaigns_name"),
    )
    op.create_table(
        "annotators",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotators"),
        sa.UniqueConstraint("name", name="uq_annotators_name"),
        sa.CheckConstraint("kind IN ('person', 'simulated')", name="ck_annotators_kind"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("shuffle", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_tasks_campaign_id"),
        sa.UniqueConstraint("campaign_id", "item_id", "content_hash", name="uq_tasks_campaign_id_item_id_content_hash"),
        sa.CheckConstraint("state IN ('open', 'done', 'retired')", name="ck_tasks_state"),
    )
    op.create_index("ix_tasks_campaign_id_state", "tasks", ["campaign_id", "state"])
    op.create_table(
        "slots",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer),
        sa.Column("claimed_at", sa.DateTime),
        sa.Column("lease_until", sa.DateTime),
        sa.Column("submitted_at", sa.DateTime),
        sa.PrimaryKeyConstraint("id", name="pk_slots"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_slots_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_slots_annotator_id"),
        sa.UniqueConstraint("task_id", "slot", name="uq_slots_task_id_slot"),
        sa.UniqueConstraint("task_id", "annotator_id", name="uq_slots_task_id_annotator_id"),
        sa.CheckConstraint(
            "(annotator_id IS NULL AND lease_until IS NULL AND submitted_at IS NULL)"
            " OR (annotator_id IS NOT NULL AND (lease_until IS NULL) <> (submitted_at IS NULL))",
            name="ck_slots_free_leased_or_submitted",
        ),
    )
    op.create_index("ix_slots_annotator_id", "slots", ["annotator_id"])
    op.create_index("ix_slots_lease_until", "slots", ["lease_until"])
    op.create_table(
        "annotations",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("slot_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("edits", sa.Text),
        sa.Column("started_at", sa.DateTime, nullable=False),
        sa.Column("submitted_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
        sa.ForeignKeyConstraint(["slot_id"], ["slots.id"], name="fk_annotations_slot_id"),
        sa.UniqueConstraint("slot_id", "version", name="uq_annotations_slot_id_version"),
    )
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION annotations_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'annotations are only ever added'; END $$"
        )
        op.execute(
            "CREATE TRIGGER annotations_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON annotations "
            "FOR EACH STATEMENT EXECUTE FUNCTION annotations_only_added()"
        )
    else:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER annotations_no_{verb.lower()} BEFORE {verb} ON annotations "
                "BEGIN SELECT RAISE(ABORT, 'annotations are only ever added'); END"
            )
