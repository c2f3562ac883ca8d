"""Who somebody is at an identity provider."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0004"
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
