"""Access to the files of a release folder, which are opened and listed without following links or touching devices."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError


class FolderEntry(NamedTuple):
    """One entry of a folder.

    Args:
        name: Path relative to the folder, with `/`.
        kind: Kind of the entry: `file`, `folder`, `link`, or `special` (device, pipe, socket).
    """

    name: str
    kind: str


def open_inside(root: Path, name: str) -> BufferedReader:
    """Open a regular file below a folder; no part of `name` may be a link.

    Raises:
        DataError: The file is missing, is not a regular file, or its path has a link.
    """
    *folders, last = name.split("/")
    try:
        at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = below
            # Without O_NONBLOCK, opening a pipe would wait for a writer.
            handle = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        finally:
            os.close(at)
    except FileNotFoundError:
        raise DataError(f"{shown(name)}: missing") from None
    except OSError as error:
        raise DataError(f"{shown(name)}: not a regular file that can be read ({error.strerror})") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise DataError(f"{shown(name)}: not a regular file")
    return os.fdopen(handle, "rb")


def read_inside(root: Path, name: str, *, max_bytes: int) -> bytes:
    """Return a file's bytes.

    Raises:
        DataError: As for `open_inside`, or the file is larger than `max_bytes`.
    """
    with open_inside(root, name) as handle:
        return read_whole(handle, name, max_bytes=max_bytes)


def read_whole(handle: BufferedReader, name: str, *, max_bytes: int) -> bytes:
    """Return the bytes of an open file.

    Raises:
        DataError: The file is larger than `max_bytes`.
    """
    if os.fstat(handle.fileno()).st_size > max_bytes:
        raise DataError(f"{shown(name)}: larger than {max_bytes} bytes")
    return handle.read()


def listing(root: Path, folders: frozenset[str]) -> Iterator[FolderEntry]:
    """Yield the entries of a folder and of its subfolders in `folders`; other subfolders are skipped."""
    for folder in ("", *sorted(folders)):
        path = root / folder
        if folder and (path.is_symlink() or not path.is_dir()):
            continue
        with os.scandir(path) as entries:
            for entry in entries:
                yield FolderEntry(f"{folder}/{entry.name}" if folder else entry.name, _kind(entry))


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if entry.is_file(follow_symlinks=False) else "special"


def shown(name: str) -> str:
    """Return a name as one line of text for a message, whatever bytes it contains."""
    return name if name.isprintable() else ascii(name)
