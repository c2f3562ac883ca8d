"""Columns that counts read instead of payloads and notes, and assignments of annotators to campaigns."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_BATCH = 1000
_FACETS = {"item_kind": "kind", "item_task": "task", "category": "category"}
"""Columns of `tasks`, with the field of the item that each holds."""
_LATEST = "NOT EXISTS (SELECT 1 FROM annotations WHERE slot_id = NEW.slot_id AND version > NEW.version)"


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("is_for_assigned", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "assignments",
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("campaign_id", "annotator_id", name="pk_assignments"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_assignments_campaign_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_assignments_annotator_id"),
    )
    for name in _FACETS:
        op.add_column("tasks", sa.Column(name, sa.Text))
    op.add_column("slots", sa.Column("decision", sa.Text))
    _fill_tasks()
    op.execute(
        "UPDATE slots SET decision = "
        "(SELECT decision FROM annotations WHERE slot_id = slots.id ORDER BY version DESC LIMIT 1)"
    )
    op.create_index(
        "ix_tasks_campaign_id_item_kind_item_task_category_state", "tasks", ["campaign_id", *_FACETS, "state"]
    )
    op.create_index("ix_slots_task_id_annotator_id_decision", "slots", ["task_id", "annotator_id", "decision"])
    _keep_decisions()


def _fill_tasks() -> None:
    connection, last = op.get_bind(), 0
    read = sa.text("SELECT id, payload FROM tasks WHERE id > :last ORDER BY id LIMIT :most")
    write = sa.text(
        "UPDATE tasks SET item_kind = :item_kind, item_task = :item_task, category = :category WHERE id = :id"
    )
    while rows := connection.execute(read, {"last": last, "most": _BATCH}).all():
        last = rows[-1].id
        connection.execute(write, [{"id": row.id, **_about(json.loads(row.payload))} for row in rows])


def _about(payload: dict[str, Any]) -> dict[str, str | None]:
    item = payload.get("item", payload)
    found = {column: item.get(name) if isinstance(item, dict) else None for column, name in _FACETS.items()}
    return {column: value if isinstance(value, str) else None for column, value in found.items()}


def _keep_decisions() -> None:
    """Make the database keep each slot's newest decision in `slots.decision`, even if other code adds a version."""
    update = f"UPDATE slots SET decision = NEW.decision WHERE id = NEW.slot_id AND {_LATEST};"  # noqa: S608 # fixed
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION slots_keep_decision() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {update} "
            "RETURN NULL; END $$"
        )
        op.execute(
            "CREATE TRIGGER annotations_newest AFTER INSERT ON annotations "
            "FOR EACH ROW EXECUTE FUNCTION slots_keep_decision()"
        )
    else:
        op.execute(f"CREATE TRIGGER annotations_newest AFTER INSERT ON annotations BEGIN {update} END")
