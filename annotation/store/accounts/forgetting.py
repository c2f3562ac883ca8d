"""Forgetting a person: a pseudonym permanently replaces their name everywhere in the review store.

Decisions, their times and the person's texts remain, under the pseudonym. Whole names disappear from notes and
comments. A note that contains only part of a name, such as the first name, may refer to another person, so the result
lists it. The audit log is rewritten from the first row that named the person: hashes noted earlier no longer match, and
one row records that a person was forgotten, but not which one. No record links the pseudonym to the name.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import sqlalchemy as sa

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError, DataError

from ..database.audit import COMMAND_LINE, audited, digest_of_decision, hash_of_row, record
from ..database.conversation_tables import item_posts, messages, saved_views
from ..database.integration_tables import (
    api_requests,
    api_tokens,
    crowd_entries,
    crowd_visits,
    crowd_workers,
    webhooks,
)
from ..database.locks import hold_log
from ..database.schema import (
    accounts,
    adjudications,
    annotations_table,
    annotators,
    audit_log,
    campaigns,
    drafts,
    guideline_examples,
    guidelines,
    identities,
    overrides,
    remarks,
    revision_requests,
    revisions,
    set_asides,
    slots,
    tasks,
    waivers,
)
from ..database.store_connection import StoreConnection
from .accounts import Accounts
from .person_names import PersonNames

_PREFIX = "person-"
"""Prefix of a pseudonym; eight random hexadecimal digits follow it."""
_FORGOTTEN = "person_forgotten"
"""Action in the audit log."""

_TEXTS = (
    (annotations_table, "note"), (adjudications, "note"), (remarks, "words"), (overrides, "why"),
    (guideline_examples, "words"), (revision_requests, "words"), (set_asides, "why"), (messages, "words"),
    (item_posts, "words"),
)  # fmt: skip
"""Columns of free text in which an annotator or curator may name a person."""
_OF_FORMS = ((annotations_table, "fields"), (adjudications, "fields"))
"""Columns with the values of typed forms, in which `_NOTE` is a free text."""
_NOTE = "note"
_WRITTEN = (
    *_OF_FORMS, (annotations_table, "edits"), (adjudications, "edits"), (revisions, "edits"), (guidelines, "text"),
)  # fmt: skip
"""Columns with texts written for items and guidelines; they are not changed, but are listed if they name the person."""
_AS_JSON = frozenset({"fields", "edits"})
_NAMES = (
    (remarks, "settled_by"), (waivers, "waived_by"), (guideline_examples, "made_by"),
    (guideline_examples, "withdrawn_by"), (set_asides, "set_by"), (set_asides, "taken_back_by"),
    (campaigns, "closed_by"), (api_tokens, "made_by"), (api_tokens, "revoked_by"), (webhooks, "made_by"),
    (webhooks, "ended_by"), (crowd_entries, "made_by"), (crowd_entries, "closed_by"), (messages, "sent_by"),
    (messages, "withdrawn_by"),
)  # fmt: skip
"""Columns that contain a person's name, other than those of `annotators`."""
_ONLY_ADDED = ("annotations", "adjudications", "overrides", "revision_requests", "audit_log")
_NAMING_KEYS = frozenset({"name", "annotator", "annotators", "by", "people"})
"""Keys under which rows of the log name people."""
_ROWS_AT_ONCE = 2000


@dataclass(frozen=True)
class Mention:
    """A text that may name the person and is left unchanged, so that a curator can decide what to do.

    Attributes:
        place: Table and column that contain the text, such as `annotations.note`.
        row: Id of the row in that table.
        words: The words of the text that are names or parts of names.
        text: The text after the change.
        is_note: Whether the text is a note or comment, in which an additional name would be replaced; texts written for
            items and guidelines are never changed.
    """

    place: str
    row: int
    words: tuple[str, ...]
    text: str
    is_note: bool


@dataclass
class Forgotten:
    """The changes that forgetting a person made, or would make.

    Attributes:
        pseudonym: Pseudonym that replaces the name.
        decisions: Number of versions of decisions that are now under this pseudonym.
        texts: Number of notes and comments, by any author, that contained a whole name.
        acts: Number of entries other than decisions that named the person as the actor.
        drafts: Number of the person's unfinished drafts, which are deleted.
        log_rows: Number of rows of the audit log that named the person or contained such a text.
        rehashed: Number of rows of the log that got new hashes: the first of these rows and all that follow it.
        had_account: Whether the person had an account; it is now locked, without password, sessions and linked
            identities.
        examples: A few of the texts after the change.
        searched: Whole names searched for.
        parts: Parts of names searched for.
        mentions: Texts that are not changed and may name the person.
    """

    pseudonym: str
    decisions: int = 0
    texts: int = 0
    acts: int = 0
    drafts: int = 0
    log_rows: int = 0
    rehashed: int = 0
    had_account: bool = False
    examples: list[str] = field(default_factory=list)
    searched: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    mentions: list[Mention] = field(default_factory=list)


class _Rehearsed(Exception):
    """Raised to end a transaction and discard its changes."""


def forget_person(
    store: StoreConnection, name: str, *, now: datetime, also: Sequence[str] = (), dry_run: bool = False
) -> Forgotten:
    """Replace a person's name with a random pseudonym, and return the changes.

    Args:
        store: Review store.
        name: Name under which the person decides.
        now: Time of the action, for the log.
        also: Additional names that notes and comments use for this person only.
        dry_run: Whether to count the changes without making them.

    Raises:
        BenchwrightError: No such person exists, an annotator is simulated, an additional name is empty, or no other
            account could manage accounts.
        DataError: The audit log is inconsistent; fix that first.
    """
    if not all(map(str.strip, also)):
        raise BenchwrightError("an additional name is empty; give one that notes use for the person")
    person = _Person(name, _PREFIX + secrets.token_hex(4), also)
    try:
        with store.batch() as held, held.writing() as connection:
            person.forget(held, connection, now=now)
            if dry_run:
                raise _Rehearsed
    except _Rehearsed:
        return person.done
    store.compact()
    return person.done


class _Person:
    """The person to forget."""

    def __init__(self, name: str, pseudonym: str, also: Sequence[str]) -> None:
        self._name, self._pseudonym = name, pseudonym
        self._names = PersonNames([name, *also])
        self._digests: dict[str, str] = {}
        """New digests of decisions in the log, by the old ones."""
        self.done = Forgotten(pseudonym, searched=self._names.whole, parts=self._names.parts)

    def forget(self, store: StoreConnection, connection: sa.Connection, *, now: datetime) -> None:
        row = connection.execute(sa.select(annotators).where(annotators.c.name == self._name)).one_or_none()
        if row is None or row.kind != "person":
            what = "is simulated" if row is not None else "has decided nothing and has no account"
            raise BenchwrightError(f"{self._name!r} {what} in this review store; `review users` lists all accounts")
        hold_log(connection)
        if (broken := audited(connection).broken) is not None:
            raise DataError(
                f"the audit log is broken ({broken.why}), and was not rewritten; `review audit` shows where"
            )
        with _changeable(connection):
            self._rename(connection, row.id)
            self._rewrite_log(connection)
        self._close_account(store, connection, row.id, now=now)
        _forget_elsewhere(connection, row.id, now=now)
        record(connection, _FORGOTTEN, actor=COMMAND_LINE, at=now, pseudonym=self._pseudonym)

    def _rename(self, connection: sa.Connection, annotator_id: int) -> None:
        before = dict(_digests(connection, annotator_id))
        connection.execute(sa.update(annotators).where(annotators.c.id == annotator_id).values(name=self._pseudonym))
        texts = {table.name: self._replace_texts(connection, table, column) for table, column in _TEXTS}
        texts["annotations"] += self._replace_notes_of_forms(connection)
        self._replace_reasons(connection)
        self._note_mentions(connection)
        for table, column in _NAMES:
            named = sa.update(table).where(table.c[column] == self._name).values({column: self._pseudonym})
            self.done.acts += connection.execute(named).rowcount
        self.done.drafts = connection.execute(sa.delete(drafts).where(drafts.c.annotator_id == annotator_id)).rowcount
        connection.execute(sa.delete(saved_views).where(saved_views.c.annotator_id == annotator_id))
        changed = texts["annotations"]
        for key, old in _digests(connection, annotator_id, also=changed):
            if key in before:
                self._digests[before[key]] = old
        self.done.decisions = (
            len(before)
            and connection.execute(
                sa.select(sa.func.count())
                .select_from(annotations_table.join(slots))
                .where(slots.c.annotator_id == annotator_id)
            ).scalar_one()
        )

    def _replace_texts(self, connection: sa.Connection, table: sa.Table, column: str) -> list[int]:
        """Insert the pseudonym into the texts in a column, and return the ids of the changed rows."""
        query = sa.select(table).where(table.c[column].is_not(None)).order_by(table.c.id)
        changed = [row for row in connection.execute(query) if self._names.are_in(getattr(row, column))]
        for row in changed:
            text = self._in_text(getattr(row, column))
            connection.execute(sa.update(table).where(table.c.id == row.id).values({column: text}))
            self._count(text)
            if table is adjudications:
                old, new = (digest(_adjudicated(row) | {"note": note}) for note in (row.note, text))
                self._digests[old] = new
        return [row.id for row in changed]

    def _count(self, text: str) -> None:
        self.done.texts += 1
        if len(self.done.examples) < 5:
            self.done.examples.append(text)

    def _replace_notes_of_forms(self, connection: sa.Connection) -> list[int]:
        """Insert the pseudonym into notes in typed forms, and return the ids of the changed annotations."""
        changed = []
        for table, column in _OF_FORMS:
            query = sa.select(table.c.id, table.c[column]).where(table.c[column].is_not(None)).order_by(table.c.id)
            for row_id, text in connection.execute(query).all():
                values = json.loads(text)
                note = values.get(_NOTE) if isinstance(values, dict) else None
                if not isinstance(note, str) or not self._names.are_in(note):
                    continue
                new = self._in_text(note)
                kept = canonical_json({**values, _NOTE: new})
                connection.execute(sa.update(table).where(table.c.id == row_id).values({column: kept}))
                self._count(new)
                changed += [row_id] if table is annotations_table else []
        return changed

    def _note_mentions(self, connection: sa.Connection) -> None:
        """List the unchanged texts that name the person or a namesake with the same first or last name."""
        for table, column in (*_TEXTS, *_WRITTEN):
            query = sa.select(table.c.id, table.c[column]).where(table.c[column].is_not(None)).order_by(table.c.id)
            for row_id, stored in connection.execute(query):
                for key, text in _texts_in(json.loads(stored)) if column in _AS_JSON else [(None, stored)]:
                    words = self._names.parts_in(text)
                    words += [] if words or not self._names.are_in(text) else [self._name]
                    if words:
                        place = f"{table.name}.{column}" + (f".{key}" if key else "")
                        is_note = (table, column) in _TEXTS or key == _NOTE
                        self.done.mentions.append(Mention(place, row_id, tuple(words), text, is_note))

    def _replace_reasons(self, connection: sa.Connection) -> None:
        """Insert the pseudonym into the reasons of revised tasks, which repeat the words of `revision_requests`."""
        revised = sa.select(revision_requests.c.revision_id)
        for row in connection.execute(sa.select(tasks.c.id, tasks.c.payload).where(tasks.c.id.in_(revised))).all():
            payload = json.loads(row.payload)
            beside = [{**text, "text": self._in_text(text["text"])} for text in payload["beside"]]
            if beside != payload["beside"]:
                text = canonical_json({**payload, "beside": beside})
                connection.execute(sa.update(tasks).where(tasks.c.id == row.id).values(payload=text))

    def _in_text(self, text: str) -> str:
        return self._names.replaced(text, self._pseudonym)

    def _rewrite_log(self, connection: sa.Connection) -> None:
        """Insert the pseudonym into the log, and recompute the hash chain from the first changed row."""
        last, previous = 0, None
        query = sa.select(audit_log).order_by(audit_log.c.id).limit(_ROWS_AT_ONCE)
        while rows := connection.execute(query.where(audit_log.c.id > last)).mappings().all():
            for stored in rows:
                row = dict(stored)
                last = row["id"]
                row["actor"] = self._pseudonym if row["actor"] == self._name else row["actor"]
                row["about"] = self._about(row["about"])
                names_them = (row["actor"], row["about"]) != (stored["actor"], stored["about"])
                self.done.log_rows += names_them
                if not names_them and previous is None:
                    continue
                row["previous"] = row["previous"] if previous is None else previous
                row["hash"] = previous = hash_of_row(row)
                self.done.rehashed += 1
                kept = {name: row[name] for name in ("actor", "about", "previous", "hash")}
                connection.execute(sa.update(audit_log).where(audit_log.c.id == last).values(kept))

    def _about(self, text: str) -> str:
        about = json.loads(text)
        changed = {name: self._value(name, value) for name, value in about.items()}
        if changed != about and "address" in changed and about.get("name") == self._name:
            changed["address"] = ""
        return text if changed == about else canonical_json(changed)

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(key, part) for part in value]
        if not isinstance(value, str):
            return value
        if key in _NAMING_KEYS:
            return self._pseudonym if value == self._name else value
        if key in {"words", "why", "note"}:
            return self._in_text(value)
        return self._digests.get(value, value)

    def _close_account(
        self, store: StoreConnection, connection: sa.Connection, annotator_id: int, *, now: datetime
    ) -> None:
        account = connection.execute(sa.select(accounts).where(accounts.c.annotator_id == annotator_id)).one_or_none()
        if account is None:
            return
        self.done.had_account = True
        Accounts(store).disable(self._pseudonym)
        connection.execute(sa.delete(identities).where(identities.c.account_id == account.id))
        emptied = sa.update(accounts).where(accounts.c.id == account.id).values(password_hash=None, language=None)
        connection.execute(emptied)
        record(connection, "password_set", actor=COMMAND_LINE, at=now, name=self._pseudonym, said=None)


def _forget_elsewhere(connection: sa.Connection, annotator_id: int, *, now: datetime) -> None:
    """Remove a person's ids at Prolific or Mechanical Turk, revoke their tokens, and delete stored API answers."""
    of_worker = sa.select(crowd_workers.c.id).where(crowd_workers.c.annotator_id == annotator_id)
    connection.execute(sa.delete(crowd_visits).where(crowd_visits.c.worker_id.in_(of_worker)))
    connection.execute(sa.delete(crowd_workers).where(crowd_workers.c.annotator_id == annotator_id))
    own = (api_tokens.c.annotator_id == annotator_id) & api_tokens.c.revoked_at.is_(None)
    connection.execute(sa.update(api_tokens).where(own).values(revoked_at=now, revoked_by=COMMAND_LINE))
    connection.execute(sa.delete(api_requests))


def _digests(
    connection: sa.Connection, annotator_id: int, *, also: Sequence[int] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield the digests of decisions in the log, by the ids of the decisions' rows.

    Args:
        connection: Connection.
        annotator_id: Annotator who made the decisions.
        also: Ids of additional rows; None for all rows that have a note or fields.
    """
    has_texts = annotations_table.c.note.is_not(None) | annotations_table.c.fields.is_not(None)
    further = has_texts if also is None else annotations_table.c.id.in_(also)
    query = (
        sa.select(annotations_table, slots.c.task_id, annotators.c.name.label("annotator"))
        .select_from(annotations_table.join(slots).join(annotators, slots.c.annotator_id == annotators.c.id))
        .where(annotators.c.kind == "person", (slots.c.annotator_id == annotator_id) | further)
    )
    for row in connection.execute(query).mappings():
        yield row["id"], digest_of_decision(dict(row), task=row["task_id"], annotator=row["annotator"])


def _texts_in(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a JSON value, each with its key in the value."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _texts_in(part, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list):
        for part in value:
            yield from _texts_in(part, key)


def _adjudicated(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ("decision", "note", "reasons", "edits")}


@contextmanager
def _changeable(connection: sa.Connection) -> Iterator[None]:
    """Remove the triggers that protect rows from changes, and restore them afterwards."""
    restore: list[Callable[[], object]] = []
    if connection.dialect.name == "postgresql":
        for table in _ONLY_ADDED:
            connection.exec_driver_sql(f"ALTER TABLE {table} DISABLE TRIGGER {table}_no_change")
            again = f"ALTER TABLE {table} ENABLE TRIGGER {table}_no_change"
            restore.append(partial(connection.exec_driver_sql, again))
    else:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
        names = {f"{table}_no_update" for table in _ONLY_ADDED}
        for name, sql in [row for row in connection.exec_driver_sql(query) if row[0] in names]:
            connection.exec_driver_sql(f"DROP TRIGGER {name}")
            restore.append(partial(connection.exec_driver_sql, sql))
    yield
    for put_back in restore:
        put_back()
