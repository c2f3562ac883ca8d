"""Reading of untrusted packed files (`.gz`), which are decompressed up to a limit."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from benchwright.errors import DataError
from benchwright.files.bounds import UNPACKED_BYTES


class BrokenOff(DataError):
    """A damaged or truncated file; the data read before the error are valid."""


@contextmanager
def unpacked(handle: BinaryIO, title: str) -> Iterator[BinaryIO]:
    """Yield the contents of a packed file, for reading from start to end.

    Args:
        handle: The packed file.
        title: Name of the file for messages.

    Raises:
        DataError: The file unpacks to more than `bounds.UNPACKED_BYTES`.
        BrokenOff: The file is damaged.
    """
    try:
        with gzip.GzipFile(fileobj=handle, mode="rb") as content:
            yield cast(BinaryIO, io.BufferedReader(_Counted(content, title), 1 << 16))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BrokenOff(f"{title} cannot be unpacked: {error}; fetch it again") from error


def check_unpacked(size: int, title: str) -> None:
    """Check the unpacked size of a packed file or archive member.

    Args:
        size: Stated number of bytes, or the number read so far.
        title: Name of the file or member for messages.

    Raises:
        DataError: The size exceeds `bounds.UNPACKED_BYTES`.
    """
    if size > (most := UNPACKED_BYTES.most()):
        raise DataError(f"{title} unpacks to more than {most:,} bytes; unpack it yourself, {UNPACKED_BYTES.or_raise()}")


class _Counted(io.RawIOBase):
    """A file that counts the bytes read from it."""

    def __init__(self, content: gzip.GzipFile, title: str) -> None:
        self._content, self._title = content, title
        self._read = 0
        self._most = UNPACKED_BYTES.most()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = self._content.readinto(buffer)
        self._read += count
        if self._read > self._most:
            check_unpacked(self._read, self._title)
        return count
