"""Revisions that open rounds, answers given before the key is shown, and adjudicators' decisions and role."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

ROLES = "role IN ('annotator', 'adjudicator', 'curator')"


def upgrade() -> None:
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("revised_from", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("edits", sa.Text, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("revised_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_revisions"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_revisions_task_id"),
        sa.ForeignKeyConstraint(["revised_from"], ["tasks.id"], name="fk_revisions_revised_from"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_revisions_annotator_id"),
        sa.UniqueConstraint("task_id", name="uq_revisions_task_id"),
        sa.UniqueConstraint("revised_from", name="uq_revisions_revised_from"),
    )
    op.create_table(
        "blind_answers",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("answered_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_blind_answers"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_blind_answers_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_blind_answers_annotator_id"),
        sa.UniqueConstraint("task_id", "annotator_id", name="uq_blind_answers_task_id_annotator_id"),
    )
    op.create_table(
        "adjudications",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("annotator_id", sa.Integer, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("edits", sa.Text),
        sa.Column("decided_at", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_adjudications"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_adjudications_task_id"),
        sa.ForeignKeyConstraint(["annotator_id"], ["annotators.id"], name="fk_adjudications_annotator_id"),
        sa.CheckConstraint(
            "decision IN ('opened', 'accept', 'reject', 'revise', 'send_back')", name="ck_adjudications_decision"
        ),
    )
    op.create_index("ix_adjudications_task_id", "adjudications", ["task_id"])
    op.create_index("ix_adjudications_annotator_id", "adjudications", ["annotator_id"])
    for table in ("revisions", "blind_answers", "adjudications"):
        _only_added(table)
    _let_adjudicators_in()


def _only_added(table: str) -> None:
    """Make the database refuse to change or remove rows in a table."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{table} are only ever added'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_only_added()"
        )
        return
    for verb in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added'); END"
        )


def _let_adjudicators_in() -> None:
    """Allow the adjudicator role in `accounts.role`.

    SQLite cannot change a constraint, so the table is rebuilt. Dropping the old table would break the references of
    open sessions, so these are saved and restored within the same transaction.
    """
    bind = op.get_bind()
    if bind.dialect.name == "postgresql":
        op.drop_constraint("ck_accounts_role", "accounts", type_="check")
        op.create_check_constraint("ck_accounts_role", "accounts", ROLES)
        return
    found = sa.MetaData()
    found.reflect(bind)
    referring = [table for table in found.sorted_tables if _refers(table) and table.name != "accounts"]
    kept = {table: bind.execute(sa.select(table)).mappings().all() for table in referring}
    for table in reversed(referring):
        bind.execute(sa.delete(table))
    with op.batch_alter_table("accounts", recreate="always") as accounts:
        accounts.drop_constraint("ck_accounts_role", type_="check")
        accounts.create_check_constraint("ck_accounts_role", ROLES)
    for table in referring:
        if kept[table]:
            bind.execute(sa.insert(table), [dict(row) for row in kept[table]])


def _refers(table: sa.Table) -> bool:
    return any(key.column.table.name == "accounts" for key in table.foreign_keys)
