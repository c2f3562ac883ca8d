"""TIFF directories, the common structure of TIFF files, EXIF blocks and multi-picture JPEGs.

This module reads only the data needed to accept a file: fields by tag, a field's integers, the next directory. The
block's size bounds every read.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, NamedTuple

from benchwright.errors import UnreadableImage

ORIENTATION = 274
_MOST_FIELDS = 65_535
_WIDTHS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 18: 8}
_INTEGERS = {1: "B", 3: "H", 4: "I", 13: "I", 16: "Q", 18: "Q"}


class Field(NamedTuple):
    """One field of a directory: TIFF type, number of values, and offset of the values."""

    kind: int
    values: int
    at: int


class TiffBlock:
    """A TIFF structure inside a file.

    Args:
        handle: The file.
        start: Offset at which the structure begins; all its offsets are relative to it.
        size: Number of its bytes from `start` on.

    Raises:
        UnreadableImage: `truncated` if bytes are missing, `corrupt` if they are not valid TIFF data.
    """

    def __init__(self, handle: BinaryIO, *, start: int, size: int) -> None:
        self._handle, self._start, self._size = handle, start, size
        head = self._take(0, 8)
        order, magic = head[:2], head[2:4]
        if order not in {b"II", b"MM"} or not {42, 43}.intersection(magic):
            raise UnreadableImage("corrupt", f"a TIFF structure cannot begin with {head[:4]!r}")
        self._order = "<" if order == b"II" else ">"
        self._big = 43 in magic
        self._pointer = "Q" if self._big else "I"
        self.first = self._unpack("Q", self._take(8, 8))[0] if self._big else self._unpack("I", head[4:])[0]

    def _take(self, at: int, length: int) -> bytes:
        if at + length > self._size:
            raise UnreadableImage("truncated", f"the TIFF data end at {self._size:,}, needed up to {at + length:,}")
        self._handle.seek(self._start + at)
        data = self._handle.read(length)
        if len(data) < length:
            raise UnreadableImage("truncated", f"{len(data):,} of {length:,} bytes at {at:,}")
        return data

    def _unpack(self, layout: str, data: bytes) -> tuple[int, ...]:
        return struct.unpack(self._order + layout, data)

    def _fields_at(self, at: int) -> tuple[int, int]:
        """Return the number of fields in the directory at an offset, and the offset of the first field."""
        width = 8 if self._big else 2
        count = self._unpack("Q" if self._big else "H", self._take(at, width))[0]
        if count > _MOST_FIELDS:
            raise UnreadableImage("corrupt", f"a directory of {count:,} fields, limit {_MOST_FIELDS:,}")
        return count, at + width

    def fields(self, at: int) -> dict[int, Field]:
        """Return the fields of the directory at an offset, by tag; if a tag is repeated, its first field."""
        count, begin = self._fields_at(at)
        layout, width, inline = ("HHQ8x", 20, 8) if self._big else ("HHI4x", 12, 4)
        fields: dict[int, Field] = {}
        block = self._take(begin, count * width)
        for number, (tag, kind, values) in enumerate(struct.iter_unpack(self._order + layout, block)):
            where = begin + number * width + width - inline
            if _WIDTHS.get(kind, 1) * values > inline:
                where = self._unpack(self._pointer, self._take(where, inline))[0]
            fields.setdefault(tag, Field(kind, values, where))
        return fields

    def following(self, at: int) -> int:
        """Return the offset of the directory that follows the one at the given offset, or 0 if that one is the last."""
        count, begin = self._fields_at(at)
        width, pointer = (20, 8) if self._big else (12, 4)
        return self._unpack(self._pointer, self._take(begin + count * width, pointer))[0]

    def integers(self, field: Field, *, first: int = 0, at_most: int = 16) -> tuple[int, ...]:
        """Return up to `at_most` values of an integer field, starting with the value at index `first`."""
        if field.kind not in _INTEGERS:
            raise UnreadableImage("corrupt", f"a TIFF field of type {field.kind} where integers belong")
        width, number = _WIDTHS[field.kind], min(field.values - first, at_most)
        if number <= 0:
            return ()
        return self._unpack(f"{number}{_INTEGERS[field.kind]}", self._take(field.at + first * width, number * width))

    def check_whole(self, field: Field) -> None:
        """Check that all values of a field lie inside the structure."""
        if field.at + _WIDTHS.get(field.kind, 1) * field.values > self._size:
            raise UnreadableImage("truncated", f"the TIFF data end at {self._size:,}, before a field's values do")

    def integer(self, fields: dict[int, Field], tag: int, default: int) -> int:
        """Return a field's first value, or the default if the directory does not contain the field."""
        values = self.integers(fields[tag], at_most=1) if tag in fields else ()
        return values[0] if values else default


def exif_orientation(handle: BinaryIO, *, start: int, size: int) -> int:
    """Return the orientation, 1 to 8, that an EXIF block states; 1 if it states none or is unreadable.

    Broken EXIF does not raise an error, because the pixels may be intact.
    """
    try:
        block = TiffBlock(handle, start=start, size=size)
        value = block.integer(block.fields(block.first), ORIENTATION, 1)
    except UnreadableImage:
        return 1
    return value if 1 <= value <= 8 else 1
