"""The index of all images and items of a workspace, kept and dropped, with what the run and people said about them.

It is derived from the run's tables and the review store, never the truth itself. `refresh` costs a few look-ups while
nothing has changed; after a run it reads the shards that changed, after decisions the items that were decided.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from benchwright.canonical import digest
from benchwright.workspace.workspace import Workspace

from ..store import OverrideStore, ReviewStore
from ..store.counts.item_facts import items_changed_since, store_stamp
from .index_file import IndexFile, is_damage
from .review_facts import ReviewFacts, ReviewRecord
from .run_facts import PictureRow, RunFacts, RunRecord, pictures_in, texts_in

State = Literal["in_review", "waiting", "accepted", "rejected", "decided", "kept", "dropped", "withdrawn"]
"""State of a record: that of its review; else kept or dropped by the run, or dropped by a curator's hand."""
Mark = Literal["revised", "overridden", "pending", "divided", "flagged"]
"""What may be true beside the state; `pending`: a curator's decision that the next run takes in."""
_OF_REVIEW = ("campaign", "state", "reason", "annotator")
_OF_RUN = ("stream", "task", "category", "step", "step_reason")
_RANKS = {"items": 0, "images": 1, "other": 2}
SIGNED = 1 << 63
"""SQLite keeps numbers of 63 bits and a sign: a pHash above that is stored less 2 to the power of 64."""
_T = TypeVar("_T")


class Refreshed(NamedTuple):
    """What a refresh did: the state of the index that it left, and how much it read."""

    generation: str
    shards: int = 0
    records: int = 0


class ItemIndex:
    """The item index of one workspace. Thread-safe, and safe beside other processes.

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
        """Bring the index up to the present state of the run and the store.

        Raises:
            DataError: The workspace's tables are damaged.
            sqlite3.Error: The index cannot be written.
        """
        return self._whole(self._refresh)

    def reading(self, read: Callable[[sqlite3.Connection], _T]) -> _T:
        """Return what a function reads of one state of the index."""

        def do() -> _T:
            with self._file.reading() as connection:
                return read(connection)

        return self._whole(do)

    def _whole(self, act: Callable[[], _T]) -> _T:
        """Do something with the file; where that turns out to be damaged, begin it anew and do it again."""
        try:
            return act()
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        with self._lock:
            self._file.discard()
        self._refresh()
        return act()

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


class _Writing:
    """One refresh, in a transaction of the index."""

    def __init__(self, connection: sqlite3.Connection, workspace: Workspace, store: ReviewStore) -> None:
        self._connection = connection
        self._workspace = workspace
        self._store = store
        self._names: dict[tuple[str, str], int] = {
            (kind, value): id_ for id_, kind, value in connection.execute("SELECT * FROM names")
        }
        self._next: int = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM records").fetchone()[0]

    def bring_up(self, kept: Mapping[str, str], wanted: Mapping[str, str]) -> tuple[int, int]:
        """Write what changed between two stamps, and return how many shards and records that were."""
        # The store is read in the state of the stamp or a later one, which the next refresh then reads again.
        shards, changed = (0, set()) if kept.get("run") == wanted["run"] else self._take_run()
        before = {name.removeprefix("store."): int(kept[name]) for name in kept if name.startswith("store.")}
        with self._store.as_it_is() as store, store.reading() as connection:
            changed |= items_changed_since(connection, before)
            self._take_review(ReviewFacts(connection), OverrideStore(store), changed)
        return shards, len(changed)

    def _take_run(self) -> tuple[int, set[str]]:
        """Read the shards whose tables changed; return how many, and the ids of all records before and after."""
        facts = RunFacts(self._workspace)
        before = dict(self._connection.execute("SELECT shard, signature FROM shards"))
        after = facts.shards()
        stale = sorted(shard for shard in {*before, *after} if before.get(shard) != after.get(shard))
        numbers: dict[str, int] = {}
        for shard in stale:
            old = self._connection.execute("SELECT record_id, number FROM records WHERE shard = ?", (shard,))
            numbers |= dict(old.fetchall())
            self._connection.execute("DELETE FROM shards WHERE shard = ?", (shard,))
        self._forget(numbers.values())
        if numbers:  # measures have no index by record, which would be as large as they are
            of_stale = "number IN (SELECT value FROM json_each(?))"
            self._connection.execute(f"DELETE FROM measures WHERE {of_stale}", (json.dumps([*numbers.values()]),))  # noqa: S608
        changed = set(numbers)
        for shard in stale:
            if shard in after:
                changed |= self._add_shard(shard, facts.records(shard), numbers)
                self._connection.execute("INSERT INTO shards VALUES (?, ?)", (shard, after[shard]))
        return len(stale), changed

    def _add_shard(self, shard: str, records: Sequence[RunRecord], numbers: Mapping[str, int]) -> set[str]:
        """Add a shard's records under the numbers that they had, and return their ids."""
        ids = [record.record_id for record in records]
        # The store may have known some of them before a run did.
        query = "SELECT number FROM records WHERE record_id IN (SELECT value FROM json_each(?))"
        self._forget([number for (number,) in self._connection.execute(query, (json.dumps(ids),))])
        measures: list[tuple[int, float, int]] = []
        for record in records:
            measures += self._add_run(record, shard, numbers.get(record.record_id))
        self._connection.executemany("INSERT OR REPLACE INTO measures VALUES (?, ?, ?)", sorted(measures))
        return set(ids)

    def _forget(self, numbers: Iterable[int]) -> None:
        rows = [(number,) for number in numbers]
        for table in ("records", "reviews", "pictures", "facets"):
            self._connection.executemany(f"DELETE FROM {table} WHERE number = ?", rows)  # noqa: S608 - our own names
        texts = [(rowid,) for (number,) in rows for rowid in (2 * number, 2 * number + 1)]
        self._connection.executemany("DELETE FROM texts WHERE rowid = ?", texts)

    def _add_run(self, record: RunRecord, shard: str, number: int | None) -> list[tuple[int, float, int]]:
        """Add a record of the run, and return its measures as rows."""
        number = self._number() if number is None else number
        self._add_record(
            number, record.record_id, record.stream, shard, record.root_image_id, record.name, record.task,
            record.question, record.state, record.reason, record.stage, record.is_overridden, record.revision,
            record.phash, record.pictures,
        )  # fmt: skip
        facets = [("stream", record.stream), ("task", record.task), ("category", record.category)]
        facets += [("step", step_of(stage)) for stage in sorted(record.stages)]
        facets += [("step_reason", reason) for reason in sorted(record.reasons)]
        self._add_facets(number, facets)
        words = [record.record_id, record.name, record.question, *record.texts, *_spelled(record.reasons)]
        self._add_text(2 * number, words)
        return [(self._name("measure", step_of(name)), value, number) for name, value in record.measures.items()]

    def _add_record(self, *values: Any) -> None:
        *columns, phash, pictures = values
        signed = None if phash is None else phash - 2 * SIGNED if phash >= SIGNED else phash
        marks = ", ".join("?" * (len(columns) + 2))
        self._connection.execute(f"INSERT INTO records VALUES ({marks})", (*columns, signed, len(pictures)))  # noqa: S608
        rows = [(columns[0], place, picture.image_id, picture.marks) for place, picture in enumerate(pictures)]
        self._connection.executemany("INSERT INTO pictures VALUES (?, ?, ?, ?)", rows)

    def _take_review(self, facts: ReviewFacts, overrides: OverrideStore, changed: set[str]) -> None:
        """Write what people said about records, and the state that follows from run and people together."""
        in_force: dict[str, set[str]] = {}
        for stored in overrides.in_force():
            in_force.setdefault(stored.override.record_id, set()).add(stored.override.action)
        ids = sorted(changed)
        known: dict[str, tuple[Any, ...]] = {}
        for start in range(0, len(ids), 5000):
            query = (
                "SELECT record_id, number, shard, stream, run_state, run_reason, has_run_override, revision "
                "FROM records WHERE record_id IN (SELECT value FROM json_each(?))"
            )
            part = self._connection.execute(query, (json.dumps(ids[start : start + 5000]),))
            known |= {record_id: rest for record_id, *rest in part}
        of_store_only = {record_id for record_id in ids if record_id not in known or known[record_id][1] is None}
        seen = set()
        for review in facts.records(ids, with_content=of_store_only):
            seen.add(review.item_id)
            if review.item_id in of_store_only:
                self._add_store_only(review, known)
            self._add_review(review, known[review.item_id], in_force.get(review.item_id, set()))
        for record_id in known.keys() - seen:
            if record_id in of_store_only:
                self._forget([known[record_id][0]])
            else:
                self._add_review(ReviewRecord(record_id), known[record_id], in_force.get(record_id, set()))

    def _add_store_only(self, review: ReviewRecord, known: dict[str, tuple[Any, ...]]) -> None:
        """Add what is known to the store alone, such as an item of a release that is reviewed again."""
        number = known[review.item_id][0] if review.item_id in known else self._number()
        self._forget([number])
        content = review.content or {}
        pictures: Sequence[PictureRow] = pictures_in(content)
        task, question = str(content.get("task") or ""), str(content.get("question") or "")
        stream = "items" if content.get("choices") else "other"
        self._add_record(
            number, review.item_id, stream, None, None, "", task, question, None, None, None, False, 0, None, pictures
        )
        self._add_facets(number, [("stream", stream), ("task", task), ("category", str(content.get("category") or ""))])
        self._add_text(2 * number, [review.item_id, question, *texts_in(content)])
        known[review.item_id] = (number, None, stream, None, None, 0, 0)

    def _add_review(self, review: ReviewRecord, row: Sequence[Any], actions: set[str]) -> None:
        number, _shard, stream, run_state, run_reason, has_run_override, revision = row
        kinds = ", ".join("?" * len(_OF_REVIEW))
        self._connection.execute(
            f"DELETE FROM facets WHERE number = ? AND name IN (SELECT id FROM names WHERE kind IN ({kinds}))",  # noqa: S608
            (number, *_OF_REVIEW),
        )
        state = state_of(run_state, review, actions)
        marks = _marks(review, run_state, actions, has_run_override=bool(has_run_override), revision=revision)
        facets: list[tuple[str, str]] = [("state", name) for name in (state, *marks)]
        named = {"campaign": review.campaigns, "reason": review.reasons, "annotator": review.annotators}
        facets += [(kind, value) for kind, values in named.items() for value in sorted(values)]
        self._add_facets(number, facets)
        reasons = [run_reason] if state in {"dropped", "withdrawn"} and run_reason else sorted(review.reasons)
        active_at = "" if review.active_at is None else review.active_at.isoformat()
        values = (
            number, _RANKS[stream], state, ", ".join(reasons), ", ".join(sorted(review.campaigns)), review.decisions,
            review.divided or 0.0, active_at,
        )  # fmt: skip
        self._connection.execute("INSERT OR REPLACE INTO reviews VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        self._connection.execute("DELETE FROM texts WHERE rowid = ?", (2 * number + 1,))
        texts = [*review.texts, *_spelled(review.reasons)]
        if review.content is not None and row[1] is not None:  # a version that no table has yet
            texts += [str(review.content.get("question") or ""), *texts_in(review.content)]
        self._add_text(2 * number + 1, texts)

    def _add_facets(self, number: int, facets: Iterable[tuple[str, str]]) -> None:
        rows = [(self._name(kind, value), number) for kind, value in facets if value]
        self._connection.executemany("INSERT OR IGNORE INTO facets VALUES (?, ?)", rows)

    def _add_text(self, rowid: int, words: Iterable[str]) -> None:
        if text := "\n".join(filter(None, words)):
            self._connection.execute("INSERT INTO texts (rowid, words) VALUES (?, ?)", (rowid, text))

    def _name(self, kind: str, value: str) -> int:
        if (kind, value) not in self._names:
            cursor = self._connection.execute("INSERT INTO names (kind, value) VALUES (?, ?)", (kind, value))
            self._names[kind, value] = cursor.lastrowid or 0
        return self._names[kind, value]

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


def step_of(stage: str) -> str:
    """Return the name of a stage, or of a value of one, without the half of the filter that it is."""
    return stage.replace(".measure", "").removesuffix(".judge")


def state_of(run_state: str | None, review: ReviewRecord, actions: set[str]) -> State:
    """Return the state of a record.

    Args:
        run_state: What the last run made of it; None where no table has it.
        review: What people decided about it.
        actions: Actions of the overrides in force, `keep` or `drop`, whether a run has taken them in or not.
    """
    if "drop" in actions:
        return "withdrawn"
    if run_state in {"dropped", "failed"} and "keep" not in actions:
        return "dropped"
    if review.state is not None:
        return review.state
    return "rejected" if run_state == "rejected" else "kept"


def _marks(
    review: ReviewRecord, run_state: str | None, actions: set[str], *, has_run_override: bool, revision: int
) -> list[Mark]:
    is_pending = (
        ("drop" in actions) != (run_state == "withdrawn")
        or ("keep" in actions and run_state == "dropped")
        or (has_run_override and not actions)
    )
    marks: dict[Mark, bool] = {
        "revised": review.is_revised or revision > 0,
        "overridden": bool(actions) or has_run_override,
        "pending": is_pending and run_state is not None,
        "divided": bool(review.divided),
        "flagged": review.has_open_flag,
    }
    return [mark for mark, is_so in marks.items() if is_so]


def _spelled(codes: Iterable[str]) -> list[str]:
    """Return codes such as `wrong_answer` as words to search for."""
    return [code.replace("_", " ") for code in sorted(codes)]
