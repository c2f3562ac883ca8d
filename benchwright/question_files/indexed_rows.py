"""What an index of a source's questions holds: pictures, rows and counts, and why a row is no item."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from benchwright.records import Source

from .questions.file_question import FileQuestion

NO_PICTURE, NO_QUESTION, NO_OPTIONS, NO_KEY = "no_picture", "no_question", "no_options", "no_key"
ROTATED = "rotated"
REPLY, NO_REPLY = "reply", "no_reply"
"""What a row is that holds a model's reply and no question of its own, and one in which the model said nothing."""
WHOLE_QUESTIONS = (NO_KEY, NO_OPTIONS)
"""Reasons for which a question is no item, although it has all that it needs in its own form, if its pictures are
there."""
ABSENT = "-"
"""Stands for a picture that cannot be used among the ids of a question's pictures."""


class IndexedPicture(NamedTuple):
    """A picture of the source that is there.

    Args:
        image_id: SHA-256 of the file's bytes.
        file: File on this machine.
        name: Name by which the source calls it.
        width: Pixels, upright.
        height: Pixels, upright.
        media_type: Such as `image/jpeg`.
        size_bytes: Size of the file.
        source: What the source states about its origin; None where it states nothing.
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
    """A picture that cannot be used: its name in the source, a stable code such as `missing_picture`, and words."""

    name: str
    reason: str
    detail: str


class IndexedRow(NamedTuple):
    """A row of the source, whatever it holds.

    Args:
        file: Path of its file in the source.
        position: Place of the row, or of the entry that holds it, in its file, from 0; None for a file as a whole.
        entry: Which row it is, in words, such as `line 3`.
        source_id: Id by which the source or its place names it.
        question: Its question, whether it is an item or not; None where the row holds none that can be read.
        reason: Why it is no item; None for an item.
        detail: The same in words.
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
        """Return whether it is a question with its pictures that is no item: an open one, or one without a key."""
        return self.reason in WHOLE_QUESTIONS and self.question is not None and self.question.has_pictures


class RowCount(NamedTuple):
    """What became of the rows of a file: each is an item, a question that is no item, or left out.

    Args:
        file: Path of the file in the source.
        items: Number of rows that are items.
        no_item: Number of questions that are no items (`IndexedRow.is_no_item`), by reason.
        left_out: Number of other rows by reason; `reply` are those with a model's reply and no question.
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
        """Return the number of rows that hold a model's reply and no question."""
        return self.left_out.get(REPLY, 0)


class ImportCounts(NamedTuple):
    """How much an import holds.

    Args:
        items: Number of questions that are items.
        as_texts: Number of questions that are no items and whose words and keys can be checked, by reason.
        images: Number of pictures that are there, of items and of others.
        tasks: Number of questions by task; rotations are not counted.
        splits: Number of questions by split, empty for none stated.
        replies: Number of replies by model.
    """

    items: int
    as_texts: Counter[str]
    images: int
    tasks: Counter[str]
    splits: Counter[str]
    replies: Counter[str]
