"""The audit log: what was done, by whom and when, each row chained to the one before by its hash.

A row's hash is over everything in it and the hash of the row before. Whoever changes, removes or slips in a row breaks
the chain there. A decision's row carries a digest of the decision, so that one changed behind the log's back is found
too. Cut off at its end, or written anew as a whole, a chain is whole again: for that, a hash is kept elsewhere and
looked for (`expect`).

Every row is written in the transaction of what it tells of: either both happen, or neither. There is one writer at a
time on SQLite and PostgreSQL alike (`connection`), so the row before is never in doubt. What simulated annotators
say is nobody's act and is not in the log.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest

from .connection import ANSWER
from .pipelining import Step, run_together
from .schema import annotations_table, annotators, audit_log, slots

GENESIS = "0" * 64
"""What the first row has for a row before."""
COMMAND_LINE = "(command line)"
"""Who acts where nobody has signed in; no annotator's name begins with a bracket."""
STRANGER = "(stranger)"
"""Who tried to sign in and was not let in."""
BEGUN, DECIDED, CHANGED = "log_begun", "decided", "changed"
WHAT_IS_LAST = "SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1"
"""What a transaction that writes asks first (`connection`), so that nobody waits for it in the middle."""
_LAST = sa.text(WHAT_IS_LAST)
_NEWEST = sa.select(audit_log.c.id).order_by(audit_log.c.id.desc()).limit(sa.literal_column("1")).scalar_subquery()
_HASH = sa.select(audit_log.c.hash).order_by(audit_log.c.id.desc()).limit(sa.literal_column("1")).scalar_subquery()


def add_after(*given: sa.ColumnElement[bool]) -> sa.Insert:
    """Return a statement that adds a row if the last one is what it is thought to be, and all else is given."""
    values = sa.select(*(sa.bindparam(column.name, type_=column.type) for column in audit_log.c)).where(
        sa.func.coalesce(_NEWEST, 0) == sa.bindparam("last", type_=sa.Integer),
        sa.func.coalesce(_HASH, GENESIS) == sa.bindparam("previous", type_=sa.Text),
        *given,
    )
    return sa.insert(audit_log).from_select([column.name for column in audit_log.c], values)


_ADD = add_after()
_STREAMED = {"yield_per": 1000}


class _Row(NamedTuple):
    """What the next row needs of the last one."""

    id: int
    hash: str


_FIRST = _Row(0, GENESIS)


class AuditEntry(NamedTuple):
    """What is done: its code, who does it, when, and to what, as JSON values."""

    act: str
    actor: str
    at: datetime
    about: Mapping[str, Any]


_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, sa.exc.DatabaseError)
"""What reading a row raises whose values are not of their columns' kinds."""


def _unreadable(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return f"it cannot be read ({' '.join(str(cause).split())[:200] or type(cause).__name__})"


class BrokenRow(NamedTuple):
    """The first row at which the log does not hold, and why; no row where one is missing at the end."""

    row: int | None
    why: str


@dataclass(frozen=True)
class AuditResult:
    """What checking the log found.

    Args:
        rows: In the log.
        head: Hash of the last row; None where there is none.
        decisions: Versions of decisions that were compared with the log.
        broken: The first place that does not hold.
    """

    rows: int
    head: str | None
    decisions: int
    broken: BrokenRow | None

    def to_json(self) -> dict[str, Any]:
        """Return the document that `review audit --json` prints."""
        return {
            "ok": self.broken is None,
            "rows": self.rows,
            "head": self.head,
            "decisions": self.decisions,
            "broken": None if self.broken is None else self.broken._asdict(),
        }


def clock() -> datetime:
    """Return the time, for acts whose caller does not say when they happen."""
    return datetime.now(UTC)


def record(connection: sa.Connection, act: str, /, *, actor: str, at: datetime, **about: Any) -> None:
    """Add a row to the log.

    Args:
        connection: Connection in a write transaction.
        act: Code of what was done.
        actor: Name of whoever did it.
        at: Moment of the act.
        about: Subject of the act, as JSON values.
    """
    run_recorded(connection, [], AuditEntry(act, actor, at, about))


def run_recorded(
    connection: sa.Connection, steps: Sequence[Step], act: AuditEntry, *, conditional: Step | None = None
) -> list[int]:
    """Run statements together with the log's row of what they do; return how many rows each of them changed.

    Args:
        connection: Connection in a write transaction.
        steps: The statements. Where they change too few rows, the caller takes the transaction back, and the row with
            them, unless the row says itself when it is to be added.
        act: Entry of what the statements do.
        conditional: Adds the row only where the first statement changed one: from `add_after`, with what that needs.
    """
    add, needs = conditional or (_ADD, {})
    answer = connection.info.get(ANSWER)
    row, made = _after(_Row(*answer) if answer else _FIRST, act)
    *changed, added = run_together(connection, *steps, (add, {**needs, **row}))
    if added != 1:
        if conditional is not None and changed[0] != 1:
            return changed
        # A row was taken back since: the log itself says what its last one is.
        last = connection.execute(_LAST).one_or_none()
        row, made = _after(_Row(*last) if last else _FIRST, act)
        [added] = run_together(connection, (_ADD, row))
        assert added == 1  # under the lock nobody adds a row in between
    connection.info[ANSWER] = made
    return changed


def _after(last: _Row, act: AuditEntry) -> tuple[Mapping[str, Any], _Row]:
    """Return a row that follows another, by column, with what is thought of that one; and what the next will need."""
    row = {
        "id": last.id + 1,
        "at": act.at,
        "actor": act.actor,
        "act": act.act,
        "about": canonical_json(dict(act.about)),
        "previous": last.hash,
    }
    made = _Row(last.id + 1, hash_of_row(row))
    return row | {"hash": made.hash, "last": last.id}, made


def hash_of_row(row: Mapping[str, Any]) -> str:
    """Return the hash of a row, given by column."""
    return digest([row["id"], _moment(row["at"]), row["actor"], row["act"], row["about"], row["previous"]])


def digest_of_decision(row: Mapping[str, Any], *, task: int, annotator: str) -> str:
    """Return what the log keeps of a version of a decision, given by column: whose it is, of what, what it says."""
    names = ("slot_id", "version", "decision", "reasons", "note", "edits", "fields", "active_s")
    moments = (_moment(row["started_at"]), _moment(row["submitted_at"]))
    return digest([task, annotator, *(row[name] for name in names), *moments])


def _moment(at: datetime) -> str:
    """Spell a moment in UTC, whether its zone is said or not."""
    return (at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)).isoformat()


def audited(connection: sa.Connection, *, expect: str | None = None) -> AuditResult:
    """Check the whole log, and every decision of people against it.

    Args:
        connection: Connection of a snapshot, which sees one state of the store.
        expect: Hash that some row must have.
    """
    chain = _Chain(expect)
    query = sa.select(audit_log).order_by(audit_log.c.id)
    try:
        for row in connection.execute(query, execution_options=_STREAMED).mappings():
            chain.take(dict(row))
    except _UNREADABLE as error:
        # A database reads many rows at once, and says only that one of them is no text.
        number = None if isinstance(error, sa.exc.DatabaseError) else chain.rows + 1
        chain.broken = chain.broken or BrokenRow(number, _unreadable(error))
    broken, decisions = chain.broken, 0
    if broken is None and not chain.found_expected:
        broken = BrokenRow(None, f"no row has the hash {expect}: rows were cut off, or the log was written anew")
    if broken is None:
        broken, decisions = _compared(connection, chain)
    return AuditResult(chain.rows, chain.head, decisions, broken)


class _Chain:
    """What has been read of the log, in order."""

    def __init__(self, expect: str | None) -> None:
        self._expect = expect
        self.found_expected = expect is None
        self.rows = 0
        self.head: str | None = None
        self.broken: BrokenRow | None = None
        self.said: dict[tuple[int, int], tuple[int, str]] = {}
        """Row and digest of each decision, by slot and version."""
        self.unlogged_up_to = 0
        """The last decision of the time before the log."""

    def take(self, row: Mapping[str, Any]) -> None:
        self.rows += 1
        if self.broken is None:
            try:
                why = self._why_not(row)
            except _UNREADABLE as error:
                why = _unreadable(error)
            if why is not None:
                self.broken = BrokenRow(self.rows if row["id"] > self.rows else row["id"], why)
        self.head = row["hash"]
        self.found_expected = self.found_expected or row["hash"] == self._expect

    def _why_not(self, row: Mapping[str, Any]) -> str | None:
        if row["id"] != self.rows:
            return f"row {self.rows} is missing" if row["id"] > self.rows else f"row {row['id']} was slipped in"
        if row["previous"] != (self.head or GENESIS):
            return "it does not follow from the row before"
        if row["hash"] != hash_of_row(row):
            return "it was changed: its hash is not that of what it says"
        about = json.loads(row["about"])
        if row["act"] in {DECIDED, CHANGED}:
            self.said[about["slot"], about["version"]] = row["id"], about["said"]
        if row["act"] == BEGUN:
            self.unlogged_up_to = about["annotations"]
        return None


def _compared(connection: sa.Connection, chain: _Chain) -> tuple[BrokenRow | None, int]:
    """Compare the decisions of people with what the log says of them; return the first that differs, and how many."""
    query = (
        sa.select(annotations_table, slots.c.task_id, annotators.c.name.label("annotator"))
        .select_from(annotations_table.join(slots).join(annotators, slots.c.annotator_id == annotators.c.id))
        .where(annotators.c.kind == "person", annotations_table.c.id > chain.unlogged_up_to)
        .order_by(annotations_table.c.id)
    )
    differences: list[BrokenRow] = []
    left, count = dict(chain.said), 0
    decisions = iter(connection.execute(query, execution_options=_STREAMED).mappings())
    while True:
        try:
            if (decision := next(decisions, None)) is None:
                break
            digested = digest_of_decision(dict(decision), task=decision["task_id"], annotator=decision["annotator"])
        except _UNREADABLE as error:
            return BrokenRow(None, f"decision {count + 1}: {_unreadable(error)}"), count
        count += 1
        subject = f"version {decision['version']} of the decision in slot {decision['slot_id']}"
        row, logged = left.pop((decision["slot_id"], decision["version"]), (None, None))
        if row is None:
            differences.append(BrokenRow(None, f"{subject} is not in the log"))
        elif logged != digested:
            differences.append(BrokenRow(row, f"{subject} is not what it was when it was logged"))
    differences += [
        BrokenRow(row, f"version {version} of the decision in slot {slot} is gone")
        for (slot, version), (row, _) in left.items()
    ]
    # A decision that the log lacks has no row to be first by: it comes after those that have one.
    return min(differences, key=lambda difference: (difference.row is None, difference.row or 0), default=None), count
