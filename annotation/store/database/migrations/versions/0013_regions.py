"""Regions of pictures: annotators' agreement on them, right ones on gold items, and adjudicators' marks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

DECISIONS = "decision IN ('opened', 'accept', 'reject', 'revise', 'send_back', 'marked', 'nothing', 'unsure')"
_CONSTRAINT = "ck_adjudications_decision"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("gold_regions", sa.Text))
    op.add_column("tasks", sa.Column("regions_agree", sa.Boolean))
    op.add_column("tasks", sa.Column("regions_compared", sa.Text))
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("adjudications", sa.Column("fields", sa.Text))
        op.drop_constraint(_CONSTRAINT, "adjudications", type_="check")
        op.create_check_constraint(_CONSTRAINT, "adjudications", DECISIONS)
        return
    # SQLite cannot change a constraint: the table is made anew, and its triggers go with the old one.
    with op.batch_alter_table("adjudications", recreate="always") as adjudications:
        adjudications.add_column(sa.Column("fields", sa.Text))
        adjudications.drop_constraint(_CONSTRAINT, type_="check")
        adjudications.create_check_constraint(_CONSTRAINT, DECISIONS)
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER adjudications_no_{verb.lower()} BEFORE {verb} ON adjudications "
            "BEGIN SELECT RAISE(ABORT, 'adjudications are only ever added'); END"
        )
