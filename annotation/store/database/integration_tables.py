"""Tables for other programs and services: the HTTP API, webhooks, and entries for crowd workers.

`api_tokens` opens the HTTP API to programs. `api_requests` keeps its answers, so that a repeated write happens only
once. `webhooks` holds addresses that a curator registered for events, and `webhook_deliveries` the messages to them,
sent or pending. `crowd_entries` lets workers of Prolific and Mechanical Turk in. Only `crowd_workers` and
`crowd_visits` contain their ids at these services; decisions use pseudonyms.
"""

from __future__ import annotations

import sqlalchemy as sa

from .schema import MEANING, UtcDateTime, metadata

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row, which the token begins with."),
    sa.Column(
        "campaign_id",
        sa.ForeignKey("campaigns.id"),
        nullable=False,
        index=True,
        doc="The only campaign that the token opens.",
    ),
    sa.Column(
        "annotator_id",
        sa.ForeignKey("annotators.id"),
        nullable=False,
        index=True,
        doc="Person in whose name the token acts.",
    ),
    sa.Column("scope", sa.Text, nullable=False, doc="`annotator` or `curator`."),
    sa.Column("label", sa.Text, nullable=False, doc="Purpose of the token, in the curator's words."),
    sa.Column("secret_hash", sa.Text, nullable=False, doc="Hash of the token's secret part (SHA-256)."),
    sa.Column("made_at", UtcDateTime, nullable=False, doc="When it was made."),
    sa.Column("made_by", sa.Text, nullable=False, doc="Who made it."),
    sa.Column("ends_at", UtcDateTime, nullable=False, doc="When it stops working."),
    sa.Column("used_at", UtcDateTime, doc="When it was last used, within ten minutes; null before."),
    sa.Column("revoked_at", UtcDateTime, doc="When it was revoked; null while it works."),
    sa.Column("revoked_by", sa.Text, doc="Who revoked it."),
    sa.CheckConstraint("scope IN ('annotator', 'curator')", name="scope"),
    sa.CheckConstraint("(revoked_at IS NULL) = (revoked_by IS NULL)", name="revoked"),
    info={MEANING: "One token of the HTTP API, for one campaign and one person."},
)

api_requests = sa.Table(
    "api_requests",
    metadata,
    sa.Column("token_id", sa.ForeignKey("api_tokens.id"), primary_key=True, doc="Token that the request carried."),
    sa.Column("key", sa.Text, primary_key=True, doc="Its idempotency key."),
    sa.Column("digest", sa.Text, nullable=False, doc="Digest of method, path, query and body."),
    sa.Column("status", sa.Integer, doc="Status of the answer; null while the request is carried out."),
    sa.Column("reply", sa.Text, doc="Body of the answer, as JSON; null while the request is carried out."),
    sa.Column("made_at", UtcDateTime, nullable=False, index=True, doc="When it came."),
    info={MEANING: "A reply of the HTTP API to a write with an idempotency key, kept for a day."},
)

webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, index=True, doc="Campaign whose events are sent."
    ),
    sa.Column("url", sa.Text, nullable=False, doc="Address that a curator gave."),
    sa.Column("events", sa.Text, nullable=False, doc="Names of the events that are sent, as a JSON list."),
    sa.Column("secret", sa.Text, nullable=False, doc="Key that deliveries are signed with."),
    sa.Column("read_up_to", sa.Integer, nullable=False, doc="Last row of the audit log that was read for events."),
    sa.Column("is_finished", sa.Boolean, nullable=False, doc="Whether the campaign's end was announced and holds."),
    sa.Column("made_at", UtcDateTime, nullable=False, doc="When it was made."),
    sa.Column("made_by", sa.Text, nullable=False, doc="Who made it."),
    sa.Column("ended_at", UtcDateTime, doc="When it was removed; null while events are sent."),
    sa.Column("ended_by", sa.Text, doc="Who removed it; `(receiver)` where the receiver answered 410 Gone."),
    sa.CheckConstraint("(ended_at IS NULL) = (ended_by IS NULL)", name="ended"),
    info={MEANING: "One address that receives a campaign's events."},
)

webhook_deliveries = sa.Table(
    "webhook_deliveries",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("webhook_id", sa.ForeignKey("webhooks.id"), nullable=False, doc="Where it goes."),
    sa.Column("event", sa.Text, nullable=False, doc="Name of the event."),
    sa.Column("happened_at", UtcDateTime, nullable=False, doc="When it happened."),
    sa.Column("task_id", sa.ForeignKey("tasks.id"), doc="Task of the event; null for campaigns and people."),
    sa.Column("slot_id", sa.ForeignKey("slots.id"), doc="Slot of the decision; null for other events."),
    sa.Column("version", sa.Integer, doc="Version of the decision; null for other events."),
    sa.Column("annotator_id", sa.ForeignKey("annotators.id"), doc="Person of the event; null for tasks."),
    sa.Column("outcome", sa.Text, doc="Outcome of an item; null for other events."),
    sa.Column("attempts", sa.Integer, nullable=False, doc="Number of attempts to send it."),
    sa.Column("next_at", UtcDateTime, doc="Time of the next attempt; null once it arrived or was given up."),
    sa.Column("status", sa.Integer, doc="Status that the receiver answered last; null without an answer."),
    sa.Column("error", sa.Text, doc="Reason why the last attempt failed; null if it did not."),
    sa.Column("delivered_at", UtcDateTime, doc="When it arrived; null before."),
    sa.Index(None, "next_at"),
    sa.Index(None, "webhook_id", "event", "task_id"),
    info={MEANING: "One event for one address; its text is made from the store at the time of sending."},
)

crowd_entries = sa.Table(
    "crowd_entries",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "campaign_id", sa.ForeignKey("campaigns.id"), nullable=False, index=True, doc="Campaign that workers come to."
    ),
    sa.Column("service", sa.Text, nullable=False, doc="`prolific` or `mturk`."),
    sa.Column("key", sa.Text, nullable=False, unique=True, doc="Secret part of the entry's address."),
    sa.Column("tasks", sa.Integer, doc="Decisions of one visit; null for all that a worker may make."),
    sa.Column("completed_code", sa.Text, nullable=False, doc="Code for workers who did their part."),
    sa.Column(
        "screened_out_code", sa.Text, doc="Code for workers who did not pass the qualification; null without one."
    ),
    sa.Column("paused_code", sa.Text, doc="Code for paused workers; null without one."),
    sa.Column("made_at", UtcDateTime, nullable=False, doc="When it was made."),
    sa.Column("made_by", sa.Text, nullable=False, doc="Who made it."),
    sa.Column("closed_at", UtcDateTime, doc="When it was closed to newcomers; null while it is open."),
    sa.Column("closed_by", sa.Text, doc="Who closed it."),
    sa.CheckConstraint("service IN ('prolific', 'mturk')", name="service"),
    sa.CheckConstraint("(closed_at IS NULL) = (closed_by IS NULL)", name="closed"),
    info={MEANING: "One address by which workers of Prolific or Mechanical Turk come to a campaign."},
)

crowd_workers = sa.Table(
    "crowd_workers",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column(
        "annotator_id", sa.ForeignKey("annotators.id"), nullable=False, unique=True, doc="Pseudonym of their decisions."
    ),
    sa.Column("service", sa.Text, nullable=False, doc="`prolific` or `mturk`."),
    sa.Column("worker", sa.Text, nullable=False, doc="Id of the person there; `review forget` removes it."),
    sa.UniqueConstraint("service", "worker"),
    info={MEANING: "The person behind a pseudonym at Prolific or Mechanical Turk."},
)

crowd_visits = sa.Table(
    "crowd_visits",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, doc="Number of the row."),
    sa.Column("entry_id", sa.ForeignKey("crowd_entries.id"), nullable=False, doc="Entry by which the worker came."),
    sa.Column("worker_id", sa.ForeignKey("crowd_workers.id"), nullable=False, index=True, doc="Worker who came."),
    sa.Column("study", sa.Text, nullable=False, doc="Study or HIT there."),
    sa.Column("session", sa.Text, nullable=False, doc="Submission or assignment there."),
    sa.Column("submit_to", sa.Text, doc="Host that the assignment is handed in to; null at Prolific."),
    sa.Column(
        "decided_before",
        sa.Integer,
        nullable=False,
        doc="Number of the worker's decisions in the campaign before the visit.",
    ),
    sa.Column("began_at", UtcDateTime, nullable=False, doc="When the visit began."),
    sa.Column("result", sa.Text, doc="`completed`, `screened_out` or `paused`; null while it lasts."),
    sa.Column("ended_at", UtcDateTime, doc="When it ended; null while it lasts."),
    sa.UniqueConstraint("entry_id", "worker_id", "session"),
    sa.CheckConstraint("result IN ('completed', 'screened_out', 'paused')", name="result"),
    sa.CheckConstraint("(result IS NULL) = (ended_at IS NULL)", name="ended"),
    info={MEANING: "One visit of a worker of Prolific or Mechanical Turk: a submission, or an assignment."},
)
