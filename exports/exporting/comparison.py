"""Comparison of an export, as read back, with its release: texts, keys, order and pixels."""

from __future__ import annotations

import io
import warnings
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb
from benchwright.texts.normalization import counted

from .base import ExportFormat, ReadItem
from .beside import BesideReader
from .expected import ExpectedItem, ExpectedItems
from .exported import ExportedItem
from .walk import ReleaseWalk

if TYPE_CHECKING:
    from benchwright.images.pixels import Pixels

_LAST = 16
"""Number of pictures whose bytes stay in memory, since consecutive items usually share pictures."""

_KNOWN = 10_000
"""Number of remembered pictures whose pixels are known to be right, so that they need no second decoding."""


_Key = TypeVar("_Key")
_Kept = TypeVar("_Kept")


@dataclass
class ExportComparison:
    """The numbers of parts of an export that were compared with the release and found to be equal.

    Attributes:
        items: Number of items, in order.
        questions: Number of questions.
        options: Number of options, each with its text and key.
        answers: Number of keys of right options, including items that have none.
        pictures: Number of pictures of items.
        marked_pictures: Number of marked pictures whose vectors and clean files were compared.
    """

    items: int = 0
    questions: int = 0
    options: int = 0
    answers: int = 0
    pictures: int = 0
    marked_pictures: int = 0

    def document(self) -> dict[str, int]:
        """Return these numbers by name."""
        return asdict(self)


class ExportComparer:
    """Compares an export, as its format reads it back, with the release.

    Pixels are compared, and the release is read again, only if the format's picture files differ from those that models
    see.

    Args:
        written: The format, with all its files written.
        walk: The walk over the release.
    """

    def __init__(self, written: ExportFormat, walk: ReleaseWalk) -> None:
        self._format = written
        self._again = walk.items()
        self._reached: ExportedItem | None = None
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._last: OrderedDict[str, bytes] = OrderedDict()
        self.comparison = ExportComparison()

    def compare(self, items: ExpectedItems) -> Iterator[ExpectedItem]:
        """Compare each item and yield it.

        Raises:
            DataError: Something differs, or the export has more or fewer items.
        """
        read = self._format.read()
        beside = BesideReader(self._format.folder) if self._format.shows_marks else None
        for expected in items:
            back = next(read, None)
            if back is None:
                raise DataError(f"the export ends before item {expected.item_id}")
            self._compare_texts(expected, back)
            if "pictures" in self._format.carries:
                self._compare_pictures(expected, back)
            if beside is not None:
                beside.compare(expected)
                self.comparison.marked_pictures = beside.compared
            self.comparison.items += 1
            yield expected
        if (more := next(read, None)) is not None:
            raise DataError(f"the export has an item {more.item_id} that comes after the release's last")
        if beside is not None:
            beside.end()

    def _compare_texts(self, expected: ExpectedItem, back: ReadItem) -> None:
        values: dict[str, Any] = {"item_id": expected.item_id, "split": expected.split}
        if "question" in self._format.carries:
            stated = self._format.question_as_stated
            values["question"] = expected.question if stated else expected.question_in_words
            self.comparison.questions += 1
        if "options" in self._format.carries:
            values["options"] = expected.options
            self.comparison.options += len(expected.options)
        if "answer" in self._format.carries:
            values["answer"] = expected.answer
            self.comparison.answers += 1
        for name, value in values.items():
            read: Any = list(back.options.items()) if name == "options" else getattr(back, name)
            if read != value:
                raise DataError(
                    f"item {expected.item_id} has other {name} in the export: {read!a:.200} instead of {value!a:.200}"
                )

    def _compare_pictures(self, expected: ExpectedItem, back: ReadItem) -> None:
        if len(back.pictures) != len(expected.pictures):
            raise DataError(
                f"item {expected.item_id} has {counted(len(back.pictures), 'picture')} in the export, not "
                f"{len(expected.pictures)}"
            )
        for number, (data, sha256) in enumerate(zip(back.pictures, expected.pictures, strict=True), start=1):
            self.comparison.pictures += 1
            if self._last.get(sha256) == data:  # cheaper than computing its SHA-256
                continue
            found = bytes_digest(data)
            if found != sha256 and (sha256, found) not in self._known:
                if not np.array_equal(_decoded(data), self._pixels(expected.item_id, number)):
                    raise DataError(f"item {expected.item_id}, picture {number} has different pixels in the export")
                _keep(self._known, (sha256, found), None, most=_KNOWN)
            _keep(self._last, sha256, data, most=_LAST)

    def _pixels(self, item_id: str, number: int) -> Pixels:
        """Return the pixels of a picture of an item; items must be requested in order."""
        while self._reached is None or self._reached.item_id != item_id:
            self._reached = next(self._again)
        return decode_rgb(self._reached.pictures[number - 1].data)


def _keep(known: OrderedDict[_Key, _Kept], key: _Key, value: _Kept, *, most: int) -> None:
    """Store a value under a key, and drop the oldest value if there are too many."""
    known[key] = value
    if len(known) > most:
        known.popitem(last=False)


def _decoded(data: bytes) -> Pixels:
    """Return a picture's pixels as consumers decode them: with Pillow, converted to RGB."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGB"))
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"a picture of the export cannot be decoded: {error}") from error
