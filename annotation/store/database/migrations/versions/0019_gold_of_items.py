"""The item whose accepted content a gold task repeats; adjudicators' choice of an item's right option."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

DECISIONS = (
    "decision IN ('opened', 'accept', 'reject', 'revise', 'send_back', 'marked', 'nothing', 'unsure') "
    "OR (length(decision) = 1 AND decision BETWEEN 'A' AND 'Z')"
)
_CONSTRAINT = "ck_adjudications_decision"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("gold_of", sa.Text))
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(_CONSTRAINT, "adjudications", type_="check")
        op.create_check_constraint(_CONSTRAINT, "adjudications", DECISIONS)
        return
    # SQLite cannot change a constraint: the table is made anew, and its triggers go with the old one.
    with op.batch_alter_table("adjudications", recreate="always") as adjudications:
        adjudications.drop_constraint(_CONSTRAINT, type_="check")
        adjudications.create_check_constraint(_CONSTRAINT, DECISIONS)
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER adjudications_no_{verb.lower()} BEFORE {verb} ON adjudications "
            "BEGIN SELECT RAISE(ABORT, 'adjudications are only ever added'); END"
        )
