"""The content that reading an export back must return, stored per item in a temporary file while it is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any, NamedTuple

from .exported import ExportedItem


class ExpectedMarks(NamedTuple):
    """A marked picture of an item.

    Attributes:
        number: Position among the item's pictures, from 1.
        image_id: SHA-256 of the file without marks.
        marks: The marks as vectors, in JSON values.
    """

    number: int
    image_id: str
    marks: list[Any]


class ExpectedItem(NamedTuple):
    """The content that must be returned for an item when an export is read back.

    Attributes:
        item_id: Id of the item.
        split: Name of the split.
        question: Text of the question as the item states it.
        question_in_words: The question with the names of pictures ("Image 2") in place of `<image 2>`.
        options: Keys and texts of the options, in order.
        answer: Key of the right option; None if none is right.
        pictures: SHA-256 of the files of its pictures as models see them, in order.
        marked: Its marked pictures, in order.
    """

    item_id: str
    split: str
    question: str
    question_in_words: str
    options: list[tuple[str, str]]
    answer: str | None
    pictures: list[str]
    marked: list[ExpectedMarks]

    @classmethod
    def of(cls, exported: ExportedItem) -> ExpectedItem:
        """Return the content expected when a written item is read back."""
        item = exported.item
        return cls(
            item.item_id,
            exported.split,
            item.question,
            exported.question,
            list(exported.options.items()),
            exported.target,
            [picture.sha256 for picture in exported.pictures],
            [
                ExpectedMarks(number, image.image_id, [prompt.model_dump(mode="json") for prompt in image.prompts])
                for number, image in enumerate(item.images, start=1)
                if image.prompts
            ],
        )


class ExpectedItems:
    """The expected items of an export in order, for use in a `with` block; memory use does not grow with them."""

    def __init__(self) -> None:
        self._lines: IO[str] = TemporaryFile("w+", encoding="ascii", newline="\n")  # noqa: SIM115 - closed on exit

    def __enter__(self) -> ExpectedItems:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()

    def add(self, exported: ExportedItem) -> None:
        """Add a written item."""
        self._lines.write(json.dumps(ExpectedItem.of(exported)) + "\n")

    def __iter__(self) -> Iterator[ExpectedItem]:
        self._lines.seek(0)
        for line in self._lines:
            expected = ExpectedItem(*json.loads(line))
            yield expected._replace(
                options=[(key, text) for key, text in expected.options],
                marked=[ExpectedMarks(*marks) for marks in expected.marked],
            )
