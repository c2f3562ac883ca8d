"""Files that an image folder may contain: regular files inside it, opened without following links."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from benchwright.errors import UnreadableImage
from benchwright.images.formats.walking import Limits

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


def shown(path: Path, root: Path) -> str:
    """Return a path's name on one line, relative to the folder if it is inside."""
    return repr(os.fspath(path.relative_to(root) if path.is_relative_to(root) else path.name))


def inside(path: Path, root: Path) -> Path:
    """Resolve links and return the real path; refuse a path outside the folder."""
    try:
        real = Path(os.path.realpath(path, strict=True))
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENOTDIR}:
            raise UnreadableImage("not_a_file", f"a link that leads nowhere ({os.strerror(error.errno)})") from None
        raise UnreadableImage("unreadable", _strerror(error)) from None
    if not real.is_relative_to(os.path.realpath(root)):
        raise UnreadableImage("outside_folder", "a link that leads out of the image folder")
    return real


def _strerror(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else type(error).__name__


@contextmanager
def open_regular(path: Path, *, limits: Limits) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file and yield it with its size; never blocks, whatever the path refers to.

    Raises:
        UnreadableImage: `not_a_file`, `unreadable`, `empty` or `too_large`.
    """
    try:
        # The kind is checked before opening, because opening a device can already have effects.
        mode = os.stat(path).st_mode
        handle = os.fdopen(_opened(path), "rb", buffering=1 << 16) if stat.S_ISREG(mode) else None
    except OSError as error:
        reason = "not_a_file" if error.errno in {errno.ENOENT, errno.ENXIO} else "unreadable"
        raise UnreadableImage(reason, _strerror(error)) from None
    if handle is None:
        raise UnreadableImage("not_a_file", f"{_kind(mode)}, not a regular file")
    with handle:
        before = os.fstat(handle.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableImage("not_a_file", f"{_kind(before.st_mode)}, not a regular file")
        if before.st_size == 0:
            raise UnreadableImage("empty", "0 bytes")
        if before.st_size > limits.max_bytes:
            raise UnreadableImage("too_large", f"{before.st_size:,} bytes, limit {limits.max_bytes:,}")
        try:
            yield handle, before.st_size
        except OSError as error:
            raise UnreadableImage("unreadable", _strerror(error)) from None
        after = os.fstat(handle.fileno())
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise UnreadableImage("unreadable", "changed while it was read")


def _opened(path: Path) -> int:
    """Return a descriptor for a file, or for the file to which a link points."""
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError as error:
        if error.errno != errno.ELOOP:  # the error of O_NOFOLLOW for a link; other files need no extra call
            raise
    return os.open(os.path.realpath(path), _OPEN_FLAGS)


def read_file(path: Path, *, limits: Limits) -> bytes:
    """Return the bytes of a regular file within the limit, following links.

    Raises:
        UnreadableImage: The file is refused, as by `open_regular`.
    """
    with open_regular(path, limits=limits) as (handle, size):
        return handle.read(size)


def _kind(mode: int) -> str:
    for is_so, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if is_so(mode):
            return name
    return "something else"
