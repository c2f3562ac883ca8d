"""The expected size of a release and its factors, computed from records alone before drawing or writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from benchwright.records import ImageRecord
from benchwright.release.format.provenance import METADATA_REMOVED, TURNED
from benchwright.texts.normalization import counted

Part = Literal["kept", "turned", "made", "drawn"]

_WORDS: Mapping[Part, str] = {
    "kept": "kept unchanged",
    "turned": "turned upright",
    "made": "made by steps",
    "drawn": "drawn for models in addition to their files",
}
_JPEG_BYTES_PER_PIXEL = 0.6
_LOSSLESS_BYTES_PER_PIXEL = 1.2
"""Estimated bytes per pixel of drawings on photographs, before they are drawn."""

_READ_ALIKE = frozenset({"image/jpeg", "image/png", "image/webp"})


class PictureOfRow(NamedTuple):
    """A picture shown with the same marks by items of a split, drawn as JPEG (`is_visual`) or losslessly."""

    split: str
    image_id: str
    is_marked: bool
    is_visual: bool


@dataclass(frozen=True)
class ExpectedSize:
    """Number and size, in bytes, of a release's pictures, by how they are treated; only `drawn` is an estimate.

    Attributes:
        pictures: Number of pictures by treatment.
        sizes: Size of these pictures, in bytes.
        splits: Size of all pictures by split, in bytes.
        text_bytes: Size of the rows without pictures.
    """

    pictures: Counter[Part] = field(default_factory=Counter)
    sizes: Counter[Part] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    text_bytes: int = 0

    @property
    def size_bytes(self) -> int:
        """Return the total size of pictures and texts, in bytes; texts are counted uncompressed."""
        return self.sizes.total() + self.text_bytes

    def add(self, part: Part, split: str, size_bytes: int) -> None:
        """Count a picture of a split."""
        self.pictures[part] += 1
        self.sizes[part] += size_bytes
        self.splits[split] += size_bytes

    def document(self) -> dict[str, Any]:
        """Return the sizes as JSON values."""
        parts: dict[str, Any] = {part: {"pictures": self.pictures[part], "bytes": self.sizes[part]} for part in _WORDS}
        return {"bytes": self.size_bytes, "texts": self.text_bytes, **parts}

    def text(self) -> str:
        """Return the size as one line of text."""
        parts = [
            f"{counted(self.pictures[part], 'picture')} {words} ({_megabytes(self.sizes[part])})"
            for part, words in _WORDS.items()
            if self.pictures[part]
        ]
        return f"about {_megabytes(self.size_bytes)}: {', '.join([*parts, f'texts ({_megabytes(self.text_bytes)})'])}"


def expected_size(
    shown: Iterable[PictureOfRow],
    *,
    image: Callable[[str], ImageRecord],
    steps: Mapping[str, str],
    by_address: Callable[[ImageRecord], bool],
    text_bytes: int,
) -> ExpectedSize:
    """Return the expected size of a release.

    Args:
        shown: Pictures as items show them, once for each set of marks, sorted by split and image.
        image: Function that returns the record of an image.
        steps: Steps of operations by operation id.
        by_address: Function that returns whether the release omits the file of a record.
        text_bytes: Size of the rows without pictures.
    """
    size = ExpectedSize(text_bytes=text_bytes)
    last: tuple[str, str] | None = None
    for picture in shown:
        record = image(picture.image_id)
        if by_address(record):
            continue
        if last != (last := (picture.split, picture.image_id)):
            step = steps.get(record.operation_id or "")
            is_made = record.source is None and step not in {"", METADATA_REMOVED}
            part: Part = "turned" if step == TURNED else "made" if is_made else "kept"
            size.add(part, picture.split, record.size_bytes)
        if picture.is_marked or record.notes or record.media_type not in _READ_ALIKE:
            each = _JPEG_BYTES_PER_PIXEL if picture.is_visual else _LOSSLESS_BYTES_PER_PIXEL
            size.add("drawn", picture.split, round(record.width * record.height * each))
    return size


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
