"""Identities of the files that ingest has read, and their cache between runs.

The cache is a file of one line per URI, sorted, each after its checksum. It is read and written as a stream, in
parallel with the sorted list of files, so a folder of a million files needs no more memory than their results. The
cache only saves work and is never part of a table.
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
    """Return a line of the file: the checksum, then the text."""
    return f"{crc32(text.encode()):0{_DIGITS}x} {text}\n"


def text_of(line: str) -> str:
    """Return the text of a line, without its checksum.

    Raises:
        ValueError: The line is damaged.
    """
    text = line[_DIGITS + 1 : -1]
    if line != checked_line(text):
        raise ValueError("the line is damaged")
    return text


_STAMP = struct.Struct("<qqqQ")
_READS = "embedded sources"
"""Content that ingest reads from a file besides its identity; cache entries without it are not used."""
_PASSING = frozenset({"unreadable", "worker_died"})
"""Reasons for refusals that may not recur in the next run."""


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file that ingest has read: its identity, or the reason why it was refused."""

    uri: str
    image_id: str | None = None
    size_bytes: int = 0
    width: int = 0
    height: int = 0
    media_type: str = ""
    notes: tuple[str, ...] = ()
    reason: str | None = None
    detail: str | None = None
    embedded: Mapping[str, Mapping[str, str]] | None = None
    """What the file itself states about its source, by metadata standard; None if it states nothing."""


class IngestCache:
    """The cache of the identities that earlier runs determined, by path, size, times and inode.

    Args:
        path: File of the cache; if it is missing, damaged, or for another folder or other limits, the cache is empty.
        root: The image folder.
        limits: Limits against which the files were checked.
    """

    def __init__(self, path: Path, root: Path, limits: Limits) -> None:
        self._path = path
        self._root = root
        self._scope = digest([str(root.resolve()), vars(limits), _READS])
        self._stamps: list[bytes | None] = []

    def recall(self, uris: Sequence[str]) -> list[SeenFile | None]:
        """Return the cached entry of each of the sorted URIs; None if it is missing or the file has changed."""
        # Stamps precede any reading, so that the next run reads again a file that changes meanwhile.
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
        """Write the cache; `seen` is in the order of the URIs given to `recall`."""
        with replacing(self._path, tmp=tmp) as draft, draft.open("w", encoding="utf-8") as handle:
            handle.write(checked_line(json.dumps(self._scope)))
            for file, stamp in zip(seen, self._stamps, strict=True):
                if file.reason not in _PASSING:
                    values = list(_STAMP.unpack(stamp)) if stamp is not None else None
                    line = {"uri": file.uri, "stamp": values, "seen": asdict(file)}
                    handle.write(checked_line(json.dumps(line, ensure_ascii=True)))

    def _entries(self) -> Iterator[Mapping[str, Any]]:
        """Yield the entries of the file, up to its end or to the first line that is not an entry."""
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
        # The times of a link do not change with its target.
        if not stat.S_ISREG(status.st_mode):
            return None
        return _STAMP.pack(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def is_whole(path: Path) -> bool:
    """Return whether no line of a cache file is damaged; files of older versions have no checksums."""
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
    except (KeyError, TypeError):  # a line of another version, or damaged: the image file is read again
        return None


def _packed(stamp: Sequence[int] | None) -> bytes | None:
    try:
        return _STAMP.pack(*stamp) if stamp is not None else None
    except (struct.error, TypeError):
        return None
