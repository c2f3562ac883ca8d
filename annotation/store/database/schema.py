"""Tables of the review store.

    campaigns ─┬─▶ tasks ─▶ slots ─▶ annotations
    annotators ┘             (made beforehand, one per annotator that the rule asks for)

A task is one content of one item; an item that changes gets a new task, and its old task is retired. A slot is free,
leased (annotator and `lease_until`) or submitted (annotator and `submitted_at`). Two unique keys hold whatever the
code does: a slot exists once, and nobody has two slots of one task. Rows of `annotations` are only ever added.

Counts read narrow columns with indexes of their own, and never payloads or notes: `item_kind`, `item_task` and
`category` of `tasks`, copied from the payload, and `slots.decision`, the decision of the newest version, which a
trigger keeps up to date.

Everybody may decide in a campaign, except where it `is_for_assigned`: then only those in `assignments` may.

`uploads` holds the photographs that annotators brought for a task; `authors`, who wrote which item, because authors
are not asked about their own items; `overrides`, what curators decided against verdicts of steps. Rows of `overrides`
too are only ever added.

`revisions` links the task of an item's next version to the task that it was made from, `blind_answers` holds what
annotators answered before they were shown the key, and `adjudications` holds what adjudicators opened and decided.
Rows of all three are only ever added.

A task with a right decision in `gold` is no part of the campaign's own work: it is retired, so that nothing counts it,
and is still handed out among the others. `seen` records who held a task and lost it, `remarks` what people say about
tasks beside deciding them, and `audit_log` what was done, each row chained to the one before.

The migrations make these tables; a test checks that both agree.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """A moment, stored as UTC without an offset so that the database compares moments correctly."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Convert a moment to UTC; refuse one without a time zone."""
        del dialect
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone; give an aware datetime")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return an aware datetime."""
        del dialect
        return None if value is None else value.replace(tzinfo=UTC)


SHUFFLE_PRIME = 2**31 - 1
"""Prime above the place of every task; a search for a task starts at some place and goes upward from there."""
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

campaigns = sa.Table(
    "campaigns",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("rule", sa.Text, nullable=False),
    sa.Column("slots", sa.Integer, nullable=False),
    sa.Column("form", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("seed", sa.Text, nullable=False),
    sa.Column("is_simulated", sa.Boolean, nullable=False),
    sa.Column("is_archived", sa.Boolean, nullable=False),
    sa.Column("is_for_assigned", sa.Boolean, nullable=False, server_default=sa.false()),
)

annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.CheckConstraint("kind IN ('person', 'simulated')", name="kind"),
)

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False),
    sa.Column("item_id", sa.Text, nullable=False),
    sa.Column("content_hash", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("shuffle", sa.BigInteger, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("item_kind", sa.Text),
    sa.Column("item_task", sa.Text),
    sa.Column("category", sa.Text),
    sa.Column("priority", sa.Integer, nullable=False, server_default="0"),
    sa.Column("gold", sa.Text),
    sa.UniqueConstraint("campaign_id", "item_id", "content_hash"),
    sa.CheckConstraint("state IN ('open', 'done', 'retired')", name="state"),
    sa.Index(None, "campaign_id", "state"),
    sa.Index(None, "campaign_id", "item_kind", "item_task", "category", "state"),
    sa.Index(None, "campaign_id", "state", "priority", "shuffle"),
    sa.Index(None, "campaign_id", "gold"),
    sa.Index(None, "item_id"),
)

slots = sa.Table(
    "slots",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False),
    sa.Column("slot", sa.Integer, nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id")),
    sa.Column("claimed_at", UtcDateTime),
    sa.Column("lease_until", UtcDateTime),
    sa.Column("submitted_at", UtcDateTime),
    sa.Column("decision", sa.Text),
    sa.UniqueConstraint("task_id", "slot"),
    sa.UniqueConstraint("task_id", "annotator_id"),
    sa.CheckConstraint(
        "(annotator_id IS NULL AND lease_until IS NULL AND submitted_at IS NULL)"
        " OR (annotator_id IS NOT NULL AND (lease_until IS NULL) <> (submitted_at IS NULL))",
        name="free_leased_or_submitted",
    ),
    sa.Index(None, "annotator_id", "submitted_at"),
    sa.Index(None, "lease_until"),
    sa.Index(None, "task_id", "annotator_id", "decision"),
)

# Named unlike the other tables, because modules here import `annotations` from `__future__`.
annotations_table = sa.Table(
    "annotations",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("slot_id", sa.ForeignKey("slots.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("decision", sa.Text, nullable=False),
    sa.Column("reasons", sa.Text, nullable=False),
    sa.Column("note", sa.Text),
    sa.Column("edits", sa.Text),
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("submitted_at", UtcDateTime, nullable=False),
    sa.Column("fields", sa.Text),
    sa.Column("active_s", sa.Float),
    sa.UniqueConstraint("slot_id", "version"),
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, unique=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("password_hash", sa.Text),
    sa.Column("invite_hash", sa.Text, unique=True),
    sa.Column("invite_until", UtcDateTime),
    sa.Column("is_disabled", sa.Boolean, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("role IN ('annotator', 'adjudicator', 'curator')", name="role"),
    sa.CheckConstraint("(invite_hash IS NULL) = (invite_until IS NULL)", name="invite"),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.ForeignKey("accounts.id"), nullable=False, index=True),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("ends_at", UtcDateTime, nullable=False),
)

identities = sa.Table(
    "identities",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account_id", sa.ForeignKey("accounts.id"), nullable=False, index=True),
    sa.Column("issuer", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("linked_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("issuer", "subject"),
)

guidelines = sa.Table(
    "guidelines",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.UniqueConstraint("campaign_id", "version"),
    sa.CheckConstraint("origin IN ('recipe', 'curator')", name="origin"),
)

guideline_pictures = sa.Table(
    "guideline_pictures",
    metadata,
    sa.Column("guidelines_id", sa.ForeignKey("guidelines.id"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True),
    sa.Column("media_type", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)

followed = sa.Table(
    "followed",
    metadata,
    sa.Column("slot_id", sa.ForeignKey("slots.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    sa.Column("guidelines_id", sa.ForeignKey("guidelines.id"), nullable=False, index=True),
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("saved_at", UtcDateTime, nullable=False),
)

skips = sa.Table(
    "skips",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
    sa.Column("skipped_at", UtcDateTime, nullable=False),
)

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
    sa.Column("image_id", sa.Text, primary_key=True),
)

authors = sa.Table(
    "authors",
    metadata,
    sa.Column("item_id", sa.Text, primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, index=True),
)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
)

seen = sa.Table(
    "seen",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True),
)

remarks = sa.Table(
    "remarks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("is_flag", sa.Boolean, nullable=False),
    sa.Column("words", sa.Text, nullable=False),
    sa.Column("made_at", UtcDateTime, nullable=False),
    sa.Column("settled_at", UtcDateTime),
    sa.Column("settled_by", sa.Text),
    sa.CheckConstraint("(settled_at IS NULL) = (settled_by IS NULL)", name="settled"),
    sa.Index(None, "task_id", "annotator_id"),
)

audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", UtcDateTime, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("act", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("previous", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
)

overrides = sa.Table(
    "overrides",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("record_id", sa.Text, nullable=False),
    sa.Column("root_image_id", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("reason", sa.Text),
    sa.Column("against", sa.Text),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("decided_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("action IN ('keep', 'drop', 'undo')", name="action"),
    sa.CheckConstraint("(action = 'keep') = (reason IS NOT NULL)", name="reason"),
    sa.Index(None, "stage", "record_id"),
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, unique=True),
    sa.Column("revised_from", sa.ForeignKey("tasks.id"), nullable=False, unique=True),
    sa.Column("round", sa.Integer, nullable=False),
    sa.Column("edits", sa.Text, nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("revised_at", UtcDateTime, nullable=False),
)

blind_answers = sa.Table(
    "blind_answers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("answered_at", UtcDateTime, nullable=False),
    sa.UniqueConstraint("task_id", "annotator_id"),
)

adjudications = sa.Table(
    "adjudications",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("decision", sa.Text, nullable=False),
    sa.Column("reasons", sa.Text, nullable=False),
    sa.Column("note", sa.Text),
    sa.Column("edits", sa.Text),
    sa.Column("decided_at", UtcDateTime, nullable=False),
    sa.CheckConstraint("decision IN ('opened', 'accept', 'reject', 'revise', 'send_back')", name="decision"),
    sa.Index(None, "task_id"),
    sa.Index(None, "annotator_id"),
)
