"""Questions that a run imports, in a file that supports lookup by picture; memory use does not grow with their number.

The index also contains questions that cannot be items, with the reason, for checks of their texts and keys, and the
replies of models in the source.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.images.identify import uri_for
from benchwright.records import Source
from benchwright.source_files.refusal_lists import Refusals
from benchwright.source_files.refusals import RefusedRow
from benchwright.workspace.photographs import BroughtPhotograph

from .index_filling import SCHEMA, IndexFilling
from .indexed_rows import (
    ABSENT,
    ROTATED,
    WHOLE_QUESTIONS,
    AbsentPicture,
    ImportCounts,
    IndexedPicture,
    IndexedRow,
    RowCount,
)
from .pictures.picture_lookup import PictureLookup
from .question_files import ReadRow
from .questions.asked_question import AskedQuestion, ModelReply
from .questions.file_question import FileQuestion

_ALL = "SELECT file, row, document, image_ids, outcome, detail, names FROM questions ORDER BY number"
_ROWS = (
    "SELECT rows.file, position, entry, rows.key, reason, rows.detail, questions.file, row, document, image_ids, "
    "outcome, questions.detail, names FROM rows LEFT JOIN questions ON reason IS NULL AND questions.key = rows.key "
    "ORDER BY rows.number"
)
_ROW_COUNTS = (
    "SELECT rows.file, coalesce(reason, outcome), "
    "reason IS NULL AND outcome IN (?, ?) AND image_ids <> '' AND instr(image_ids, '-') = 0, "
    "count(*) FROM rows LEFT JOIN questions ON reason IS NULL AND questions.key = rows.key "
    "WHERE position IS NOT NULL GROUP BY 1, 2, 3 ORDER BY min(rows.number)"
)
_BY_PICTURE = (
    "SELECT file, row, document, image_ids, outcome, detail, names, first FROM questions "
    "WHERE first IS NOT NULL ORDER BY first, key"
)


class QuestionIndex:
    """The index file of one entry `items` of a recipe."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(
        self,
        entries: Iterable[tuple[str, ReadRow | RefusedRow]],
        pictures: PictureLookup,
        refused: Refusals,
        *,
        keeps_keyless: bool = False,
        keeps_repeats: bool = False,
    ) -> int:
        """Rebuild the index and return its number of questions that are items.

        Args:
            entries: Content of each row of each file, with the file's path; rows of a file are adjacent, and reply
                files come last.
            pictures: Pictures by name.
            refused: Receiver of refused rows and of questions that are not items.
            keeps_keyless: Whether questions without a key are items; default False, since no reply to them can be
                right.
            keeps_repeats: Whether to keep every question with a repeated id, under a numbered id and with the stated id
                as the label `stated_id`; default False: only the first is kept.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(SCHEMA)
            filling = IndexFilling(database, pictures, refused, keeps_keyless, keeps_repeats)
            for file, entry in entries:
                filling.take(file, entry)
            filling.finish()
            filling.settle_pictures()
            database.commit()
            [(items,)] = database.execute("SELECT count(*) FROM questions WHERE outcome IS NULL")
        return int(items)

    def brought(self, stage: str) -> list[BroughtPhotograph]:
        """Return the pictures of all items, sorted by path; if two pictures share a path, both get a longer one."""
        with closing(self._connected()) as database:
            rows = database.execute(
                "SELECT path, file, source, image_id, count(*) OVER (PARTITION BY path) FROM pictures WHERE used"
            ).fetchall()
        brought = []
        for path, file, source, image_id, number in rows:
            name = path if number == 1 else f"{image_id[:12]}/{path}"
            stated = Source(uri="", canonical_id=f"{stage}:{name}") if source is None else Source(**json.loads(source))
            uri = f"{stage}:{uri_for(name)}"
            brought.append(BroughtPhotograph(Path(file), stated.model_copy(update={"uri": uri})))
        return sorted(brought, key=lambda photograph: photograph.source.uri)

    def pictures(self) -> Iterator[IndexedPicture]:
        """Yield every picture that is present, sorted by id, including those of questions that are not items."""
        with closing(self._connected()) as database:
            for row in database.execute(
                "SELECT image_id, file, path, width, height, media_type, size_bytes, source FROM pictures "
                "ORDER BY image_id"
            ):
                picture = IndexedPicture(*row)
                stated = None if row[-1] is None else Source(**json.loads(row[-1]))
                yield picture._replace(file=Path(picture.file), source=stated)

    def counts(self) -> ImportCounts:
        """Return the counts of the import."""
        tasks: Counter[str] = Counter()
        splits: Counter[str] = Counter()
        as_texts: Counter[str] = Counter()
        items = 0
        with closing(self._connected()) as database:
            for text, outcome in database.execute("SELECT document, outcome FROM questions"):
                document = json.loads(text)
                if outcome is None:
                    items += 1
                else:
                    as_texts[outcome] += 1
                if outcome != ROTATED:
                    tasks[document["task"]] += 1
                    splits[document["split"] or ""] += 1
            [(images,)] = database.execute("SELECT count(*) FROM pictures")
            replies = Counter(dict(database.execute("SELECT model, count(*) FROM replies GROUP BY model")))
        return ImportCounts(items, as_texts, images, tasks, splits, replies)

    def questions(self) -> Iterator[FileQuestion]:
        """Yield every question, in the order of the source, whether it is an item or not."""
        with closing(self._connected()) as database:
            for row in database.execute(_ALL):
                yield _question(row)

    def rows(self) -> Iterator[IndexedRow]:
        """Yield every row of the source in order, followed by the unreadable files."""
        with closing(self._connected()) as database:
            for file, position, entry, key, reason, detail, *columns in database.execute(_ROWS):
                if reason is not None:
                    yield IndexedRow(file, position, entry, key, None, reason, detail)
                else:
                    question = _question(columns)
                    yield IndexedRow(file, position, entry, key, question, question.outcome, question.detail)

    def row_counts(self) -> list[RowCount]:
        """Return the row counts of each file, in the order of the source."""
        by_file: dict[str, RowCount] = {}
        with closing(self._connected()) as database:
            for file, reason, is_no_item, number in database.execute(_ROW_COUNTS, WHOLE_QUESTIONS):
                counts = by_file.setdefault(file, RowCount(file, 0, {}, {}))
                if reason is None:
                    by_file[file] = counts._replace(items=number)
                else:
                    (counts.no_item if is_no_item else counts.left_out)[reason] = number
        return [
            count._replace(no_item=dict(sorted(count.no_item.items())), left_out=dict(sorted(count.left_out.items())))
            for count in by_file.values()
        ]

    def refused_for(self, reasons: Collection[str]) -> Iterator[IndexedRow]:
        """Yield the rows without a readable question for one of the given reasons, in the order of the source."""
        query = "SELECT file, position, entry, key, reason, detail FROM rows WHERE reason IS NOT NULL ORDER BY number"
        with closing(self._connected()) as database:
            for file, position, entry, key, reason, detail in database.execute(query):
                if reason in reasons:
                    yield IndexedRow(file, position, entry, key, None, reason, detail)

    def unread(self) -> Counter[str]:
        """Return the number of unreadable files and other entries that are not rows, by reason."""
        with closing(self._connected()) as database:
            return Counter(
                dict(database.execute("SELECT reason, count(*) FROM rows WHERE position IS NULL GROUP BY reason"))
            )

    def absent(self) -> Iterator[AbsentPicture]:
        """Yield every unusable picture that questions name, in the order of occurrence."""
        with closing(self._connected()) as database:
            for row in database.execute("SELECT name, reason, detail FROM absent ORDER BY rowid"):
                yield AbsentPicture(*row)

    def replies(self) -> Iterator[ModelReply]:
        """Yield the replies in the source, sorted by model and question."""
        with closing(self._connected()) as database:
            for row in database.execute("SELECT model, key, text, choice FROM replies ORDER BY model, key"):
                yield ModelReply(*row)

    def by_picture(self) -> Iterator[tuple[str, list[FileQuestion]]]:
        """Yield each picture that is the first of any item, with its questions, sorted by id."""
        with closing(self._connected()) as database:
            rows = database.execute(_BY_PICTURE)
            for first, entries in groupby(rows, key=itemgetter(-1)):
                yield first, [_question(row[:-1]) for row in entries]

    def _connected(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise DataError(f"{self.path} is missing; run the recipe again")
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)


def _question(row: Sequence[Any]) -> FileQuestion:
    """Return a question from its database columns, in the order of `_ALL`."""
    file, entry, text, ids, outcome, detail, names = row
    image_ids = tuple(None if image_id == ABSENT else image_id for image_id in ids.split())
    question = AskedQuestion.model_validate_json(text)
    return FileQuestion(file, entry, question, image_ids, outcome, detail or "", tuple(json.loads(names)))
