"""Begun tasks, the shortest time that a decision takes, and tasks closed because their decision is certain."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TAKEN = "EXISTS (SELECT 1 FROM slots WHERE slots.task_id = tasks.id AND slots.annotator_id IS NOT NULL)"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("is_begun", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("tasks", sa.Column("shortest_s", sa.Float))
    true, false = ("true", "false") if op.get_bind().dialect.name == "postgresql" else ("1", "0")
    op.execute(f"UPDATE tasks SET is_begun = {true} WHERE {_TAKEN}")  # noqa: S608 # fixed
    op.create_index(
        "ix_tasks_campaign_id_state_priority_is_begun_shuffle",
        "tasks",
        ["campaign_id", "state", "priority", "is_begun", "shuffle"],
    )
    _keep_begun(true, false)
    _make_closings()


def _make_closings() -> None:
    op.create_table(
        "rater_models",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.Integer, nullable=False),
        sa.Column("decisions", sa.Integer, nullable=False),
        sa.Column("up_to", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rater_models"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaigns.id"], name="fk_rater_models_campaign_id"),
        sa.UniqueConstraint("campaign_id", "up_to", name="uq_rater_models_campaign_id_up_to"),
    )
    op.create_table(
        "closings",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("model_id", sa.Integer),
        sa.Column("votes", sa.Integer, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("probability", sa.Float, nullable=False),
        sa.Column("low", sa.Float, nullable=False),
        sa.Column("high", sa.Float, nullable=False),
        sa.Column("closed_at", sa.DateTime, nullable=False),
        sa.Column("is_withdrawn", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_closings"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_closings_task_id"),
        sa.ForeignKeyConstraint(["model_id"], ["rater_models.id"], name="fk_closings_model_id"),
    )
    op.create_index("ix_closings_task_id", "closings", ["task_id"])


def _keep_begun(true: str, false: str) -> None:
    """Make the database keep `tasks.is_begun` up to date, regardless of which code takes or frees a slot."""
    begin = f"UPDATE tasks SET is_begun = {true} WHERE id = NEW.task_id AND is_begun = {false};"  # noqa: S608 # fixed
    end = f"UPDATE tasks SET is_begun = {false} WHERE id = NEW.task_id AND NOT {_TAKEN};"  # noqa: S608 # fixed
    taken = "NEW.annotator_id IS NOT NULL AND OLD.annotator_id IS NULL"
    freed = "NEW.annotator_id IS NULL AND OLD.annotator_id IS NOT NULL"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION slots_keep_begun() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {taken} THEN {begin} ELSIF {freed} THEN {end} END IF; RETURN NULL; END $$"
        )
        op.execute(
            "CREATE TRIGGER slots_begun AFTER UPDATE OF annotator_id ON slots "
            "FOR EACH ROW EXECUTE FUNCTION slots_keep_begun()"
        )
        return
    for name, condition, update in (("slots_begun", taken, begin), ("slots_ended", freed, end)):
        op.execute(f"CREATE TRIGGER {name} AFTER UPDATE OF annotator_id ON slots WHEN {condition} BEGIN {update} END")
