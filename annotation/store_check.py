"""What `benchwright check` hears of the review store: the file's own pages, the audit log, and rows against both.

SQLite looks through its own file: pages, indexes against rows, what each column may hold. The log is chained and has a
digest of every decision of people, of adjudications and of forms. Tasks are compared with the hash of their content,
and counts that are kept beside rows with what they are counted from. `docs/security.md` says what that leaves out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError, DamagedError, DataError
from benchwright.pipeline.check import Problem
from benchwright.records import Item
from benchwright.sealed import read_sealed
from benchwright.store_place import FILE, PIN, has_store
from benchwright.workspace import Workspace

from .exhibit import Exhibit
from .store import ReviewStore, open_store
from .store.payloads import facets_of, item_in
from .store.read_only import reading_engine
from .store.schema import (
    adjudications,
    annotations_table,
    annotators,
    audit_log,
    blind_answers,
    campaigns,
    overrides,
    remarks,
    slots,
    tasks,
)

_ITEMS_OWN = Item.model_fields.keys() - Exhibit.model_fields.keys()
_MOST = 100
"""Lines of SQLite's own check."""


def store_problems(root: Path) -> Iterator[Problem]:
    """Yield what is wrong with a workspace's review store; nothing where it has none."""
    if not has_store(root):
        return
    if (root / PIN).exists():
        try:
            read_sealed(root / PIN)
        except DamagedError as error:
            yield Problem(PIN, error.what)
            return
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
    """Return what SQLite finds wrong with its file."""
    engine = reading_engine(path)
    try:
        with engine.connect() as connection:
            lines = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})")]
            keys = [f"row {row[1]} of {row[0]} refers to no row of {row[2]}" for row in
                    connection.exec_driver_sql("PRAGMA foreign_key_check")]  # fmt: skip
    except (sa.exc.DBAPIError, sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error.orig if isinstance(error, sa.exc.DBAPIError) else error)]
    finally:
        engine.dispose()
    return [*(line for line in lines if line != "ok"), *keys]


def row_problems(store: ReviewStore) -> Iterator[Problem]:
    """Yield rows of a store, in a file or on a server, that are not as they were written: `table NAME, row ID`."""
    found = store.audited()
    if found.broken is not None:
        yield _row("audit_log", found.broken.row, found.broken.why)
    with store.snapshot() as connection:
        yield from _tasks(connection)
        yield from _slots(connection)
        yield from _logged(connection)


def _row(table: str, number: int | None, what: str) -> Problem:
    return Problem(f"table {table}" + (f", row {number}" if number is not None else ""), what)


def _tasks(connection: sa.Connection) -> Iterator[Problem]:
    """Compare tasks with the hash of their content, and with what was taken out of their payload."""
    for row in connection.execute(sa.select(tasks).order_by(tasks.c.id)):
        payload = _json(row.payload)
        if payload is None:
            yield _row("tasks", row.id, "its payload is not what was written")
            continue
        if facets_of(payload) != (row.item_kind, row.item_task, row.category):
            yield _row("tasks", row.id, "kind, task or category are not those of its item")
        if _content_of(item_in(payload)) not in {None, (row.item_id, row.content_hash)}:
            yield _row("tasks", row.id, "its item is not the one whose hash it has")


def _json(text: str) -> Mapping[str, Any] | None:
    """Return a JSON object that is spelled as we spell it."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) and canonical_json(value) == text else None


def _content_of(values: Any) -> tuple[str, str] | None:
    """Return an item's id and the hash of its content; None for an image or a prompt that is asked about."""
    if not isinstance(values, Mapping) or len(_ITEMS_OWN & values.keys()) < 2:
        return None
    try:
        item = Item.model_validate_json(canonical_json(values))
    except (ValidationError, ValueError, DataError):
        return "", ""
    return item.item_id, item.content_hash


def _slots(connection: sa.Connection) -> Iterator[Problem]:
    """Compare slots with the newest version of what was decided in them."""
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
        sa.select(slots.c.id, slots.c.decision, slots.c.submitted_at, annotations_table.c.decision.label("said"))
        .select_from(slots.outerjoin(latest, slots.c.id == annotations_table.c.slot_id))
        .order_by(slots.c.id)
    )
    for row in connection.execute(query):
        if row.decision != row.said or (row.said is None) != (row.submitted_at is None):
            yield _row("slots", row.id, "does not agree with what was decided in it")


def _logged(connection: sa.Connection) -> Iterator[Problem]:
    """Name what the log tells of and what is no longer there as it was."""
    names = {row.id: row.name for row in connection.execute(sa.select(annotators.c.id, annotators.c.name))}
    kept: dict[str, set[tuple[Any, ...]]] = {
        "adjudicated": {
            (row.task_id, names[row.annotator_id], digest({name: getattr(row, name) for name in _SAID}))
            for row in connection.execute(sa.select(adjudications))
        },
        "answered_blind": {
            (row.task_id, names[row.annotator_id], row.answer) for row in connection.execute(sa.select(blind_answers))
        },
        "overridden": {
            (row.stage, row.record_id, row.action, row.why, names[row.annotator_id])
            for row in connection.execute(sa.select(overrides))
        },
        "commented": {
            (row.task_id, names[row.annotator_id], row.words, row.is_flag)
            for row in connection.execute(sa.select(remarks))
        },
    }  # fmt: skip
    opened: dict[str, tuple[int, Mapping[str, Any]]] = {}
    for row in connection.execute(sa.select(audit_log).order_by(audit_log.c.id)):
        about = json.loads(row.about)
        if row.act in {"campaign_opened", "campaign_changed"}:
            opened[about["campaign"]] = row.id, about
        elif (told := _told(row.act, row.actor, about)) is not None and told[1] not in kept[told[0]]:
            yield _row(_TABLES[told[0]], None, f"what row {row.id} of the log tells of is not there as it was written")
    for campaign in connection.execute(sa.select(campaigns).where(~campaigns.c.is_simulated)):
        if campaign.name not in opened:
            continue
        number, about = opened[campaign.name]
        now = {
            "kind": campaign.kind, "rule": campaign.rule, "form": digest(json.loads(campaign.form)),
            "settings": json.loads(campaign.settings),
        }  # fmt: skip
        if any(about.get(name) != value for name, value in now.items()):
            yield _row("campaigns", campaign.id, f"is not what row {number} of the log says")


_SAID = ("decision", "note", "reasons", "edits")
_TABLES = {
    "adjudicated": "adjudications",
    "answered_blind": "blind_answers",
    "overridden": "overrides",
    "commented": "remarks",
}
"""The table of each kind of act that is looked for again."""


def _told(act: str, actor: str, about: Mapping[str, Any]) -> tuple[str, tuple[Any, ...]] | None:
    """Return which rows a row of the log tells of, and what one of them holds."""
    match act:
        case "adjudicated":
            return act, (about["task"], actor, about["said"])
        case "answered_blind":
            return act, (about["task"], actor, about["answer"])
        case "overridden" | "override_undone":
            action = "undo" if act == "override_undone" else about["action"]
            return "overridden", (about["stage"], about["record"], action, about["why"], actor)
        case "commented" | "flagged":
            return "commented", (about["task"], actor, about["words"], act == "flagged")
    return None
