"""Messages to annotators, discussions of items after a campaign, and curators' saved views of the item list."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("recipient_id", sa.Integer),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("sent_at", sa.DateTime, nullable=False),
        sa.Column("sent_by", sa.Text, nullable=False),
        sa.Column("withdrawn_at", sa.DateTime),
        sa.Column("withdrawn_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_messages_campaign_id"),
        sa.ForeignKeyConstraint(["recipient_id"], ["annotators.id"], name="fk_messages_recipient_id"),
        sa.CheckConstraint("(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name="ck_messages_withdrawn"),
    )
    op.create_index("ix_messages_campaign_id", "messages", ["campaign_id"])
    op.create_table(
        "message_receipts",
        sa.Column("message_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("read_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("message_id", "annotator_id", name="pk_message_receipts"),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"], name="fk_message_receipts_message_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_message_receipts_annotator_id"),
    )
    op.create_table(
        "item_posts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("item_id", sa.Text, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("posted_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_item_posts"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_item_posts_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_item_posts_annotator_id"),
    )
    op.create_index("ix_item_posts_campaign_id_item_id", "item_posts", ["campaign_id", "item_id"])
    op.create_table(
        "saved_views",
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("saved_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("annotator_id", "name", name="pk_saved_views"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_saved_views_annotator_id"),
    )
