"""The content of a source's index: pictures, rows and counts, and the reasons why rows are not items."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Source

from .questions.file_question import FileQuestion

NO_PICTURE, NO_QUESTION, NO_OPTIONS, NO_KEY = "no_picture", "no_question", "no_options", "no_key"
ROTATED = "rotated"
REPLY, NO_REPLY = "reply", "no_reply"
"""Reasons given for a row with a model's reply but no question, and for a row with an empty reply."""
WHOLE_QUESTIONS = (NO_KEY, NO_OPTIONS)
"""Reasons why a question with all its pictures is not an item although it is complete in form."""
ABSENT = "-"
"""Placeholder for an unusable picture in the list of a question's picture ids."""


class IndexedPicture(NamedTuple):
    """A picture of the source that is present.

    Args:
        image_id: SHA-256 of the file's bytes.
        file: Path of the file on this machine.
        name: Name of the picture in the source.
        width: Width in pixels, upright.
        height: Height in pixels, upright.
        media_type: Media type, such as `image/jpeg`.
        size_bytes: Size of the file.
        source: Stated origin; None if the source states none.
    """

    image_id: str
    file: Path
    name: str
    width: int
    height: int
    media_type: str
    size_bytes: int
    source: Source | None


class AbsentPicture(NamedTuple):
    """An unusable picture: its name in the source, a stable code such as `missing_picture`, and an explanation."""

    name: str
    reason: str
    detail: str


class IndexedRow(NamedTuple):
    """A row of the source, with any content.

    Args:
        file: Path of its file in the source.
        position: Index, from 0, of the row in its file, or of the entry that contains it; None for a file as a whole.
        entry: Row of the file, such as `line 3`.
        source_id: Id from the source or from the row's position.
        question: Its question, whether it is an item or not; None if the row contains no readable question.
        reason: Why it is not an item; None for an item.
        detail: The same reason as text.
    """

    file: str
    position: int | None
    entry: str
    source_id: str | None
    question: FileQuestion | None
    reason: str | None
    detail: str

    @property
    def is_no_item(self) -> bool:
        """Return whether the row is a question with pictures that is not an item: an open one, or one without a key."""
        return self.reason in WHOLE_QUESTIONS and self.question is not None and self.question.has_pictures


class RowCount(NamedTuple):
    """Counts of a file's rows: each row is an item, a question that is not an item, or omitted.

    Args:
        file: Path of the file in the source.
        items: Number of rows that are items.
        no_item: Number of questions that are not items (`IndexedRow.is_no_item`), by reason.
        left_out: Number of other rows by reason; `reply` counts those with a model's reply and no question.
    """

    file: str
    items: int
    no_item: dict[str, int]
    left_out: dict[str, int]

    @property
    def read(self) -> int:
        """Return the number of rows that were read."""
        return self.items + sum(self.no_item.values()) + sum(self.left_out.values())

    @property
    def replies(self) -> int:
        """Return the number of rows that contain a model's reply and no question."""
        return self.left_out.get(REPLY, 0)


class ImportCounts(NamedTuple):
    """Counts of an import.

    Args:
        items: Number of questions that are items.
        as_texts: Number of questions that are not items but have words and keys to check, by reason.
        images: Number of pictures that are present, of items and of other questions.
        tasks: Number of questions by task, without rotations.
        splits: Number of questions by split; the name is empty if no split is stated.
        replies: Number of replies by model.
    """

    items: int
    as_texts: Counter[str]
    images: int
    tasks: Counter[str]
    splits: Counter[str]
    replies: Counter[str]
