"""The audit log: actions with actors and times, in which each row is linked to the previous row by a hash.

A row's hash covers all its values and the hash of the previous row. Changing, removing or inserting a row breaks the
chain at that row. A decision's row holds a digest of the decision, so that the check also finds a decision changed
outside the log. A log truncated at its end, or rewritten as a whole, still has an unbroken chain. To detect that, keep
a hash elsewhere and look for it (`expect`).

Every row is written in the transaction of its action: either both happen, or neither does. Rows are collected during
the transaction and written at its end, so that a writer, one at a time, blocks others from the log only while
committing. Decisions of simulated annotators are not actions of people and are not in the log.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest

from .locks import hold_log
from .schema import annotations_table, annotators, audit_log, slots

_GENESIS = "0" * 64
"""Hash that stands for the first row's nonexistent predecessor."""
COMMAND_LINE = "(command line)"
"""Actor without a sign-in; no annotator's name begins with a bracket."""
AUTOMATIC = "(automatic)"
"""Actor for actions that a campaign's own settings cause, such as its limits for pauses."""
STRANGER = "(stranger)"
"""Actor for a refused sign-in."""
_BEGUN, DECIDED, CHANGED = "log_begun", "decided", "changed"
_NOTED = "benchwright_noted"
"""Key in a connection's `info` for the entries its transaction must write."""
_LAST = sa.select(audit_log.c.id, audit_log.c.hash).order_by(audit_log.c.id.desc()).limit(1)
_STREAMED = {"yield_per": 1000}


class _AuditEntry(NamedTuple):
    """An action to record: code, actor, time and subject, as JSON values."""

    act: str
    actor: str
    at: datetime
    about: Mapping[str, Any]


_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError, sa.exc.DatabaseError)
"""Errors raised by reading a row whose values do not have their columns' types."""


def _unreadable(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return f"it cannot be read ({' '.join(str(cause).split())[:200] or type(cause).__name__})"


class BrokenRow(NamedTuple):
    """The first row at which the log is broken, and the reason; no row if one is missing at the end."""

    row: int | None
    why: str


@dataclass(frozen=True)
class AuditResult:
    """Result of checking the audit log.

    Args:
        rows: Number of rows in the log.
        head: Hash of the last row; None if the log is empty.
        decisions: Number of versions of decisions compared with the log.
        broken: The first place at which the log is broken; None if it is intact.
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
    """Return the current time, for actions whose caller passes none."""
    return datetime.now(UTC)


def record(connection: sa.Connection, act: str, /, *, actor: str, at: datetime, **about: Any) -> None:
    """Collect a row for the log, to be written at the end of the transaction.

    Args:
        connection: Connection of `StoreConnection.writing`.
        act: Code of the action.
        actor: Name of the actor.
        at: Time of the action.
        about: Subject of the action, as JSON values.
    """
    connection.info[_NOTED].append(_AuditEntry(act, actor, at, about))


@contextmanager
def written_at_the_end(connection: sa.Connection) -> Iterator[None]:
    """Collect the entries of a transaction, and add them to the log after everything else."""
    noted: list[_AuditEntry] = []
    connection.info[_NOTED] = noted
    try:
        yield
        if noted:
            hold_log(connection)
            _add(connection, noted)
    finally:
        del connection.info[_NOTED]


@contextmanager
def undone_on_error(connection: sa.Connection) -> Iterator[None]:
    """Discard the entries of a part of a transaction if that part fails."""
    noted = connection.info[_NOTED]
    before = len(noted)
    try:
        yield
    except BaseException:
        del noted[before:]
        raise


def _add(connection: sa.Connection, entries: Sequence[_AuditEntry]) -> None:
    """Append entries to the log while no other process can append to the log."""
    last = connection.execute(_LAST).one_or_none()
    first, previous = (last.id + 1, last.hash) if last else (1, _GENESIS)
    rows = []
    for number, entry in enumerate(entries, first):
        row: dict[str, Any] = {
            "id": number,
            "at": entry.at,
            "actor": entry.actor,
            "act": entry.act,
            "about": canonical_json(dict(entry.about)),
            "previous": previous,
        }
        previous = hash_of_row(row)
        rows.append(row | {"hash": previous})
    connection.execute(sa.insert(audit_log), rows)


def hash_of_row(row: Mapping[str, Any]) -> str:
    """Return the hash of a row whose values are given by column."""
    return digest([row["id"], _moment(row["at"]), row["actor"], row["act"], row["about"], row["previous"]])


def digest_of_decision(row: Mapping[str, Any], *, task: int, annotator: str) -> str:
    """Return the log's digest of a version of a decision, given by column, over annotator, task and content."""
    names = ("slot_id", "version", "decision", "reasons", "note", "edits", "fields", "active_s")
    moments = (_moment(row["started_at"]), _moment(row["submitted_at"]))
    return digest([task, annotator, *(row[name] for name in names), *moments])


def _moment(at: datetime) -> str:
    """Return a time in UTC as text; a time without a time zone is taken to be in UTC."""
    return (at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)).isoformat()


def audited(connection: sa.Connection, *, expect: str | None = None) -> AuditResult:
    """Check the whole log, and compare every human decision with it.

    Args:
        connection: Connection of a snapshot, which sees one state of the store.
        expect: Hash that one of the rows must have; None to omit this check.
    """
    chain = _Chain(expect)
    query = sa.select(audit_log).order_by(audit_log.c.id)
    try:
        for row in connection.execute(query, execution_options=_STREAMED).mappings():
            chain.take(dict(row))
    except _UNREADABLE as error:
        # A database reads many rows at once, and reports only that one of them is not text.
        number = None if isinstance(error, sa.exc.DatabaseError) else chain.rows + 1
        chain.broken = chain.broken or BrokenRow(number, _unreadable(error))
    broken, decisions = chain.broken, 0
    if broken is None and not chain.found_expected:
        broken = BrokenRow(None, f"no row has the hash {expect}: rows were cut off, or the log was rewritten")
    if broken is None:
        broken, decisions = _compared(connection, chain)
    return AuditResult(chain.rows, chain.head, decisions, broken)


class _Chain:
    """State of the check after the rows of the log read so far, in order."""

    def __init__(self, expect: str | None) -> None:
        self._expect = expect
        self.found_expected = expect is None
        self.rows = 0
        self.head: str | None = None
        self.broken: BrokenRow | None = None
        self.said: dict[tuple[int, int], tuple[int, str]] = {}
        """Row and digest of each decision in the log, by slot and version."""
        self.unlogged_up_to = 0
        """Id of the last decision from before the log existed."""

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
            return f"row {self.rows} is missing" if row["id"] > self.rows else f"row {row['id']} was inserted"
        if row["previous"] != (self.head or _GENESIS):
            return "it does not follow from the row before"
        if row["hash"] != hash_of_row(row):
            return "it was changed: its hash does not match its content"
        about = json.loads(row["about"])
        if row["act"] in {DECIDED, CHANGED}:
            self.said[about["slot"], about["version"]] = row["id"], about["said"]
        if row["act"] == _BEGUN:
            self.unlogged_up_to = about["annotations"]
        return None


def _compared(connection: sa.Connection, chain: _Chain) -> tuple[BrokenRow | None, int]:
    """Compare human decisions with the log; return the first difference and the number of decisions compared."""
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
            differences.append(BrokenRow(row, f"{subject} has changed since it was logged"))
    differences += [
        BrokenRow(row, f"version {version} of the decision in slot {slot} is gone")
        for (slot, version), (row, _) in left.items()
    ]
    # A decision missing from the log has no row number, so it comes after those that have one.
    return min(differences, key=lambda difference: (difference.row is None, difference.row or 0), default=None), count
