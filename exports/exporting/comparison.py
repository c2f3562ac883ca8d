"""Reading an export back: texts, keys, order and pixels are compared with the release."""

from __future__ import annotations

import io
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from benchwright.canonical import bytes_digest, digest
from benchwright.drawing.model_pictures import stored_picture
from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb
from benchwright.release import ReleasedItem, drawn_pictures
from benchwright.texts.normalization import counted

from .base import ExportFormat, ReadItem
from .beside import BesideReader
from .exported import ExportedItem

if TYPE_CHECKING:
    from benchwright.images.pixels import Pixels

_LAST = 16
"""Number of pictures that are kept with their bytes, since the next items mostly show them again."""

_KNOWN = 10_000
"""Number of pictures that are known to be right and not decoded again."""


_Kept = TypeVar("_Kept")


@dataclass
class ExportComparison:
    """How much of an export was compared with the release, all of it equal.

    Attributes:
        items: Number of items, in their order.
        questions: Number of questions.
        options: Number of options, texts and keys.
        answers: Number of keys of right options, those without a right option included.
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
        """Return the numbers by name."""
        return asdict(self)


class ExportComparer:
    """Comparer of what a format reads back with the release.

    Args:
        written: The format, all of whose files are written.
    """

    def __init__(self, written: ExportFormat) -> None:
        self._format = written
        self._known: OrderedDict[str, None] = OrderedDict()
        self._last: OrderedDict[str, bytes] = OrderedDict()
        self.comparison = ExportComparison()

    def compare(self, items: Iterable[ExportedItem]) -> Iterator[ExportedItem]:
        """Compare each item and yield it.

        Raises:
            DataError: Something differs, or the export has more or fewer items.
        """
        read = self._format.read()
        beside = BesideReader(self._format.folder) if self._format.shows_marks else None
        for exported in items:
            back = next(read, None)
            if back is None:
                raise DataError(f"the export ends before item {exported.item_id}")
            self._compare_texts(exported, back)
            if "pictures" in self._format.carries:
                self._compare_pictures(exported, back)
            if beside is not None:
                beside.compare(exported)
                self.comparison.marked_pictures = beside.compared
            self.comparison.items += 1
            yield exported
        if (more := next(read, None)) is not None:
            raise DataError(f"the export has an item {more.item_id} that comes after the release's last")
        if beside is not None:
            beside.end()

    def _compare_texts(self, exported: ExportedItem, back: ReadItem) -> None:
        expected: dict[str, Any] = {"item_id": exported.item_id, "split": exported.split}
        if "question" in self._format.carries:
            stated = self._format.question_as_stated
            expected["question"] = exported.item.question if stated else exported.question
            self.comparison.questions += 1
        if "options" in self._format.carries:
            expected["options"] = list(exported.options.items())
            self.comparison.options += len(exported.options)
        if "answer" in self._format.carries:
            expected["answer"] = exported.target
            self.comparison.answers += 1
        for name, value in expected.items():
            read: Any = list(back.options.items()) if name == "options" else getattr(back, name)
            if read != value:
                raise DataError(
                    f"item {exported.item_id} has other {name} in the export: {read!a:.200} instead of {value!a:.200}"
                )

    def _compare_pictures(self, exported: ExportedItem, back: ReadItem) -> None:
        if len(back.pictures) != len(exported.item.images):
            raise DataError(
                f"item {exported.item_id} has {counted(len(back.pictures), 'picture')} in the export, not "
                f"{len(exported.item.images)}"
            )
        expected: list[Pixels] | None = None
        for number, (data, image) in enumerate(zip(back.pictures, exported.item.images, strict=True), start=1):
            self.comparison.pictures += 1
            if self._is_released(data, number, exported.released):
                continue
            marks = [prompt.model_dump(mode="json") for prompt in image.prompts] if self._format.shows_marks else []
            shown = digest([image.image_id, marks])
            if self._last.get(shown) == data:  # which is cheaper to find out than its SHA-256
                continue
            key = digest([image.image_id, marks, bytes_digest(data)])
            if key not in self._known:
                if marks or _without_metadata(exported.released.images[image.image_id]) != data:
                    if expected is None:
                        expected = self._expected(exported.released)
                    if not np.array_equal(_decoded(data), expected[number - 1]):
                        raise DataError(f"item {exported.item_id}, picture {number} has other pixels in the export")
                _keep(self._known, key, None, most=_KNOWN)
            _keep(self._last, shown, data, most=_LAST)

    def _is_released(self, data: bytes, number: int, released: ReleasedItem) -> bool:
        """Return whether a picture is a file of the release, with its marks or, where there are none, without."""
        image = released.item.images[number - 1]
        drawn = released.drawn[number - 1] if released.drawn and self._format.shows_marks else None
        if drawn is not None:
            return data == drawn
        return not (image.prompts and self._format.shows_marks) and data == released.images[image.image_id]

    def _expected(self, released: ReleasedItem) -> list[Pixels]:
        """Return the pixels of an item's pictures, with marks or without, as evaluation decodes them."""
        if self._format.shows_marks:
            held = released.drawn or (None,) * len(released.item.images)
            if None not in held:
                return [decode_rgb(data) for data in held if data is not None]
            anew = map(np.asarray, drawn_pictures(released))
            return [pixels if data is None else decode_rgb(data) for data, pixels in zip(held, anew, strict=True)]
        return [decode_rgb(released.images[image.image_id]) for image in released.item.images]


def _keep(known: OrderedDict[str, _Kept], key: str, value: _Kept, *, most: int) -> None:
    """Keep a value under a key; the oldest goes first."""
    known[key] = value
    if len(known) > most:
        known.popitem(last=False)


def _without_metadata(stored: bytes) -> bytes | None:
    """Return a released file less what is no pixel; None where decoders may read it in different ways."""
    picture = stored_picture(stored)
    return None if picture is None else picture.data


def _decoded(data: bytes) -> Pixels:
    """Return a picture's pixels as consumers decode them: with Pillow, converted to RGB."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as image:
            return np.asarray(image.convert("RGB"))
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"a picture of the export cannot be decoded: {error}") from error
