"""Checks of the review store for `benchwright check`: the database file, the audit log, and rows against the log.

SQLite checks its own file: pages, indexes against rows, and the allowed values of each column. Tables and triggers must
match their original definitions. The log is chained and records human decisions, adjudications, forms, guidelines,
revisions, overrides and accounts, each by value or digest. The checks compare tasks with the hash of their content, and
stored counts with the rows they count. `docs/security.md` lists what these checks leave out.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError, DamagedError, DataError
from benchwright.pipeline.mending.check import Problem
from benchwright.records import Item
from benchwright.workspace.sealed import read_sealed
from benchwright.workspace.store_place import FILE, PIN, has_store
from benchwright.workspace.workspace import Workspace

from ..forms.payloads import facets_of, item_in
from ..forms.task_content import TaskContent
from .campaigns.guidelines import digest_of_guidelines
from .campaigns.revisions import digest_of_revision
from .campaigns.tasks import digest_of_payloads
from .database.migrate import schema_checksum
from .database.read_only import reading_engine
from .database.schema import (
    accounts,
    adjudications,
    annotations_table,
    annotators,
    audit_log,
    blind_answers,
    campaigns,
    overrides,
    remarks,
    revisions,
    slots,
    tasks,
    votes_set_aside,
)
from .review_store import ReviewStore, open_store

_ITEMS_OWN = Item.model_fields.keys() - TaskContent.model_fields.keys()
_MOST = 100
"""Maximum number of lines to read from SQLite's own check."""


def store_problems(root: Path) -> Iterator[Problem]:
    """Yield the problems in a workspace's review store; none if the workspace has no review store."""
    if not has_store(root):
        return
    if (root / PIN).exists():
        try:
            read_sealed(root / PIN)
        except DamagedError as error:
            yield Problem(PIN, error.what)
            return
    if (root / FILE).exists() and _has_other_schema(root / FILE):
        yield Problem(
            f"{FILE}, table sqlite_master",
            "is not as Benchwright made it: definitions of tables or triggers differ; restore it from a backup "
            "(`benchwright review restore`)",
        )
    if (root / FILE).exists() and (lines := _file_problems(root / FILE)):
        for line in lines:
            yield Problem(FILE, f"is damaged: {line}; restore it from a backup (`benchwright review restore`)")
        return
    try:
        with open_store(Workspace(root).store_url) as store:
            for problem in row_problems(store):
                yield Problem(f"{FILE if (root / FILE).exists() else PIN}, {problem.path}", problem.what)
    except (BenchwrightError, sa.exc.SQLAlchemyError, sqlite3.Error, ValueError) as error:
        yield Problem(FILE if (root / FILE).exists() else PIN, f"cannot be checked: {' '.join(str(error).split())}")


def _file_problems(path: Path) -> list[str]:
    """Return the problems that SQLite finds in its database file."""
    engine = reading_engine(path)
    try:
        with engine.connect() as connection:
            lines = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})")]
            keys = [
                f"row {row[1]} of {row[0]} refers to no row of {row[2]}"
                for row in connection.exec_driver_sql("PRAGMA foreign_key_check")
            ]
    except (sa.exc.DBAPIError, sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error.orig if isinstance(error, sa.exc.DBAPIError) else error)]
    finally:
        engine.dispose()
    return [*(line for line in lines if line != "ok"), *keys]


def _has_other_schema(path: Path) -> bool:
    """Return whether tables or triggers differ from their definitions; unreadable files are reported elsewhere."""
    engine = reading_engine(path)
    try:
        with engine.connect() as connection:
            stated = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
            return stated != 0 and stated != schema_checksum(connection)
    except (sa.exc.DBAPIError, sqlite3.Error, UnicodeDecodeError):
        return False
    finally:
        engine.dispose()


def row_problems(store: ReviewStore) -> Iterator[Problem]:
    """Yield the rows of a store, in a file or on a server, that changed after being written: `table NAME, row ID`."""
    audit_result = store.audited()
    if audit_result.broken is not None:
        yield _row("audit_log", audit_result.broken.row, audit_result.broken.why)
    with store.snapshot() as connection:
        yield from (wrong := list(_tasks(connection)))
        yield from _slots(connection)
        yield from _begun(connection)
        yield from _logged(connection, with_payloads=not wrong)


def _row(table: str, number: int | None, problem: str) -> Problem:
    return Problem(f"table {table}" + (f", row {number}" if number is not None else ""), problem)


def _tasks(connection: sa.Connection) -> Iterator[Problem]:
    """Compare tasks with the hash of their content, and their narrow columns with the payload that they copy."""
    for row in connection.execute(sa.select(tasks).order_by(tasks.c.id)):
        payload = _json(row.payload)
        if payload is None:
            yield _row("tasks", row.id, "its payload differs from what was written")
            continue
        if facets_of(payload) != (row.item_kind, row.item_task, row.category):
            yield _row("tasks", row.id, "kind, task or category are not those of its item")
        if _content_of(item_in(payload)) not in {None, (row.item_id, row.content_hash)}:
            yield _row("tasks", row.id, "its item is not the one whose hash it has")


def _json(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object in a text, or None if this program would have written it differently."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and canonical_json(value) == text else None


def _content_of(values: Any) -> tuple[str, str] | None:
    """Return an item's id and the hash of its content; None if the task is about an image or a prompt."""
    if not isinstance(values, Mapping) or len(_ITEMS_OWN & values.keys()) < 2:
        return None
    try:
        item = Item.model_validate_json(canonical_json(values))
    except (ValidationError, ValueError, DataError):
        return "", ""
    return item.item_id, item.content_hash


def _slots(connection: sa.Connection) -> Iterator[Problem]:
    """Compare slots with the newest versions of the decisions in them."""
    newest = (
        sa.select(annotations_table.c.slot_id, sa.func.max(annotations_table.c.version).label("version"))
        .group_by(annotations_table.c.slot_id)
        .subquery()
    )
    latest = newest.join(
        annotations_table,
        (annotations_table.c.slot_id == newest.c.slot_id) & (annotations_table.c.version == newest.c.version),
    )
    query = (
        sa.select(slots.c.id, slots.c.slot, slots.c.decision, slots.c.submitted_at)
        .add_columns(annotations_table.c.decision.label("newest"), votes_set_aside.c.slot.label("was"))
        .select_from(
            slots.outerjoin(latest, slots.c.id == annotations_table.c.slot_id).outerjoin(
                votes_set_aside, votes_set_aside.c.slot_id == slots.c.id
            )
        )
        .order_by(slots.c.id)
    )
    for row in connection.execute(query):
        counts = row.newest if row.was is None else None
        if (
            row.decision != counts
            or (row.was is not None) != (row.slot < 0)
            or (row.newest is None) != (row.submitted_at is None)
        ):
            yield _row("slots", row.id, "does not match the decisions in it")


def _begun(connection: sa.Connection) -> Iterator[Problem]:
    """Compare whether tasks are marked as begun with the state of their slots."""
    is_taken = sa.exists().where(slots.c.task_id == tasks.c.id, slots.c.annotator_id.is_not(None))
    query = sa.select(tasks.c.id).where(tasks.c.is_begun != is_taken).order_by(tasks.c.id)
    for row in connection.execute(query):
        yield _row("tasks", row.id, "does not match its slots on whether an annotator has begun it")


def _logged(connection: sa.Connection, *, with_payloads: bool) -> Iterator[Problem]:
    """Yield differences between the log and the present rows; payloads are checked only if no task is reported yet."""
    kept = _digests_by_key(connection)
    opened: dict[str, tuple[int, Mapping[str, Any]]] = {}
    stated: dict[str, dict[str, tuple[int, Any]]] = {}
    for row in connection.execute(sa.select(audit_log).order_by(audit_log.c.id)):
        about = json.loads(row.about)
        if row.act in {"campaign_opened", "campaign_changed"}:
            opened[about["campaign"]] = row.id, about
        elif row.act == "guidelines_written":
            if digest_of_guidelines(connection, about["guidelines"]) != about["said"]:
                yield _row("guidelines", about["guidelines"], _NOT_AS_LOGGED.format(row.id))
        elif row.act == "tasks_changed":
            if with_payloads and "said" in about:
                yield from _opened_tasks(connection, row.id, about)
        elif row.act in _OF_ACCOUNTS:
            changed = _OF_ACCOUNTS[row.act](row.at, about)
            stated.setdefault(about["name"], {}).update({column: (row.id, value) for column, value in changed.items()})
        elif (logged := _row_named_by(row, about)) is not None:
            table, key = logged
            digests = kept[table].get(key, [])
            if not digests or ("said" in about and about["said"] not in digests):
                yield _row(table, None, _NOT_AS_LOGGED.format(row.id))
    yield from _campaigns(connection, opened)
    yield from _accounts(connection, stated)


def _opened_tasks(connection: sa.Connection, number: int, about: Mapping[str, Any]) -> Iterator[Problem]:
    """Compare the payloads of tasks that were opened together with the log's digest of these payloads."""
    first, last = about["after"] + 1, about["up_to"]
    opened = sa.select(tasks.c.item_id, tasks.c.payload).where(tasks.c.id.between(first, last))
    if digest_of_payloads((row.item_id, row.payload) for row in connection.execute(opened)) != about["said"]:
        yield _row("tasks", None, f"rows {first} to {last} do not all match row {number} of the log: one was changed")


_NOT_AS_LOGGED = "the entry that row {} of the log records is missing or changed"
_DECISION_COLUMNS = ("decision", "note", "reasons", "edits")


def _digests_by_key(connection: sa.Connection) -> dict[str, dict[tuple[Any, ...], list[str]]]:
    """Return, for each table whose rows the log names, the digests of these rows by their keys in the log."""
    names = {row.id: row.name for row in connection.execute(sa.select(annotators.c.id, annotators.c.name))}
    kept: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in connection.execute(sa.select(adjudications)):
        row_digest = digest({name: getattr(row, name) for name in _DECISION_COLUMNS})
        kept["adjudications"][row.decided_at, names[row.annotator_id], row.task_id].append(row_digest)
    for row in connection.execute(sa.select(blind_answers)):
        kept["blind_answers"][row.answered_at, names[row.annotator_id], row.task_id, row.answer].append("")
    for row in connection.execute(sa.select(overrides)):
        row_digest = digest([row.root_image_id, row.reason, row.against])
        key = row.decided_at, names[row.annotator_id]
        kept["overrides"][*key, row.stage, row.record_id, row.action, row.why].append(row_digest)
    for row in connection.execute(sa.select(remarks)):
        kept["remarks"][row.made_at, names[row.annotator_id], row.task_id, row.words, row.is_flag].append("")
    for row in connection.execute(sa.select(revisions, tasks.c.payload).join(tasks, revisions.c.task_id == tasks.c.id)):
        row_digest = digest_of_revision(row.round, row.edits, row.payload)
        kept["revisions"][row.revised_at, names[row.annotator_id], row.task_id, row.revised_from].append(row_digest)
    return kept


def _row_named_by(row: Any, about: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]] | None:
    """Return the table and key of the row that a log row names, or None if it names no row."""
    key = row.at, row.actor
    match row.act:
        case "adjudicated":
            return "adjudications", (*key, about["task"])
        case "answered_blind":
            return "blind_answers", (*key, about["task"], about["answer"])
        case "overridden" | "override_undone":
            action = "undo" if row.act == "override_undone" else about["action"]
            return "overrides", (*key, about["stage"], about["record"], action, about["why"])
        case "commented" | "flagged":
            return "remarks", (*key, about["task"], about["words"], row.act == "flagged")
        case "revised":
            return "revisions", (*key, about["task"], about["revised_from"])
    return None


def _campaigns(connection: sa.Connection, opened: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Iterator[Problem]:
    for campaign in connection.execute(sa.select(campaigns).where(~campaigns.c.is_simulated)):
        if campaign.name not in opened:
            continue
        number, about = opened[campaign.name]
        now = {
            "kind": campaign.kind,
            "rule": campaign.rule,
            "form": digest(json.loads(campaign.form)),
            "settings": json.loads(campaign.settings),
            "slots": campaign.slots,
            "seed": campaign.seed,
        }
        if any(about.get(name, value) != value for name, value in now.items()):
            yield _row("campaigns", campaign.id, f"does not match row {number} of the log")


_OF_ACCOUNTS: Mapping[str, Callable[[datetime, Mapping[str, Any]], Mapping[str, Any]]] = {
    "account_added": lambda at, about: {"role": about["role"], "is_disabled": False, "created_at": at},
    "role_changed": lambda _at, about: {"role": about["role"]},
    "password_set": lambda _at, about: {"password_hash": about.get("said")},
    "locked": lambda _at, _about: {"is_disabled": True},
    "unlocked": lambda _at, _about: {"is_disabled": False},
}
"""Columns of an account that each act sets; for a password its digest, None if an older program wrote the row."""


def _accounts(connection: sa.Connection, stated: Mapping[str, Mapping[str, tuple[int, Any]]]) -> Iterator[Problem]:
    """Compare accounts with the last action on each account in the log."""
    for account in connection.execute(sa.select(accounts, annotators.c.name).join(annotators)):
        for column, (number, value) in stated.get(account.name, {}).items():
            now = getattr(account, column)
            if value is not None and (digest(now) if column == "password_hash" else now) != value:
                yield _row("accounts", account.id, f"its {column} does not match row {number} of the log")
