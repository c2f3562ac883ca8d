"""Filling a source's index with its rows, each with its pictures or the reason why it is not an item."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from pydantic_core import PydanticSerializationError

from benchwright.canonical import canonical_json
from benchwright.questions.own_ids import STATED_ID
from benchwright.source_files.refusal_lists import Refusals
from benchwright.source_files.refusals import BAD_ROW, MISSING_PICTURE, REPEATED, RefusedRow
from benchwright.source_files.rows import BadRow

from .indexed_rows import (
    ABSENT,
    NO_KEY,
    NO_OPTIONS,
    NO_PICTURE,
    NO_QUESTION,
    NO_REPLY,
    REPLY,
    ROTATED,
    AbsentPicture,
    IndexedPicture,
)
from .keys.key_reading import is_letter
from .layouts.captions import FIRST_CAPTION, NO_CAPTION_MARKED
from .pictures.picture_lookup import PICTURE_REASONS, PictureLookup
from .question_files import ReadRow
from .questions.asked_question import MAX_KEY, AskedQuestion, ModelReply
from .tables.joined_files import KEYS_DIFFER

SCHEMA = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE pictures (
    image_id TEXT PRIMARY KEY, file TEXT, path TEXT, width INTEGER, height INTEGER, media_type TEXT,
    size_bytes INTEGER, source TEXT, used INTEGER) WITHOUT ROWID;
CREATE TABLE questions (
    number INTEGER PRIMARY KEY, key TEXT UNIQUE, file TEXT, row TEXT, first TEXT, image_ids TEXT, document TEXT,
    outcome TEXT, detail TEXT, names TEXT);
CREATE INDEX by_picture ON questions (first, key) WHERE first IS NOT NULL;
CREATE TABLE shown (file TEXT, place TEXT, image_ids TEXT, names TEXT, key TEXT, PRIMARY KEY (file, place))
    WITHOUT ROWID;
CREATE TABLE absent (name TEXT PRIMARY KEY, reason TEXT, detail TEXT);
CREATE TABLE rows (
    number INTEGER PRIMARY KEY, file TEXT, position INTEGER, entry TEXT, key TEXT, reason TEXT, detail TEXT);
CREATE TABLE guesses (key TEXT, place INTEGER, name TEXT, file TEXT, row TEXT);
CREATE INDEX by_question ON guesses (key);
CREATE TABLE replies (
    model TEXT, key TEXT, text TEXT, choice TEXT, file TEXT, row TEXT, PRIMARY KEY (model, key)) WITHOUT ROWID;
"""
_BETWEEN_LETTERS = re.compile(r"\s*(?:[,;/&+|]|\band\b)\s*")
_MILLION = 1_000_000
"""Number whose multiples VLMEvalKit adds to the index when it rotates options."""


class _Shown(NamedTuple):
    """Pictures of a question, with None for each unusable one, the reason, and their names."""

    pictures: list[IndexedPicture | None]
    outcome: str | None
    detail: str
    names: list[str]


class IndexFilling:
    """The process of filling an index with questions and replies."""

    def __init__(
        self,
        database: sqlite3.Connection,
        pictures: PictureLookup,
        refused: Refusals,
        keeps_keyless: bool,
        keeps_repeats: bool,
    ) -> None:
        self.database, self.lookup, self.refused = database, pictures, refused
        self.keeps_keyless, self.keeps_repeats = keeps_keyless, keeps_repeats
        self.file = ""
        self.numbers: dict[str, Iterator[int]] = {}
        """Unused numbers for questions with a repeated id."""
        self.absent: dict[str, AbsentPicture] = {}
        """Unusable pictures of the current question, by their names."""
        self.waiting: list[tuple[ReadRow, AskedQuestion, _Shown]] = []
        """Questions of this file that refer to the pictures of a row that may come later."""

    def take(self, file: str, entry: ReadRow | RefusedRow) -> None:
        """Store the content of a row."""
        if file != self.file:
            self.finish()
            self.file = file
        if isinstance(entry, RefusedRow):
            self.refused.add(entry)
            self._list(file, entry.position, entry.entry, entry.source_id, entry.reason, entry.detail)
            return
        stated = entry.question or entry.reply
        key = None if stated is None else stated.key
        reason: str | None = NO_REPLY if entry.reply is None else REPLY
        detail = (
            "the model's reply is empty"
            if entry.reply is None
            else f"a reply of {entry.reply.model} without a question"
        )
        try:
            if entry.question is not None and (entry.reply is None or not self._has(entry.question.key)):
                self.refused.records += 1
                key, reason = self._take_question(entry, entry.question), None
            if entry.reply is not None:
                self._take_reply(entry, entry.reply)
        except (BadRow, UnicodeEncodeError) as error:
            refusal = _refusal(file, entry.row, error)
            self.refused.add(refusal)
            if reason is not None:  # otherwise the question counts, and only its reply does not
                reason, detail = refusal.reason, refusal.detail
        self._list(file, entry.position, entry.row, key, reason, detail)

    def _list(
        self, file: str, position: int | None, entry: str, key: str | None, reason: str | None, detail: str
    ) -> None:
        values: tuple[str | int | None, ...] = (file, position, entry, key, reason, detail)
        if reason is not None:
            values = tuple(v.encode("utf-8", "backslashreplace").decode() if isinstance(v, str) else v for v in values)
        self.database.execute(
            "INSERT INTO rows (file, position, entry, key, reason, detail) VALUES (?, ?, ?, ?, ?, ?)", values
        )

    def finish(self) -> None:
        """Settle the questions of a file that refer to the pictures of other rows."""
        for entry, question, shown in self.waiting:
            place = entry.pictures[0].path
            row = self.database.execute(
                "SELECT image_ids, names, key FROM shown WHERE file = ? AND place = ?", (self.file, place)
            ).fetchone()
            if row is None:
                self._store(entry, question, shown)
            else:
                self._store_with(entry, question, str(row[0]).split(), None, "", json.loads(row[1]))
                self.database.execute(
                    "INSERT INTO guesses SELECT ?, place, name, file, ? FROM guesses WHERE key = ?",
                    (question.key, entry.row, row[2]),
                )
        self.waiting = []

    def settle_pictures(self) -> None:
        """Withdraw pictures for which another name fits better, now that all names are known."""
        taken_back = False
        guesses = self.database.execute("SELECT key, place, name, file, row FROM guesses").fetchall()
        for key, place, name, file, row in guesses:
            if (why := self.lookup.paths.refutation(name, file)) is None:
                continue
            taken_back = True
            ids, names, outcome = self.database.execute(
                "SELECT image_ids, names, outcome FROM questions WHERE key = ?", (key,)
            ).fetchone()
            with_it, called = ids.split(), json.loads(names)
            with_it[place], called[place] = ABSENT, name
            values = " ".join(with_it), json.dumps(called), outcome or MISSING_PICTURE, why, key
            self.database.execute(
                "UPDATE questions SET first = NULL, image_ids = ?, names = ?, outcome = ?, "
                "detail = CASE WHEN outcome IS NULL THEN ? ELSE detail END WHERE key = ?",
                values,
            )
            self.database.execute("INSERT OR IGNORE INTO absent VALUES (?, ?, ?)", (name, MISSING_PICTURE, why))
            if outcome is None:
                self.refused.add(RefusedRow(file, row, MISSING_PICTURE, why))
        if taken_back:
            self._drop_unused_pictures()

    def _drop_unused_pictures(self) -> None:
        shown: set[str] = set()
        used: set[str] = set()
        for ids, outcome in self.database.execute("SELECT image_ids, outcome FROM questions"):
            shown.update(ids.split())
            used.update(ids.split() if outcome is None else ())
        known = [image_id for (image_id,) in self.database.execute("SELECT image_id FROM pictures")]
        self.database.executemany("DELETE FROM pictures WHERE image_id = ?", [(i,) for i in known if i not in shown])
        self.database.executemany(
            "UPDATE pictures SET used = 0 WHERE image_id = ?", [(i,) for i in known if i not in used]
        )

    def _has(self, key: str) -> bool:
        return self.database.execute("SELECT 1 FROM questions WHERE key = ?", (key,)).fetchone() is not None

    def _take_question(self, entry: ReadRow, question: AskedQuestion) -> str:
        """Store a question and return its id in the index."""
        _document(question)  # raises before any part is stored
        shown = self._shown(entry)
        if self._has(question.key):
            question = self._named_apart(question, shown)
        if shown.outcome == MISSING_PICTURE and len(entry.pictures) == 1 and entry.pictures[0].path.isdecimal():
            # An empty row keeps its place in the order until the file ends.
            self.waiting.append((entry, question, shown))
            self.database.execute("INSERT INTO questions (key) VALUES (?)", (question.key,))
        else:
            self._store(entry, question, shown)
        self.database.executemany(
            "INSERT INTO guesses VALUES (?, ?, ?, ?, ?)",
            [
                (question.key, place, picture.path, self.file, entry.row)
                for place, picture in enumerate(entry.pictures)
                if picture.path
                and picture.data is None
                and shown.pictures[place] is not None
                and self.lookup.paths.is_guess(picture.path, self.file)
            ],
        )
        return question.key

    def _named_apart(self, question: AskedQuestion, shown: _Shown) -> AskedQuestion:
        """Return a question under a new id if an earlier question has the id that it states.

        A question from another file gets its file's path as a prefix; a question from the same file gets a number as a
        suffix.

        Raises:
            BadRow: The question is a repetition.
        """
        stated = question.labels.get(STATED_ID, question.key)
        numbers = self.numbers.setdefault(question.key, count(2))
        numbered = (f"{question.key} ({number})" for number in numbers)
        if not self.keeps_repeats:
            row = self.database.execute(
                "SELECT file, document, image_ids, names FROM questions WHERE key = ?", (question.key,)
            ).fetchone()
            if row[0] is None or self._is_same(question, shown, row):
                raise BadRow(f"the id {question.key!r} occurs twice; the first is used", REPEATED)
            key = f"{self.file}:{question.key}"
            if row[0] != self.file and len(key) <= MAX_KEY and not self._has(key):
                return question.model_copy(update={"key": key, "labels": {**question.labels, STATED_ID: stated}})
        key = next(name for name in numbered if not self._has(name))
        return question.model_copy(update={"key": key, "labels": {**question.labels, STATED_ID: stated}})

    def _is_same(self, question: AskedQuestion, shown: _Shown, row: Sequence[Any]) -> bool:
        """Return whether a question asks the same thing about the same pictures as a stored one."""
        _, text, image_ids, names = row
        first = AskedQuestion.model_validate_json(text)
        if (first.ask, first.options) != (question.ask, question.options):
            return False
        ids = [ABSENT if picture is None else picture.image_id for picture in shown.pictures]
        return ids == image_ids.split() and (ABSENT not in ids or shown.names == json.loads(names))

    def _shown(self, entry: ReadRow) -> _Shown:
        if not entry.pictures:
            return _Shown([], NO_PICTURE, "the question has no picture", [])
        found: list[IndexedPicture | None] = []
        outcome, detail = None, ""
        names = []
        for number, picture in enumerate(entry.pictures, start=1):
            place = f"{self.file}: {entry.row}, picture {number}"
            try:
                of, file, path = self.lookup.found_picture(picture, file=self.file, place=place)
                facts = of.width, of.height, of.media_type, of.size_bytes
                found.append(IndexedPicture(of.image_id, file, path, *facts, picture.source))
                names.append(path)
            except BadRow as error:
                if error.reason not in PICTURE_REASONS:
                    raise
                found.append(None)
                names.append(picture.path or place)
                if outcome is None:
                    outcome, detail = error.reason, str(error)
                self.absent.setdefault(names[-1], AbsentPicture(names[-1], error.reason, str(error)))
        return _Shown(found, outcome, detail, names)

    def _store(self, entry: ReadRow, question: AskedQuestion, shown: _Shown) -> None:
        ids = [ABSENT if picture is None else picture.image_id for picture in shown.pictures]
        self.database.executemany(
            "INSERT OR IGNORE INTO pictures VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            [
                (image_id, str(file), *facts, None if source is None else source.model_dump_json())
                for image_id, file, *facts, source in filter(None, shown.pictures)
            ],
        )
        self._store_with(entry, question, ids, shown.outcome, shown.detail, shown.names)
        for name in shown.names:
            if name in self.absent:
                self.database.execute("INSERT OR IGNORE INTO absent VALUES (?, ?, ?)", self.absent.pop(name))
        if shown.outcome is None:
            self.database.execute(
                "INSERT OR IGNORE INTO shown VALUES (?, ?, ?, ?, ?)",
                (
                    self.file,
                    str(question.labels.get("index", question.labels.get(STATED_ID, question.key))),
                    " ".join(ids),
                    json.dumps(shown.names),
                    question.key,
                ),
            )

    def _store_with(
        self,
        entry: ReadRow,
        question: AskedQuestion,
        ids: Sequence[str],
        outcome: str | None,
        detail: str,
        names: Sequence[str],
    ) -> None:
        """Store a question with the ids and names of its pictures."""
        base, difference = (None, "") if question.key_fault is not None else self._rotated(question)
        if question.key_fault is not None:
            outcome, detail = question.key_fault
        elif base is not None:
            question = question.model_copy(update={"rotates": base})
            outcome, detail = ROTATED, f"question {base!r} with its options in another order{difference}"
        elif not question.ask:
            outcome, detail = NO_QUESTION, "the source has no words for it; only its key can be checked"
        elif question.kind == "open":
            absent = f"; its picture is also missing: {detail}" if outcome is not None else ""
            outcome, detail = NO_OPTIONS, f"{_open_in_words(question)}{absent}"
        elif question.lacks_key and not self.keeps_keyless:
            differ = question.labels.get(KEYS_DIFFER)
            missing = "no option is marked as right: " + (str(differ) if differ else "the key is missing or sealed")
            outcome, detail = NO_KEY, NO_CAPTION_MARKED if FIRST_CAPTION in question.labels else missing
        if outcome is not None:
            self.refused.add(RefusedRow(self.file, entry.row, outcome, detail))
        self.database.execute(
            "INSERT INTO questions (key, file, row, first, image_ids, document, outcome, detail, names) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET (file, row, first, image_ids, "
            "document, outcome, detail, names) = (excluded.file, excluded.row, excluded.first, excluded.image_ids, "
            "excluded.document, excluded.outcome, excluded.detail, excluded.names)",
            (question.key, self.file, entry.row, None if outcome else ids[0], " ".join(ids), _document(question),
             outcome, detail, json.dumps(list(names))),
        )  # fmt: skip
        if outcome is None:
            self.database.executemany(
                "UPDATE pictures SET used = 1 WHERE image_id = ?", [(image_id,) for image_id in ids]
            )

    def _rotated(self, question: AskedQuestion) -> tuple[str | None, str]:
        """Return the id of the question that this one rotates, and how their keys differ; None if it is not a rotation.

        Ids indicate rotations: VLMEvalKit's indices from a million on, and MVP-Bench's `12__3__1`. The options must be
        the same.
        """
        if not question.options or not all(isinstance(option, str) for option in question.options):
            return None, ""
        stated = str(question.labels.get(STATED_ID, question.key))
        before = question.key.removesuffix(stated) if question.key.endswith(stated) else ""
        for base in (f"{before}{base}" for base in _bases(stated)):
            row = self.database.execute("SELECT document FROM questions WHERE key = ?", (base,)).fetchone()
            if row is None or row[0] is None:
                continue
            original = AskedQuestion.model_validate_json(row[0])
            if sorted(map(str, original.options)) == sorted(map(str, question.options)):
                keys = [None if q.answer is None else q.options[q.answer] for q in (original, question)]
                is_same = None in keys or keys[0] == keys[1]
                return base, "" if is_same else f"; its key is {keys[1]!r}, there {keys[0]!r}"
        return None, ""

    def _take_reply(self, entry: ReadRow, reply: ModelReply) -> None:
        if not self._has(reply.key):
            raise BadRow(f"the reply is to {reply.key!r}, but the source has no such question", "unknown_question")
        known = self.database.execute(
            "SELECT text, choice FROM replies WHERE model = ? AND key = ?", (reply.model, reply.key)
        ).fetchone()
        if known is None:
            self.database.execute(
                "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?)",
                (reply.model, reply.key, reply.text, reply.choice, self.file, entry.row),
            )
        elif (reply.text and known[0] and known[0] != reply.text) or (
            not reply.text and known[1] is not None and reply.choice != known[1]
        ):
            raise BadRow(
                f"{reply.model} has another reply to {reply.key!r} in an earlier row; that one is used", "other_reply"
            )
        elif known[1] is None and reply.choice is not None:
            self.database.execute(
                "UPDATE replies SET choice = ? WHERE model = ? AND key = ?", (reply.choice, reply.model, reply.key)
            )


def _open_in_words(question: AskedQuestion) -> str:
    """Return why a question without options does not become an item."""
    parts = _BETWEEN_LETTERS.split(question.stated_answer or "")
    if all(map(is_letter, parts)):
        named = f"letter {parts[0]!r}" if len(parts) == 1 else f"letters {', '.join(map(repr, parts))}"
        return (
            f"its key is the {named}, and the row has no options: they may be drawn in the "
            "picture (--column options=COLUMN if a column has them)"
        )
    return "an open question; an item has options"


def _refusal(file: str, row: str, error: BadRow | UnicodeEncodeError) -> RefusedRow:
    if isinstance(error, BadRow):
        return RefusedRow(file, row, error.reason, str(error))
    detail = f"a text has the character {error.object[error.start]!a}, which UTF-8 cannot encode"
    return RefusedRow(file, row, BAD_ROW, detail)


def _document(question: AskedQuestion) -> str:
    """Return a question as JSON.

    Raises:
        UnicodeEncodeError: A label contains half of a character.
    """
    try:
        return question.model_dump_json()
    except PydanticSerializationError:
        return canonical_json(question.model_dump(mode="json")).encode().decode()


def _bases(key: str) -> Iterator[str]:
    """Yield the possible ids of the question that this one rotates, derived from this question's id."""
    if key.isdecimal() and int(key) >= _MILLION:
        yield str(int(key) % _MILLION)
    elif "__" in key:
        yield key.partition("__")[0]
        if not key.endswith("__0"):
            yield f"{key.rpartition('__')[0]}__0"
