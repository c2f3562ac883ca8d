"""Identities at identity providers; versions of guidelines, and the version that each decision followed."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identities",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account_id", sa.Integer, nullable=False),
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("linked_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_identities"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_identities_account_id"),
        sa.UniqueConstraint("issuer", "subject", name="uq_identities_issuer_subject"),
    )
    op.create_index("ix_identities_account_id", "identities", ["account_id"])
    _add_guidelines()


def _add_guidelines() -> None:
    op.create_table(
        "guidelines",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_guidelines"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_guidelines_campaign_id"),
        sa.UniqueConstraint("campaign_id", "version", name="uq_guidelines_campaign_id_version"),
        sa.CheckConstraint("origin IN ('recipe', 'curator')", name="ck_guidelines_origin"),
    )
    op.create_table(
        "guideline_pictures",
        sa.Column("guidelines_id", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("guidelines_id", "place", name="pk_guideline_pictures"),
        sa.ForeignKeyConstraint(["guidelines_id"], ["guidelines.id"], name="fk_guideline_pictures_guidelines_id"),
    )
    op.create_table(
        "followed",
        sa.Column("slot_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("guidelines_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("slot_id", "version", name="pk_followed"),
        sa.ForeignKeyConstraint(["slot_id"], ["slots.id"], name="fk_followed_slot_id"),
        sa.ForeignKeyConstraint(["guidelines_id"], ["guidelines.id"], name="fk_followed_guidelines_id"),
    )
    op.create_index("ix_followed_guidelines_id", "followed", ["guidelines_id"])
    _take_guidelines_from_forms()


def _take_guidelines_from_forms() -> None:
    connection = op.get_bind()
    for campaign, form in connection.execute(sa.text("SELECT id, form FROM campaigns ORDER BY id")).all():
        told = json.loads(form).get("guidelines")
        if isinstance(told, str) and told.strip():
            connection.execute(
                sa.text(
                    "INSERT INTO guidelines (campaign_id, version, origin, text) VALUES (:campaign, 1, 'recipe', :told)"
                ),
                {"campaign": campaign, "told": told},
            )
