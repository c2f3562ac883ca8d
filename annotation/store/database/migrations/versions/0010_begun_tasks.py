"""Which tasks somebody has begun, so that these can be handed out first, and how long a decision takes at least."""

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


def _keep_begun(true: str, false: str) -> None:
    """Make the database keep `tasks.is_begun`, whatever code takes or frees a slot."""
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
