"""Tables for conversations other than decisions, and for lists that curators keep.

`messages` go from curators to the annotators of a campaign, and `message_receipts` records who read them. `item_posts`
holds the discussions of items in closed campaigns. `saved_views` holds queries that a curator named.
"""

from __future__ import annotations

import sqlalchemy as sa

from .schema import MEANING, UtcDateTime, metadata

messages = sa.Table(
    "messages",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "campaign_id",
        sa.ForeignKey("campaigns.id"),
        nullable=False,
        index=True,
        doc="Campaign whose annotators read it.",
    ),
    sa.Column("recipient_id", sa.ForeignKey("annotators.id"), doc="Only reader; null: all annotators of the campaign."),
    sa.Column("words", sa.Text, nullable=False, doc="Text of the message."),
    sa.Column("sent_at", UtcDateTime, nullable=False, doc="When it was sent."),
    sa.Column("sent_by", sa.Text, nullable=False, doc="Curator who sent it."),
    sa.Column("withdrawn_at", UtcDateTime, doc="When a curator withdrew it; null while it is shown."),
    sa.Column("withdrawn_by", sa.Text, doc="Curator who withdrew it."),
    sa.CheckConstraint("(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name="withdrawn"),
    info={MEANING: "One message from a curator to annotators."},
)

message_receipts = sa.Table(
    "message_receipts",
    metadata,
    sa.Column("message_id", sa.ForeignKey("messages.id"), primary_key=True, doc="Message."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator who read it."),
    sa.Column("read_at", UtcDateTime, nullable=False, doc="When the annotator confirmed it."),
    info={MEANING: "That an annotator read a message."},
)

item_posts = sa.Table(
    "item_posts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign that asked about the item."),
    sa.Column("item_id", sa.Text, nullable=False, doc="Item that is discussed."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Author of the post."),
    sa.Column("words", sa.Text, nullable=False, doc="Text of the post."),
    sa.Column("posted_at", UtcDateTime, nullable=False, doc="When it was posted."),
    sa.Index(None, "campaign_id", "item_id"),
    info={MEANING: "One post of the discussion of an item, which begins when the campaign is closed."},
)

saved_views = sa.Table(
    "saved_views",
    metadata,
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Curator who keeps it."),
    sa.Column("name", sa.Text, primary_key=True, doc="Name, unique for each curator."),
    sa.Column("query", sa.Text, nullable=False, doc="Parameters of the list's address, as a JSON object."),
    sa.Column("saved_at", UtcDateTime, nullable=False, doc="When it was saved."),
    info={MEANING: "One query of the list of items that a curator gave a name."},
)
