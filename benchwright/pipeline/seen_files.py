"""What ingest found of each file, and what it remembers of that until the next run.

The memory is a file of one line per uri, sorted, each behind its checksum, and it is read and written as a stream
beside the sorted list of files: a folder of a million files takes no more memory than what was found of them. It is
only a shortcut, never part of a table.
"""

from __future__ import annotations

import json
import os
import stat
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from benchwright.canonical import digest
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import path_for
from benchwright.workspace.atomic import replacing

_DIGITS = 8


def checked_line(text: str) -> str:
    """Return a line of a file: the text behind its checksum."""
    return f"{crc32(text.encode()):0{_DIGITS}x} {text}\n"


def text_of(line: str) -> str:
    """Return the text of a line.

    Raises:
        ValueError: The line is not as it was written.
    """
    text = line[_DIGITS + 1 : -1]
    if line != checked_line(text):
        raise ValueError("the line is damaged")
    return text


_STAMP = struct.Struct("<qqqQ")
_PASSING = frozenset({"unreadable", "worker_died"})
"""Refusals that the next run may not meet."""


@dataclass(frozen=True, slots=True)
class SeenFile:
    """One file as found: its identity, or why it was refused."""

    uri: str
    image_id: str | None = None
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    media_type: str = ""
    notes: tuple[str, ...] = ()
    reason: str | None = None
    detail: str | None = None


class IngestCache:
    """What earlier runs found, by path, size, times and inode.

    Args:
        path: The file; one that is missing, damaged or of another folder or limits remembers nothing.
        root: The image folder.
        limits: What files were held against.
    """

    def __init__(self, path: Path, root: Path, limits: Limits) -> None:
        self._path = path
        self._root = root
        self._scope = digest([str(root.resolve()), vars(limits)])
        self._stamps: list[bytes | None] = []

    def recall(self, uris: Sequence[str]) -> list[SeenFile | None]:
        """Return for each uri, sorted, what is known of it if its file has not changed since; else None."""
        # Taken before any file is read: one that changes meanwhile is then read again next time.
        self._stamps = [self._stamp(uri) for uri in uris]
        files: list[SeenFile | None] = [None] * len(uris)
        entries = self._entries()
        entry = next(entries, None)
        for place, (uri, stamp) in enumerate(zip(uris, self._stamps, strict=True)):
            while entry is not None and entry["uri"] < uri:
                entry = next(entries, None)
            if entry is not None and entry["uri"] == uri and stamp is not None and _packed(entry["stamp"]) == stamp:
                files[place] = _seen(entry["seen"])
        return files

    def save(self, seen: Sequence[SeenFile], *, tmp: Path) -> None:
        """Remember what was found, in the order of `recall`."""
        with replacing(self._path, tmp=tmp) as draft, draft.open("w", encoding="utf-8") as handle:
            handle.write(checked_line(json.dumps(self._scope)))
            for file, stamp in zip(seen, self._stamps, strict=True):
                if file.reason not in _PASSING:
                    values = list(_STAMP.unpack(stamp)) if stamp is not None else None
                    line = {"uri": file.uri, "stamp": values, "seen": asdict(file)}
                    handle.write(checked_line(json.dumps(line, ensure_ascii=True)))

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield what the file holds, up to its end or the first line that is no entry."""
        try:
            with self._path.open(encoding="utf-8") as handle:
                if json.loads(text_of(handle.readline())) != self._scope:
                    return
                for line in handle:
                    entry = json.loads(text_of(line))
                    if (
                        not isinstance(entry, dict)
                        or not {"stamp", "seen"} <= entry.keys()
                        or type(entry.get("uri")) is not str
                    ):
                        return
                    yield entry
        except (OSError, ValueError):
            return

    def _stamp(self, uri: str) -> bytes | None:
        try:
            status = os.lstat(self._root / path_for(uri))
        except OSError:
            return None
        # A link's own times say nothing of its target's.
        if not stat.S_ISREG(status.st_mode):
            return None
        return _STAMP.pack(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_whole(path: Path) -> bool:
    """Return whether every line of such a file is as it was written; older programs wrote no checksums."""
    with path.open(encoding="utf-8", errors="replace") as handle:
        first = handle.readline()
        with suppress(ValueError):
            if isinstance(json.loads(first), str):
                return True
        try:
            text_of(first)
            for line in handle:
                text_of(line)
        except ValueError:
            return False
        return True


def _seen(fields: Any) -> SeenFile | None:
    try:
        return SeenFile(**{**fields, "notes": tuple(fields["notes"])})
    except (KeyError, TypeError):  # a line of another program's, or damaged: the file is read again
        return None


def _packed(stamp: Sequence[int] | None) -> bytes | None:
    try:
        return _STAMP.pack(*stamp) if stamp is not None else None
    except (struct.error, TypeError):
        return None
