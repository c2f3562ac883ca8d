"""Numbered lines of untrusted text files, each of bounded length."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

from benchwright.files.bounds import ROW_BYTES

MAX_LINE_BYTES = 1 << 20
"""Largest annotation line of a dataset in bytes, unless `bounds.ROW_BYTES` sets another limit."""


def numbered_lines(handle: BinaryIO, *, usual_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes | None]]:
    """Yield each nonempty line with its number, counted from 1; None for a line that is too long.

    Args:
        handle: The file.
        usual_bytes: Largest line in bytes, unless `bounds.ROW_BYTES` sets another limit.
    """
    number, max_bytes = 0, ROW_BYTES.most(usual_bytes)
    while line := handle.readline(max_bytes):
        number += 1
        whole = line.endswith(b"\n") or len(line) < max_bytes
        is_long = not whole
        while not whole and (rest := handle.readline(max_bytes)):
            whole = rest.endswith(b"\n")
        if is_long:
            yield number, None
        elif line.strip():
            yield number, line


class JoinedLines(io.RawIOBase):
    """A file whose beginning has already been read."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer and return the number of bytes read."""
        piece: bytes | memoryview = self._head[: len(buffer)]
        self._head = self._head[len(piece) :]
        if not len(piece):
            piece = self._rest.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
