"""The index of all images and items of a workspace, kept and dropped, with the results of the run and of the review.

It is derived from the run's tables and the review store, and never the source of truth. If nothing has changed,
`refresh` needs only a few look-ups. After a run, it reads the changed shards; after decisions, it reads the decided
items.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError
from benchwright.workspace.workspace import Workspace

from ..store.campaigns.overrides import OverrideStore
from ..store.counts.item_facts import items_changed_since, store_stamp
from ..store.review_store import ReviewStore
from .index_file import IndexFile, is_damage
from .likeness import SIGNED
from .review_facts import ReviewFacts, ReviewRecord
from .run_facts import PictureRow, RunFacts, RunRecord, options_in, pictures_in, texts_in
from .vector_file import text_key

State = Literal["in_review", "waiting", "accepted", "rejected", "decided", "kept", "dropped", "withdrawn"]
"""State of a record: the state of its review, or else kept or dropped by the run, or dropped by a curator."""
Mark = Literal["revised", "overridden", "pending", "divided", "flagged"]
"""Properties in addition to the state; `pending`: a curator's decision that the next run will apply."""
_OF_REVIEW = ("campaign", "state", "reason", "annotator")
_RANKS = {"items": 0, "images": 1, "other": 2}
_AT_ONCE = 2000
"""Number of records written together."""
_IN_LIST = "number IN (SELECT value FROM json_each(?))"
_T = TypeVar("_T")


class Refreshed(NamedTuple):
    """The result of a refresh: the new state of the index, and the amount of data read."""

    generation: str
    shards: int = 0
    records: int = 0


class ItemIndex:
    """The item index of a workspace; safe for concurrent threads and processes.

    Args:
        workspace: Folder of the workspace.
        store: Its review store.
    """

    def __init__(self, workspace: Path, store: ReviewStore) -> None:
        self._workspace = Workspace(workspace)
        self._store = store
        self._file = IndexFile(self._workspace.cache)
        self._lock = threading.Lock()

    def refresh(self) -> Refreshed:
        """Bring the index up to date with the run and the store.

        Raises:
            BenchwrightError: The workspace's tables are damaged, or the index is not writable.
        """
        return self._whole(self._refresh)

    def reading(self, read: Callable[[sqlite3.Connection], _T]) -> _T:
        """Return the result of applying a function to a single state of the index.

        Raises:
            BenchwrightError: The index is unreadable.
        """

        def do() -> _T:
            with self._file.reading() as connection:
                return read(connection)

        return self._whole(do)

    def _whole(self, act: Callable[[], _T]) -> _T:
        """Perform an operation on the file; if the file proves to be damaged, rebuild it and repeat the operation."""
        try:
            try:
                return act()
            except sqlite3.DatabaseError as error:
                if not is_damage(error):
                    raise
            with self._lock:
                self._file.discard()
            self._refresh()
            return act()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                raise BenchwrightError("another process is reading the workspace; try again in a minute") from error
            raise BenchwrightError(f"{self._file.path} cannot be read or written: {error}") from error

    def _refresh(self) -> Refreshed:
        wanted = self._stamps()
        with self._file.reading() as connection:
            if _kept_stamps(connection) == wanted:
                return Refreshed(_generation(wanted))
        with self._lock, self._file.writing() as connection:
            kept, wanted = _kept_stamps(connection), self._stamps()
            if kept == wanted:
                return Refreshed(_generation(wanted))
            shards, changed = _Writing(connection, self._workspace, self._store).bring_up(kept, wanted)
            connection.execute("DELETE FROM stamps")
            connection.executemany("INSERT INTO stamps VALUES (?, ?)", wanted.items())
        return Refreshed(_generation(wanted), shards, changed)

    def _stamps(self) -> dict[str, str]:
        with self._store.reading() as connection:
            of_store = {f"store.{name}": str(number) for name, number in store_stamp(connection).items()}
        return {"run": RunFacts.stamp(self._workspace), **of_store}


def _kept_stamps(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, value FROM stamps"))


def _generation(stamps: Mapping[str, str]) -> str:
    return digest(dict(stamps))[:16]


class _PendingRows:
    """Rows that are written together, table by table, which is much faster than writing record by record."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._rows: dict[str, list[tuple[Any, ...]]] = {}
        self.names: dict[tuple[str, str], int] = {}
        for id_, kind, value in connection.execute("SELECT id, kind, value FROM names"):
            self.names[kind, value] = id_

    def add(self, table: str, *row: Any) -> None:
        """Add a row, with all columns of its table in order."""
        self._rows.setdefault(table, []).append(row)

    def add_facets(self, number: int, facets: Iterable[tuple[str, str]]) -> None:
        """Add the named properties to a record, omitting empty ones."""
        for kind, value in facets:
            if value:
                self.add("facets", self.name(kind, value), number)

    def add_text(self, rowid: int, words: Iterable[str]) -> None:
        """Make a record searchable by these texts; `rowid` is even for the run's texts and odd for the store's."""
        if text := "\n".join(filter(None, words)):
            self.add("texts (rowid, words)", rowid, text)

    def asked(self, number: int, question: str, options: Sequence[str]) -> tuple[str, str]:
        """Make a record comparable by its question and options; return their text and the text's key."""
        text = "\n".join(filter(None, [question, *options]))
        if text:
            self.add("asked (rowid, words)", number, text)
        return text, text_key(text)

    def name(self, kind: str, value: str) -> int:
        """Return the number of a name, assigning a number to a new name."""
        if (kind, value) not in self.names:
            cursor = self._connection.execute("INSERT INTO names (kind, value) VALUES (?, ?)", (kind, value))
            self.names[kind, value] = cursor.lastrowid or 0
        return self.names[kind, value]

    def write(self) -> None:
        """Write all rows added since the last call."""
        for table, rows in self._rows.items():
            marks = ", ".join("?" * len(rows[0]))
            ordered = sorted(rows) if table in {"facets", "measures"} else rows
            statement = f"INSERT OR REPLACE INTO {table} VALUES ({marks})"  # noqa: S608 - names and marks of ours
            self._connection.executemany(statement, ordered)
        self._rows.clear()

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove records with all their data, but keep their measures."""
        listed = list(numbers)
        for table in ("records", "reviews", "pictures", "facets"):
            self._connection.execute(f"DELETE FROM {table} WHERE {_IN_LIST}", (json.dumps(listed),))  # noqa: S608
        rowids = [rowid for number in listed for rowid in (2 * number, 2 * number + 1)]
        self._connection.executemany("DELETE FROM texts WHERE rowid = ?", [(rowid,) for rowid in rowids])
        self._connection.executemany("DELETE FROM asked WHERE rowid = ?", [(number,) for number in listed])

    def forget_reviews(self, numbers: Iterable[int]) -> None:
        """Remove the review data of records."""
        listed = list(numbers)
        kinds = f"name IN (SELECT id FROM names WHERE kind IN ({', '.join('?' * len(_OF_REVIEW))}))"  # noqa: S608
        statement = f"DELETE FROM facets WHERE {_IN_LIST} AND {kinds}"  # noqa: S608 - parts of ours
        self._connection.execute(statement, (json.dumps(listed), *_OF_REVIEW))
        self._connection.executemany("DELETE FROM texts WHERE rowid = ?", [(2 * number + 1,) for number in listed])


class _Writing:
    """A single refresh, in a transaction of the index."""

    def __init__(self, connection: sqlite3.Connection, workspace: Workspace, store: ReviewStore) -> None:
        self._connection = connection
        self._workspace = workspace
        self._store = store
        self._rows = _PendingRows(connection)
        self._next: int = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM records").fetchone()[0]

    def bring_up(self, kept: Mapping[str, str], wanted: Mapping[str, str]) -> tuple[int, int]:
        """Write the changes between two stamps, and return the numbers of changed shards and records."""
        # The store is read in the state of the stamp or a later one, which the next refresh then reads again.
        shards, changed = (0, set()) if kept.get("run") == wanted["run"] else self._take_run()
        before = {name.removeprefix("store."): int(kept[name]) for name in kept if name.startswith("store.")}
        with self._store.as_it_is() as store, store.reading() as connection:
            changed |= items_changed_since(connection, before)
            facts, in_force = ReviewFacts(connection), _actions(OverrideStore(store))
            ids = sorted(changed)
            for start in range(0, len(ids), _AT_ONCE):
                self._take_review(facts, in_force, ids[start : start + _AT_ONCE])
                self._rows.write()
        if shards or not kept:
            self._keep_hashes()
        return shards, len(changed)

    def _take_run(self) -> tuple[int, set[str]]:
        """Read the shards whose tables changed; return the number of these, and all records' ids before and after."""
        facts = RunFacts(self._workspace)
        before = dict(self._connection.execute("SELECT shard, signature FROM shards"))
        after = facts.shards()
        stale = sorted(shard for shard in {*before, *after} if before.get(shard) != after.get(shard))
        numbers: dict[str, int] = {}
        for shard in stale:
            old = self._connection.execute("SELECT record_id, number FROM records WHERE shard = ?", (shard,))
            numbers |= dict(old.fetchall())
            self._connection.execute("DELETE FROM shards WHERE shard = ?", (shard,))
        if numbers:  # measures have no index by record, which would be as large as they are
            self._rows.forget(numbers.values())
            listed = json.dumps([*numbers.values()])
            self._connection.execute(f"DELETE FROM measures WHERE {_IN_LIST}", (listed,))  # noqa: S608
        changed = set(numbers)
        for shard in stale:
            if shard in after:
                changed |= self._add_shard(shard, facts.records(shard), numbers)
                self._rows.add("shards", shard, after[shard])
                self._rows.write()
        return len(stale), changed

    def _add_shard(self, shard: str, records: Sequence[RunRecord], numbers: Mapping[str, int]) -> set[str]:
        """Add a shard's records under their earlier numbers, and return their ids."""
        ids = [record.record_id for record in records]
        # The store may have known some of them before a run did.
        query = "SELECT number FROM records WHERE record_id IN (SELECT value FROM json_each(?))"
        known = [number for (number,) in self._connection.execute(query, (json.dumps(ids),))]
        if known:
            self._rows.forget(known)
        for record in records:
            self._add_run(record, shard, numbers.get(record.record_id))
        return set(ids)

    def _add_run(self, record: RunRecord, shard: str, number: int | None) -> None:
        number = self._number() if number is None else number
        self._rows.add(
            "records", number, record.record_id, record.stream, shard, record.root_image_id, record.name, record.task,
            record.question, record.state, record.reason, record.stage, record.is_overridden, record.revision,
            _signed(record.phash), len(record.pictures), *self._rows.asked(number, record.question, record.options),
        )  # fmt: skip
        self._add_pictures(number, record.pictures)
        facets = [("stream", record.stream), ("task", record.task), ("category", record.category)]
        facets += [("step", step_of(stage)) for stage in sorted(record.stages)]
        facets += [("step_reason", reason) for reason in sorted(record.reasons)]
        self._rows.add_facets(number, facets)
        words = [record.record_id, record.name, record.question, *record.texts, *_spelled(record.reasons)]
        self._rows.add_text(2 * number, words)
        for name, value in record.measures.items():
            self._rows.add("measures", self._rows.name("measure", step_of(name)), value, number)

    def _add_pictures(self, number: int, pictures: Sequence[PictureRow]) -> None:
        for place, picture in enumerate(pictures):
            self._rows.add("pictures", number, place, picture.image_id, picture.marks)

    def _take_review(self, facts: ReviewFacts, in_force: Mapping[str, set[str]], ids: Sequence[str]) -> None:
        """Write the review data of records, and the state that follows from the run and the review together."""
        query = (
            "SELECT record_id, number, shard, stream, run_state, run_reason, has_run_override, revision "
            "FROM records WHERE record_id IN (SELECT value FROM json_each(?))"
        )
        rows = self._connection.execute(query, (json.dumps(ids),))
        known: dict[str, _KnownRecord] = {record_id: _KnownRecord(*rest) for record_id, *rest in rows}
        of_store_only = {record_id for record_id in ids if record_id not in known or known[record_id].shard is None}
        self._rows.forget_reviews(record.number for record in known.values())
        seen = set()
        for review in facts.records(ids, with_content=of_store_only):
            seen.add(review.item_id)
            if review.item_id in of_store_only:
                known[review.item_id] = self._add_store_only(review, known.get(review.item_id))
            self._add_review(review, known[review.item_id], in_force.get(review.item_id, set()))
        for record_id in known.keys() - seen:
            if record_id in of_store_only:
                self._rows.forget([known[record_id].number])
            else:
                self._add_review(ReviewRecord(record_id), known[record_id], in_force.get(record_id, set()))

    def _add_store_only(self, review: ReviewRecord, known: _KnownRecord | None) -> _KnownRecord:
        """Add a record that only the store contains, such as an item of a release under another review."""
        number = self._number() if known is None else known.number
        if known is not None:
            self._rows.forget([number])
        content = review.content or {}
        pictures = pictures_in(content)
        task, question = str(content.get("task") or ""), str(content.get("question") or "")
        stream = "items" if content.get("choices") else "other"
        self._rows.add(
            "records", number, review.item_id, stream, None, None, "", task, question, None, None, None, False, 0, None,
            len(pictures), *self._rows.asked(number, question, options_in(content)),
        )  # fmt: skip
        self._add_pictures(number, pictures)
        facets = [("stream", stream), ("task", task), ("category", str(content.get("category") or ""))]
        self._rows.add_facets(number, facets)
        self._rows.add_text(2 * number, [review.item_id, question, *texts_in(content)])
        return _KnownRecord(number, None, stream, None, None, False, 0)

    def _add_review(self, review: ReviewRecord, known: _KnownRecord, actions: set[str]) -> None:
        number, state = known.number, _state_of(known.run_state, review, actions)
        facets: list[tuple[str, str]] = [("state", name) for name in (state, *_marks(review, known, actions))]
        named = {"campaign": review.campaigns, "reason": review.reasons, "annotator": review.annotators}
        facets += [(kind, value) for kind, values in named.items() for value in sorted(values)]
        self._rows.add_facets(number, facets)
        is_of_run = state in {"dropped", "withdrawn"} and known.run_reason
        reasons = [known.run_reason] if is_of_run else sorted(review.reasons)
        active_at = "" if review.active_at is None else review.active_at.isoformat()
        self._rows.add(
            "reviews", number, _RANKS[known.stream], state, ", ".join(filter(None, reasons)),
            ", ".join(sorted(review.campaigns)), review.decisions, review.divided or 0.0, review.doubt, active_at,
        )  # fmt: skip
        texts = [*review.texts, *_spelled(review.reasons)]
        if review.content is not None and known.shard is not None:  # a version that may be missing from all tables
            texts += [str(review.content.get("question") or ""), *texts_in(review.content)]
        self._rows.add_text(2 * number + 1, texts)

    def _keep_hashes(self) -> None:
        """Write all pHashes as two columns of bytes, so that similarity search need not visit every record."""
        rows = self._connection.execute("SELECT number, phash FROM records WHERE phash IS NOT NULL ORDER BY number")
        table = np.array(rows.fetchall(), np.int64).reshape(-1, 2)
        self._connection.execute("DELETE FROM hashes")
        columns = (table[:, 0].tobytes(), table[:, 1].tobytes())
        self._connection.execute("INSERT INTO hashes VALUES (?, ?)", columns)

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


class _KnownRecord(NamedTuple):
    """A record in the index before a refresh; `shard` is None if only the review store contains the record."""

    number: int
    shard: str | None
    stream: str
    run_state: str | None
    run_reason: str | None
    has_run_override: bool
    revision: int


def _actions(overrides: OverrideStore) -> dict[str, set[str]]:
    """Return the actions of the overrides in force, by record."""
    in_force: dict[str, set[str]] = {}
    for stored in overrides.in_force():
        in_force.setdefault(stored.override.record_id, set()).add(stored.override.action)
    return in_force


def _signed(phash: int | None) -> int | None:
    return None if phash is None else phash - 2 * SIGNED if phash >= SIGNED else phash


def step_of(stage: str) -> str:
    """Return the name of a stage, or of a stage's value, without the suffix for half of a filter."""
    return stage.replace(".measure", "").removesuffix(".judge")


def _state_of(run_state: str | None, review: ReviewRecord, actions: set[str]) -> State:
    """Return the state of a record.

    Args:
        run_state: State after the last run; None if no table has the record.
        review: Review data of the record.
        actions: Actions of the overrides in force, `keep` or `drop`, whether or not a run has applied them.
    """
    if "drop" in actions:
        return "withdrawn"
    if run_state in {"dropped", "failed"} and "keep" not in actions:
        return "dropped"
    if review.state is not None:
        return review.state
    return "rejected" if run_state == "rejected" else "kept"


def _marks(review: ReviewRecord, known: _KnownRecord, actions: set[str]) -> list[Mark]:
    run_state = known.run_state
    is_pending = (
        ("drop" in actions) != (run_state == "withdrawn")
        or ("keep" in actions and run_state == "dropped")
        or (known.has_run_override and not actions)
    )
    marks: dict[Mark, bool] = {
        "revised": review.is_revised or known.revision > 0,
        "overridden": bool(actions) or bool(known.has_run_override),
        "pending": is_pending and run_state is not None,
        "divided": bool(review.divided),
        "flagged": review.has_open_flag,
    }
    return [mark for mark, is_so in marks.items() if is_so]


def _spelled(codes: Iterable[str]) -> list[str]:
    """Return codes such as `wrong_answer` as searchable words."""
    return [code.replace("_", " ") for code in sorted(codes)]
