"""Questions that a run imports, in a file that can be looked up by picture; memory does not grow with them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.images.identify import uri_for
from benchwright.photographs import BroughtPhotograph
from benchwright.records import Source

from ..readers.reader import REPEATED
from ..source_files import BadRow, DatasetFiles, RefusedRow
from ..sources.dataset_index import Refusals
from .asked_question import AskedPicture, AskedQuestion
from .picture_lookup import PictureLookup
from .question_files import QuestionFile, questions_of

NO_PICTURE, NO_KEY = "no_picture", "no_key"
_SCHEMA = """
PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
CREATE TABLE pictures (image_id TEXT PRIMARY KEY, file TEXT, path TEXT) WITHOUT ROWID;
CREATE TABLE questions (key TEXT PRIMARY KEY, first TEXT, image_ids TEXT, document TEXT) WITHOUT ROWID;
CREATE INDEX by_picture ON questions (first, key);
"""


class IndexedQuestion(NamedTuple):
    """A question with the images of the run that it shows, in order; the document is that of `AskedQuestion`."""

    image_ids: tuple[str, ...]
    document: str


class QuestionIndex:
    """The index file of one entry `items` of a recipe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self, files: DatasetFiles, sources: list[QuestionFile], pictures: PictureLookup, refused: Refusals) -> int:
        """Make the index anew and return the number of questions in it.

        Args:
            files: Folder of the questions.
            sources: Files to read.
            pictures: Pictures by name.
            refused: Receiver of what is refused.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        taken = 0
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(_SCHEMA)
            for source in sources:
                for entry in questions_of(files, source):
                    if isinstance(entry, RefusedRow):
                        refused.add(entry)
                        continue
                    row, question, shown = entry
                    refused.records += 1
                    try:
                        self._take(database, source.path, row, question, shown, pictures)
                        taken += 1
                    except BadRow as error:
                        refused.add(RefusedRow(source.path, row, error.reason, str(error)))
            database.commit()
        return taken

    def _take(
        self,
        database: sqlite3.Connection,
        file: str,
        row: str,
        question: AskedQuestion,
        shown: list[AskedPicture],
        pictures: PictureLookup,
    ) -> None:
        if not shown:
            raise BadRow("the question has no picture", NO_PICTURE)
        if question.answer is None and question.refusal is None:
            raise BadRow("no option is marked as right: the key is missing or sealed", NO_KEY)
        if database.execute("SELECT 1 FROM questions WHERE key = ?", (question.key,)).fetchone():
            raise BadRow(f"the id {question.key!r} stands twice; the first is used", REPEATED)
        found = [
            pictures.found_picture(picture, file=file, place=f"{file}: {row}, picture {number}")
            for number, picture in enumerate(shown, start=1)
        ]
        ids = [identity.image_id for identity, _, _ in found]
        database.executemany(
            "INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)",
            [(identity.image_id, str(place), path) for identity, place, path in found],
        )
        document = canonical_json(question.model_dump(mode="json"))
        database.execute("INSERT INTO questions VALUES (?, ?, ?, ?)", (question.key, ids[0], " ".join(ids), document))

    def brought(self, stage: str) -> list[BroughtPhotograph]:
        """Return the pictures of all questions, sorted by path."""
        with closing(self._connected()) as database:
            rows = database.execute("SELECT path, file FROM pictures ORDER BY path, image_id")
            return [
                BroughtPhotograph(Path(file), Source(uri=f"{stage}:{uri_for(path)}", canonical_id=f"{stage}:{path}"))
                for path, file in rows
            ]

    def tasks_and_splits(self) -> tuple[Counter[str], Counter[str]]:
        """Return the number of questions by task, and by split as the source names it; empty for none."""
        tasks: Counter[str] = Counter()
        splits: Counter[str] = Counter()
        with closing(self._connected()) as database:
            for (text,) in database.execute("SELECT document FROM questions"):
                document = json.loads(text)
                tasks[document["task"]] += 1
                splits[document["split"] or ""] += 1
        return tasks, splits

    def by_picture(self) -> Iterator[tuple[str, list[IndexedQuestion]]]:
        """Yield each picture with which questions start, and these, sorted by id."""
        with closing(self._connected()) as database:
            first, questions = None, []
            rows = database.execute("SELECT first, image_ids, document FROM questions ORDER BY first, key")
            for image_id, image_ids, document in rows:
                if image_id != first and first is not None:
                    yield first, questions
                    questions = []
                first = image_id
                questions.append(IndexedQuestion(tuple(image_ids.split()), document))
            if first is not None:
                yield first, questions

    def _connected(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise DataError(f"{self.path} is not there; run the recipe again")
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
