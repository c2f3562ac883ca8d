"""Tables of the review store.

    campaigns ─┬─▶ tasks ─▶ slots ─▶ annotations
    (made in advance, one per annotator that the rule requires)

A task is one content of one item; an item that changes gets a new task, and its old task is retired. A slot is free,
leased (annotator and `lease_until`) or submitted (annotator and `submitted_at`). Two unique keys are enforced
regardless of the code: a slot exists once, and no annotator has two slots of one task. Rows of `annotations` are only
ever added.

Counts read narrow, separately indexed columns, and never payloads or notes: `item_kind`, `item_task` and `category` of
`tasks`, copied from the payload, and `slots.decision`, the decision of the newest version, which a trigger keeps up to
date. Another trigger keeps `tasks.is_begun`; begun tasks are assigned first.

All annotators may decide in a campaign, unless it `is_for_assigned`: then only those in `assignments` may.

`uploads` holds the photographs that annotators brought for a task. `authors` records who wrote which item, because
authors never judge their own items. `overrides` holds curators' decisions against verdicts of steps; its rows are also
only ever added.

`set_asides` and `votes_set_aside` record the votes that a curator excludes from all counts until they are taken back.

`revision_requests` links the task in which an item was written to the one in which its writer revises it.

`practice_attempts` and `practice_answers` hold annotators' practice; no count of decisions reads them.

`revisions` links the task of an item's next version to the task of its origin. `blind_answers` holds the answers that
annotators gave before seeing the key. `adjudications` holds the tasks that adjudicators opened and their decisions.
Rows of all three are only ever added. `closings` holds the tasks that closed because their decision is sure enough, and
`rater_models` the estimates behind them.

The tables of the HTTP API, of webhooks and of crowd workers are in `integration_tables`, those of messages, discussions
and saved views in `conversation_tables`; `all_tables` has them all.

A task with a right decision in `gold` is not part of the campaign's own work: it is retired, so that no count includes
it, yet is assigned among the others. `seen` records who held a task and lost it, `remarks` annotators' comments on
tasks, and `audit_log` all acts, each row chained to the previous one.

The migrations make these tables; a test checks that both agree.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """A point in time, stored as UTC without an offset so that the database compares times correctly."""

    impl = sa.DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Convert a time to UTC; refuse a time without a time zone."""
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
"""Prime number above the position of every task; a search for a task starts at some position and goes upward."""
MEANING = "meaning"
"""Key of a table's `info` whose text explains a row; each column's `doc` explains the column."""
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
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("name", sa.Text, nullable=False, unique=True, doc="Name of the campaign: its step in the recipe."),
    sa.Column("kind", sa.Text, nullable=False, doc="Kind of campaign, such as `verify`."),
    sa.Column("rule", sa.Text, nullable=False, doc="Rule that settles a task, such as `unanimous(2)`."),
    sa.Column("slots", sa.Integer, nullable=False, doc="Number of slots of each task: of annotators who decide it."),
    sa.Column("form", sa.Text, nullable=False, doc="Form that annotators fill in, as JSON."),
    sa.Column("settings", sa.Text, nullable=False, doc="Further settings, including how tasks go out, as JSON."),
    sa.Column("seed", sa.Text, nullable=False, doc="Seed of random choices, such as the order of tasks."),
    sa.Column("is_simulated", sa.Boolean, nullable=False, doc="Whether simulated annotators decide."),
    sa.Column("is_archived", sa.Boolean, nullable=False, doc="Whether the campaign is archived; it takes nothing new."),
    sa.Column(
        "is_for_assigned",
        sa.Boolean,
        nullable=False,
        server_default=sa.false(),
        doc="Whether only annotators in `assignments` may decide.",
    ),
    sa.Column(
        "closed_at", UtcDateTime, doc="When a curator closed it, so that it hands out no tasks; null while it is open."
    ),
    sa.Column("closed_by", sa.Text, doc="Curator who closed it."),
    info={MEANING: "One campaign of a recipe, or one that `review open` opened."},
)

annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("name", sa.Text, nullable=False, unique=True, doc="Name under which decisions are stored."),
    sa.Column("kind", sa.Text, nullable=False, doc="`person` or `simulated`."),
    sa.CheckConstraint("kind IN ('person', 'simulated')", name="kind"),
    info={MEANING: "One person, or one simulated annotator."},
)

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign that the task is part of."),
    sa.Column("item_id", sa.Text, nullable=False, doc="Id of the item, image, pair or prompt."),
    sa.Column("content_hash", sa.Text, nullable=False, doc="Digest of what is shown; another content is another task."),
    sa.Column("round", sa.Integer, nullable=False, doc="Round of the item, from 1."),
    sa.Column("shuffle", sa.BigInteger, nullable=False, doc="Place in the order in which tasks go out."),
    sa.Column("payload", sa.Text, nullable=False, doc="What the task shows, as JSON."),
    sa.Column("state", sa.Text, nullable=False, doc="`open`, `done`, or `retired`: replaced, or gold."),
    sa.Column("item_kind", sa.Text, doc="Kind of question, copied from the payload for counting."),
    sa.Column("item_task", sa.Text, doc="Task of the item, copied from the payload for counting."),
    sa.Column("category", sa.Text, doc="Category of the item, copied from the payload for counting."),
    sa.Column(
        "priority", sa.Integer, nullable=False, server_default="0", doc="Tasks with higher numbers go out first."
    ),
    sa.Column("gold", sa.Text, doc="Right decision of a gold item; null for all others."),
    sa.Column("gold_why", sa.Text, doc="Why it is right, for annotators who see the answer; null if not stated."),
    sa.Column(
        "gold_regions",
        sa.Text,
        doc="Right regions of a gold item, by field, and their tolerance, as JSON; null without any.",
    ),
    sa.Column("gold_of", sa.Text, doc="Item whose accepted content a gold task repeats; null for all other tasks."),
    sa.Column(
        "regions_agree",
        sa.Boolean,
        doc="Whether as many annotators as the rule needs marked the same; null if they were not compared.",
    ),
    sa.Column("regions_compared", sa.Text, doc="Settings and last annotation of the comparison; null without one."),
    sa.Column(
        "is_begun",
        sa.Boolean,
        nullable=False,
        server_default=sa.false(),
        doc="Whether an annotator holds or filled one of its slots, kept up to date by a trigger.",
    ),
    sa.Column(
        "shortest_s",
        sa.Float,
        doc="Shortest believable time of a decision, in seconds; null in tasks of older programs.",
    ),
    sa.UniqueConstraint("campaign_id", "item_id", "content_hash"),
    sa.CheckConstraint("state IN ('open', 'done', 'retired')", name="state"),
    sa.Index(None, "campaign_id", "state"),
    sa.Index(None, "campaign_id", "item_kind", "item_task", "category", "state"),
    sa.Index(None, "campaign_id", "state", "priority", "shuffle"),
    sa.Index(None, "campaign_id", "state", "priority", "is_begun", "shuffle"),
    sa.Index(None, "campaign_id", "gold"),
    sa.Index(None, "item_id"),
    info={MEANING: "One content of one item; an item that changes gets a new task."},
)

slots = sa.Table(
    "slots",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, doc="Task that the slot is part of."),
    sa.Column("slot", sa.Integer, nullable=False, doc="Number within its task, below 0 for a vote that is set aside."),
    sa.Column(
        "annotator_id", sa.ForeignKey("annotators.id"), doc="Annotator who holds or filled it; null while it is free."
    ),
    sa.Column("claimed_at", UtcDateTime, doc="When the annotator got it."),
    sa.Column("lease_until", UtcDateTime, doc="Until when it is held; null once it is submitted."),
    sa.Column("submitted_at", UtcDateTime, doc="When the decision came in; null before."),
    sa.Column(
        "decision",
        sa.Text,
        doc="Decision of the newest version, kept up to date by a trigger; null of a vote that is set aside.",
    ),
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
    info={MEANING: "One place for one annotator's decision on a task."},
)

# Named unlike the other tables, because modules here import `annotations` from `__future__`.
annotations_table = sa.Table(
    "annotations",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("slot_id", sa.ForeignKey("slots.id"), nullable=False, doc="Slot that the decision fills."),
    sa.Column("version", sa.Integer, nullable=False, doc="Version of the decision, from 1; the highest counts."),
    sa.Column("decision", sa.Text, nullable=False, doc="Decision, or key of a choice."),
    sa.Column("reasons", sa.Text, nullable=False, doc="Reason codes, as a JSON list."),
    sa.Column("note", sa.Text, doc="Note for the curator."),
    sa.Column("edits", sa.Text, doc="Proposed edits of the item, as JSON."),
    sa.Column("started_at", UtcDateTime, nullable=False, doc="When the annotator began."),
    sa.Column("submitted_at", UtcDateTime, nullable=False, doc="When the decision came in."),
    sa.Column("fields", sa.Text, doc="Fields of a typed form, as JSON."),
    sa.Column("active_s", sa.Float, doc="Seconds that the annotator spent on the task."),
    sa.UniqueConstraint("slot_id", "version"),
    info={MEANING: "One version of one decision; rows are only ever added."},
)

accounts = sa.Table(
    "accounts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "annotator_id", sa.ForeignKey("annotators.id"), nullable=False, unique=True, doc="Person whose account it is."
    ),
    sa.Column("role", sa.Text, nullable=False, doc="`annotator`, `adjudicator` or `curator`."),
    sa.Column("password_hash", sa.Text, doc="Hash of the password (Argon2); null before one is chosen."),
    sa.Column("invite_hash", sa.Text, unique=True, doc="Hash of the invitation's token; null without an invitation."),
    sa.Column("invite_until", UtcDateTime, doc="Until when the invitation is good."),
    sa.Column("is_disabled", sa.Boolean, nullable=False, doc="Whether the account is locked."),
    sa.Column("created_at", UtcDateTime, nullable=False, doc="When the account was made."),
    sa.Column("language", sa.Text, doc="Tag of the language that the person chose; null before they choose one."),
    sa.CheckConstraint("role IN ('annotator', 'adjudicator', 'curator')", name="role"),
    sa.CheckConstraint("(invite_hash IS NULL) = (invite_until IS NULL)", name="invite"),
    info={MEANING: "One account of the review app."},
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("account_id", sa.ForeignKey("accounts.id"), nullable=False, index=True, doc="Account that is signed in."),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True, doc="Hash of the session's token."),
    sa.Column("created_at", UtcDateTime, nullable=False, doc="When the person signed in."),
    sa.Column("ends_at", UtcDateTime, nullable=False, doc="When the session ends."),
    info={MEANING: "One open session of an account."},
)

identities = sa.Table(
    "identities",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "account_id", sa.ForeignKey("accounts.id"), nullable=False, index=True, doc="Account that signs in by it."
    ),
    sa.Column("issuer", sa.Text, nullable=False, doc="Address of the provider."),
    sa.Column("subject", sa.Text, nullable=False, doc="Identifier of the person there."),
    sa.Column("linked_at", UtcDateTime, nullable=False, doc="When it was linked."),
    sa.UniqueConstraint("issuer", "subject"),
    info={MEANING: "One identity at an OpenID provider, linked to an account."},
)

guidelines = sa.Table(
    "guidelines",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign that they belong to."),
    sa.Column("version", sa.Integer, nullable=False, doc="Version, from 1; annotators see the highest."),
    sa.Column("origin", sa.Text, nullable=False, doc="`recipe` or `curator`."),
    sa.Column("text", sa.Text, nullable=False, doc="Text, in Markdown."),
    sa.UniqueConstraint("campaign_id", "version"),
    sa.CheckConstraint("origin IN ('recipe', 'curator')", name="origin"),
    info={MEANING: "One version of a campaign's guidelines."},
)

guideline_pictures = sa.Table(
    "guideline_pictures",
    metadata,
    sa.Column("guidelines_id", sa.ForeignKey("guidelines.id"), primary_key=True, doc="Version that shows the picture."),
    sa.Column("place", sa.Integer, primary_key=True, doc="Number by which the text names it."),
    sa.Column("media_type", sa.Text, nullable=False, doc="Media type, such as `image/png`."),
    sa.Column("body", sa.Text, nullable=False, doc="Bytes of the picture, in Base64."),
    info={MEANING: "One picture of a version of guidelines."},
)

followed = sa.Table(
    "followed",
    metadata,
    sa.Column("slot_id", sa.ForeignKey("slots.id"), primary_key=True, doc="Slot of the decision."),
    sa.Column("version", sa.Integer, primary_key=True, doc="Version of the decision."),
    sa.Column(
        "guidelines_id", sa.ForeignKey("guidelines.id"), nullable=False, index=True, doc="Version of the guidelines."
    ),
    info={MEANING: "The version of the guidelines that a version of a decision followed."},
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True, doc="Task."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator."),
    sa.Column("body", sa.Text, nullable=False, doc="The draft, as JSON."),
    sa.Column("saved_at", UtcDateTime, nullable=False, doc="When it was saved last."),
    info={MEANING: "An annotator's unsubmitted draft on a task."},
)

skips = sa.Table(
    "skips",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True, doc="Task."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator."),
    sa.Column("skipped_at", UtcDateTime, nullable=False, doc="When it was skipped."),
    info={MEANING: "Tasks that an annotator skipped."},
)

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True, doc="Task of a campaign `collect`."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator."),
    sa.Column("image_id", sa.Text, primary_key=True, doc="Id of the photograph, whose file lies in `collected`."),
    info={MEANING: "Photographs that annotators uploaded for a task."},
)

authors = sa.Table(
    "authors",
    metadata,
    sa.Column("item_id", sa.Text, primary_key=True, doc="Id of the item."),
    sa.Column(
        "annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, index=True, doc="Annotator who wrote it."
    ),
    info={MEANING: "Authors of items, who do not judge their own."},
)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True, doc="Campaign."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator who is assigned."),
    info={MEANING: "Annotators who may decide in a campaign for assigned ones only."},
)

seen = sa.Table(
    "seen",
    metadata,
    sa.Column("task_id", sa.ForeignKey("tasks.id"), primary_key=True, doc="Task."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator."),
    info={MEANING: "Annotators who held a task and lost it."},
)

remarks = sa.Table(
    "remarks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, doc="Task of the flag or comment."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Annotator who wrote it."),
    sa.Column("is_flag", sa.Boolean, nullable=False, doc="Whether it is a flag rather than a comment."),
    sa.Column("words", sa.Text, nullable=False, doc="Its text."),
    sa.Column("made_at", UtcDateTime, nullable=False, doc="When it was made."),
    sa.Column("settled_at", UtcDateTime, doc="When a curator settled it; null while it is open."),
    sa.Column("settled_by", sa.Text, doc="Curator who settled it."),
    sa.CheckConstraint("(settled_at IS NULL) = (settled_by IS NULL)", name="settled"),
    sa.Index(None, "task_id", "annotator_id"),
    info={MEANING: "Flags and comments on tasks."},
)

audit_log = sa.Table(
    "audit_log",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("at", UtcDateTime, nullable=False, doc="When it was done."),
    sa.Column("actor", sa.Text, nullable=False, doc="Who did it."),
    sa.Column("act", sa.Text, nullable=False, doc="What was done."),
    sa.Column("about", sa.Text, nullable=False, doc="What it was done to, as JSON."),
    sa.Column("previous", sa.Text, nullable=False, doc="Hash of the row before."),
    sa.Column("hash", sa.Text, nullable=False, doc="Hash of this row and the one before."),
    info={MEANING: "The audit log: one act per row, each chained to the row before."},
)

overrides = sa.Table(
    "overrides",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("stage", sa.Text, nullable=False, doc="Stage of the step whose verdict it is about."),
    sa.Column("record_id", sa.Text, nullable=False, doc="Image or item."),
    sa.Column("root_image_id", sa.Text, nullable=False, doc="Source image that the record goes back to."),
    sa.Column("action", sa.Text, nullable=False, doc="`keep`, `drop` or `undo`."),
    sa.Column("reason", sa.Text, doc="Reason that the step gave; of a `keep` only."),
    sa.Column("against", sa.Text, doc="Other record that the step named, such as the better copy."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Curator."),
    sa.Column("why", sa.Text, nullable=False, doc="Why, in the curator's words."),
    sa.Column("decided_at", UtcDateTime, nullable=False, doc="When it was decided."),
    sa.CheckConstraint("action IN ('keep', 'drop', 'undo')", name="action"),
    sa.CheckConstraint("(action = 'keep') = (reason IS NOT NULL)", name="reason"),
    sa.Index(None, "stage", "record_id"),
    info={MEANING: "Curators' decisions against verdicts of steps; rows are only ever added."},
)

revisions = sa.Table(
    "revisions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, unique=True, doc="Task of the new version."),
    sa.Column(
        "revised_from", sa.ForeignKey("tasks.id"), nullable=False, unique=True, doc="Task of the version before."
    ),
    sa.Column("round", sa.Integer, nullable=False, doc="Round that the new version is in."),
    sa.Column("edits", sa.Text, nullable=False, doc="Edits that made it, as JSON."),
    sa.Column(
        "annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Annotator or adjudicator who made them."
    ),
    sa.Column("revised_at", UtcDateTime, nullable=False, doc="When it was made."),
    info={MEANING: "The tasks before and after a revision of an item; rows are only ever added."},
)

revision_requests = sa.Table(
    "revision_requests",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "task_id", sa.ForeignKey("tasks.id"), nullable=False, index=True, doc="Task in which the item was written."
    ),
    sa.Column("revision_id", sa.ForeignKey("tasks.id"), nullable=False, index=True, doc="Task in which it is revised."),
    sa.Column("slot", sa.Integer, nullable=False, doc="Number of the writer's slot in both."),
    sa.Column("item_id", sa.Text, nullable=False, doc="Id of the item."),
    sa.Column("content_hash", sa.Text, nullable=False, doc="Digest of the version that goes back."),
    sa.Column("stage", sa.Text, nullable=False, doc="Campaign or check that sends it back."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), doc="Reviewer who does; null for a check."),
    sa.Column("question", sa.Text, nullable=False, doc="The item's question."),
    sa.Column("words", sa.Text, nullable=False, doc="What to change, in words."),
    sa.Column("sent_at", UtcDateTime, nullable=False, doc="When it went back."),
    sa.Index(None, "item_id", "content_hash"),
    info={MEANING: "An item that went back to its writer, and why; rows are only ever added."},
)

blind_answers = sa.Table(
    "blind_answers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, doc="Task."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Annotator."),
    sa.Column("answer", sa.Text, nullable=False, doc="Key of the choice."),
    sa.Column("answered_at", UtcDateTime, nullable=False, doc="When it was answered."),
    sa.UniqueConstraint("task_id", "annotator_id"),
    info={MEANING: "Annotators' answers before they saw the key; rows are only ever added."},
)

starting_files = sa.Table(
    "starting_files",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True, doc="Campaign."),
    sa.Column(
        "read_as", sa.Text, nullable=False, doc="Digest of the files, form and pictures on which the marks depend."
    ),
    sa.Column("report", sa.Text, nullable=False, doc="Used and unused entries of each file, as JSON."),
    info={MEANING: "Contents of the files of marks from which a campaign's annotators start."},
)

starting_marks = sa.Table(
    "starting_marks",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True, doc="Campaign."),
    sa.Column("item_id", sa.Text, primary_key=True, doc="Item on whose first picture the marks lie."),
    sa.Column("place", sa.Integer, primary_key=True, doc="Place of the file among the campaign's, from 0."),
    sa.Column("count", sa.Integer, nullable=False, doc="Number of regions."),
    sa.Column("regions", sa.Text, nullable=False, doc="Regions by field, as JSON."),
    info={MEANING: "Marks of one file from which annotators of one item start."},
)

practice_items = sa.Table(
    "practice_items",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True, doc="Campaign."),
    sa.Column("place", sa.Integer, primary_key=True, doc="Place among the campaign's practice items, from 0."),
    sa.Column("body", sa.Text, nullable=False, doc="Content, right decisions and why, as JSON."),
    info={MEANING: "One item of a campaign to practise on, where its recipe names some."},
)

practice_attempts = sa.Table(
    "practice_attempts",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign for which the annotator practices."
    ),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Annotator who practices."),
    sa.Column("number", sa.Integer, nullable=False, doc="Number of the attempt, from 1."),
    sa.Column("items", sa.Text, nullable=False, doc="Names of the practice items in their order, as a JSON list."),
    sa.Column("correct", sa.Integer, nullable=False, doc="Number of right decisions so far."),
    sa.Column("begun_at", UtcDateTime, nullable=False, doc="When it began."),
    sa.Column("ended_at", UtcDateTime, doc="When its last item was decided; null before."),
    sa.UniqueConstraint("campaign_id", "annotator_id", "number"),
    info={MEANING: "One attempt of an annotator at a campaign's practice items; its decisions count nowhere."},
)

practice_answers = sa.Table(
    "practice_answers",
    metadata,
    sa.Column("attempt_id", sa.ForeignKey("practice_attempts.id"), primary_key=True, doc="Attempt."),
    sa.Column("place", sa.Integer, primary_key=True, doc="Place of the item in the attempt, from 0."),
    sa.Column("answer", sa.Text, doc="Answer before the key was shown; null where none is asked for."),
    sa.Column("decision", sa.Text, doc="Decision; null while only the answer is there."),
    sa.Column("is_right", sa.Boolean, doc="Whether the decision is right; null while there is none."),
    sa.Column("answered_at", UtcDateTime, nullable=False, doc="When it was answered or decided."),
    info={MEANING: "An annotator's response to a practice item."},
)

practised = sa.Table(
    "practised",
    metadata,
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator who practiced."),
    sa.Column("item_id", sa.Text, primary_key=True, doc="Item whose right decision the annotator saw."),
    info={MEANING: "Items of campaigns that an annotator practiced on and cannot answer blind."},
)

waivers = sa.Table(
    "waivers",
    metadata,
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), primary_key=True, doc="Campaign."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), primary_key=True, doc="Annotator who may decide in it."),
    sa.Column("waived_by", sa.Text, nullable=False, doc="Curator who let them in."),
    sa.Column("waived_at", UtcDateTime, nullable=False, doc="When."),
    info={MEANING: "Annotators whom a curator lets decide in a campaign without a passed practice."},
)

guideline_examples = sa.Table(
    "guideline_examples",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, index=True, doc="Decided task that is shown."),
    sa.Column("is_accepted", sa.Boolean, nullable=False, doc="Whether it shows what is accepted, or else rejected."),
    sa.Column("words", sa.Text, nullable=False, doc="Why, in the curator's words."),
    sa.Column("made_by", sa.Text, nullable=False, doc="Curator who chose it."),
    sa.Column("made_at", UtcDateTime, nullable=False, doc="When."),
    sa.Column("withdrawn_at", UtcDateTime, doc="When a curator took it away; null while it is shown."),
    sa.Column("withdrawn_by", sa.Text, doc="Curator who did."),
    sa.CheckConstraint("(withdrawn_at IS NULL) = (withdrawn_by IS NULL)", name="withdrawn"),
    info={MEANING: "A decided item that the guidelines of its campaign show as an example."},
)

rater_models = sa.Table(
    "rater_models",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign whose annotators it is of."),
    sa.Column("decisions", sa.Integer, nullable=False, doc="Number of decisions on which it is based."),
    sa.Column("up_to", sa.Integer, nullable=False, doc="Number of the newest row of `annotations` at that time."),
    sa.Column("body", sa.Text, nullable=False, doc="Labels, shares and error rates (Dirichlet parameters), as JSON."),
    sa.UniqueConstraint("campaign_id", "up_to"),
    info={MEANING: "One estimate of how annotators err, by which further votes are asked for; rows are only added."},
)

closings = sa.Table(
    "closings",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, index=True, doc="Task that closed."),
    sa.Column("model_id", sa.ForeignKey("rater_models.id"), doc="Model behind it; null for the prior alone."),
    sa.Column("votes", sa.Integer, nullable=False, doc="Number of decisions that the task had."),
    sa.Column("decision", sa.Text, nullable=False, doc="Leading decision."),
    sa.Column("probability", sa.Float, nullable=False, doc="Its probability, 0 to 1."),
    sa.Column("low", sa.Float, nullable=False, doc="Lower end of the 90 % credible interval of the probability."),
    sa.Column("high", sa.Float, nullable=False, doc="Upper end of that interval."),
    sa.Column("closed_at", UtcDateTime, nullable=False, doc="When the last of these decisions came in."),
    sa.Column("is_withdrawn", sa.Boolean, nullable=False, doc="Whether it no longer holds."),
    info={MEANING: "The early closing of a task whose decisions leave too little doubt to ask again."},
)

set_asides = sa.Table(
    "set_asides",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, doc="Campaign whose votes they are."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Annotator who gave them."),
    sa.Column("set_at", UtcDateTime, nullable=False, doc="When they were set aside."),
    sa.Column("set_by", sa.Text, nullable=False, doc="Curator who did."),
    sa.Column("why", sa.Text, nullable=False, doc="Why, in the curator's words."),
    sa.Column("taken_back_at", UtcDateTime, doc="When the act was taken back; null while it holds."),
    sa.Column("taken_back_by", sa.Text, doc="Curator who took it back."),
    sa.CheckConstraint("(taken_back_at IS NULL) = (taken_back_by IS NULL)", name="taken_back"),
    sa.Index(None, "campaign_id", "annotator_id"),
    info={MEANING: "A curator's act of setting one annotator's votes in a campaign aside."},
)

votes_set_aside = sa.Table(
    "votes_set_aside",
    metadata,
    sa.Column("slot_id", sa.ForeignKey("slots.id"), primary_key=True, doc="Slot of the vote; its number is below 0."),
    sa.Column("set_aside_id", sa.ForeignKey("set_asides.id"), nullable=False, index=True, doc="Act that set it aside."),
    sa.Column("slot", sa.Integer, nullable=False, doc="Number of the slot before."),
    info={MEANING: "One vote that counts nowhere."},
)

adjudications = sa.Table(
    "adjudications",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), nullable=False, doc="Task that is adjudicated."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), nullable=False, doc="Adjudicator."),
    sa.Column(
        "decision",
        sa.Text,
        nullable=False,
        doc="`opened`, `accept`, `reject`, `revise` or `send_back`; where regions are marked, `marked`, `nothing` or "
        "`unsure` in place of the middle three; where answers become keys, the letter of the right option.",
    ),
    sa.Column("reasons", sa.Text, nullable=False, doc="Reason codes, as a JSON list."),
    sa.Column("note", sa.Text, doc="Note of the adjudicator."),
    sa.Column("edits", sa.Text, doc="Edits of the item, as JSON."),
    sa.Column("decided_at", UtcDateTime, nullable=False, doc="When it was opened or decided."),
    sa.Column("fields", sa.Text, doc="Values by field of a typed form, such as the regions that count, as JSON."),
    sa.CheckConstraint(
        "decision IN ('opened', 'accept', 'reject', 'revise', 'send_back', 'marked', 'nothing', 'unsure') "
        "OR (length(decision) = 1 AND decision BETWEEN 'A' AND 'Z')",
        name="decision",
    ),
    sa.Index(None, "task_id"),
    sa.Index(None, "annotator_id"),
    info={MEANING: "Adjudicators' acts on tasks; rows are only ever added."},
)
