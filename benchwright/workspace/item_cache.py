"""The cache of results for single items, in a workspace's `cache/`, such as replies, previews and pictures.

A key is the digest of everything that the cached bytes depend on: hashes of pictures, settings, the version of the code
that makes them, and the versions of this package and of the libraries below it. Keys never include file names. The
cache holds only complete results, never errors.

The cache only saves work, and its file can be deleted at any time. An entry that does not match its digest is made
again. A file that is no longer a database is replaced by a new one. If the file is not writable, nothing is cached.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from benchwright.canonical import digest
from benchwright.machine.versions import library_versions
from benchwright.workspace.private_files import make_private_file

logger = logging.getLogger(__name__)

FILE_NAME = "items.sqlite"
VERSION = 1
MAX_BYTES = 512 * 1024**2
"""Largest total size of all entries, in bytes; the least recently used entries are removed first."""

PICTURES_NAME = "pictures.sqlite"
"""File of encoded pictures of releases, so that each is encoded only once."""

_MOST_PICTURE_BYTES = 4 * 1024**3

FILE_NAMES = (FILE_NAME, PICTURES_NAME)

_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT")
_COMMIT_S = 1.0
_DAY_S = 86_400
_TABLE = """
    CREATE TABLE entry (key BLOB PRIMARY KEY, day INTEGER, size INTEGER, sha256 BLOB, data BLOB);
    CREATE INDEX entry_by_day ON entry (day, size);
"""


class UnusedEntries(NamedTuple):
    """The count and size of entries that have not been used recently."""

    entries: int
    size_bytes: int


def damaged_entries(path: Path) -> int:
    """Return the number of damaged entries of a cache file; 1 if the file is not a readable database."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute("SELECT key, sha256, data FROM entry")
            return sum(not isinstance(data, bytes) or sha256 != _entry_digest(key, data) for key, sha256, data in rows)
    except (sqlite3.Error, TypeError):
        return 1


class ItemCache:
    """An open cache file, for all threads; use it as a context manager. Without a path it caches nothing.

    Args:
        path: Path of the file; the file and its folder are created if missing.
        max_bytes: Largest size of all entries together, in bytes.
        today: Current day, in days since 1970, recorded as the day of an entry's last use; from the clock if None.
    """

    def __init__(self, path: Path | None, *, max_bytes: int = MAX_BYTES, today: int | None = None) -> None:
        self._path, self._max_bytes = path, max_bytes
        self._today = int(time.time() // _DAY_S) if today is None else today
        self._database: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._size, self._committed = 0, time.monotonic()
        if path is not None:
            self._open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._commit()
            if self._database is not None:
                self._database.close()
                self._database = None

    def get_or_make(self, kind: str, depends_on: Any, make: Callable[[], bytes]) -> bytes:
        """Return the cached bytes of a key, or make and cache them; exceptions of `make` are raised unchanged.

        Args:
            kind: Kind of the entry, with the version of the code that makes it, such as `preview 1`.
            depends_on: Everything that the bytes depend on besides that code, as a JSON value, with digests in place of
                content.
            make: Function that makes the bytes.
        """
        data = self.get(kind, depends_on)
        if data is None:
            data = make()
            self.put(kind, depends_on, data)
        return data

    def get(self, kind: str, depends_on: Any) -> bytes | None:
        """Return the cached bytes of a key, or None; for results that are made several at a time."""
        if self._database is None:
            return None
        with self._lock:
            return self._get(_key(kind, depends_on))

    def holds(self, kind: str, depends_on: Any) -> bool:
        """Return whether the cache contains bytes for a key; `get` still returns None if they are damaged."""
        with self._lock:
            return bool(self._execute("SELECT 1 FROM entry WHERE key = ?", _key(kind, depends_on)))

    def put(self, kind: str, depends_on: Any, data: bytes) -> None:
        """Cache the bytes of a key."""
        if self._database is not None:
            with self._lock:
                self._put(_key(kind, depends_on), data)

    def unused_since(self, days: float, *, remove: bool) -> UnusedEntries:
        """Return the count and size of entries unused for more than `days` days; remove them on request."""
        oldest = self._today - days
        rows = self._execute("SELECT count(*), coalesce(sum(size), 0) FROM entry WHERE day < ?", oldest)
        unused = UnusedEntries(*rows[0]) if rows else UnusedEntries(0, 0)
        if remove and unused.entries:
            self._write("DELETE FROM entry WHERE day < ?", oldest)
            self._size -= unused.size_bytes
            self._commit()
            self._execute("VACUUM")
        return unused

    def _get(self, key: bytes) -> bytes | None:
        rows = self._execute("SELECT day, sha256, data FROM entry WHERE key = ?", key)
        if not rows:
            return None
        day, sha256, data = rows[0]
        if not isinstance(data, bytes) or sha256 != _entry_digest(key, data):
            self._write("DELETE FROM entry WHERE key = ?", key)
            return None
        if day != self._today:
            self._write("UPDATE entry SET day = ? WHERE key = ?", self._today, key)
        return data

    def _put(self, key: bytes, data: bytes) -> None:
        if len(data) > self._max_bytes // 2:
            return
        values = (key, self._today, len(data), _entry_digest(key, data), data)
        self._write("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?)", *values)
        self._size += len(data)
        if self._size > self._max_bytes:
            self._make_room()
        if time.monotonic() - self._committed > _COMMIT_S:  # limits the loss of a killed run
            self._commit()

    def _make_room(self) -> None:
        """Remove the least recently used entries until a tenth of the size limit is free."""
        for rowid, size in self._execute("SELECT rowid, size FROM entry ORDER BY day, rowid"):
            if self._size <= self._max_bytes * 9 // 10:
                break
            self._write("DELETE FROM entry WHERE rowid = ?", rowid)
            self._size -= size

    def _open(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connect(path)
                [(version,)] = self._database_execute("PRAGMA user_version")
                if version == VERSION:
                    [(self._size,)] = self._database_execute("SELECT coalesce(sum(size), 0) FROM entry")
                elif version == 0:
                    self._make_table()
                else:
                    self._begin_anew(path)
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._begin_anew(path)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _connect(self, path: Path) -> None:
        make_private_file(path)  # replies are private to the owner
        self._database = sqlite3.connect(path, isolation_level=None, timeout=5.0, check_same_thread=False)
        # SQLite repairs the file of a killed process from its journal; damage by a power cut is detected by digests.
        self._database.execute("PRAGMA synchronous = OFF")

    def _make_table(self) -> None:
        assert self._database is not None
        self._database.executescript(f"BEGIN; {_TABLE} PRAGMA user_version = {VERSION}; COMMIT;")

    def _begin_anew(self, path: Path) -> None:
        if self._database is not None:
            self._database.close()
        for name in (path.name, f"{path.name}-journal"):
            path.with_name(name).unlink(missing_ok=True)
        self._size = 0
        self._connect(path)
        self._make_table()

    def _write(self, statement: str, *values: Any) -> None:
        """Run a statement in a transaction with periodic commits."""
        if self._database is not None and not self._database.in_transaction:
            self._execute("BEGIN")
        self._execute(statement, *values)

    def _commit(self) -> None:
        if self._database is not None and self._database.in_transaction:
            self._execute("COMMIT")
        self._committed = time.monotonic()

    def _execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement; replace a damaged file with a new one, and continue without an unusable file."""
        if self._database is None or self._path is None:
            return []
        try:
            return self._database_execute(statement, *values)
        except sqlite3.DatabaseError as error:
            try:
                if not _is_damage(error):
                    raise
                logger.info("%s is damaged (%s); starting a new one", self._path, error)
                self._begin_anew(self._path)
            except (sqlite3.Error, OSError) as last:
                self._give_up(last)
        return []

    def _database_execute(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        assert self._database is not None
        return self._database.execute(statement, values).fetchall()

    def _give_up(self, error: Exception) -> None:
        logger.info("%s is not used (%s)", self._path, error)
        if self._database is not None:
            self._database.close()
            self._database = None


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether the fault is in the file's content or version, not a lock, read-only file or full disk."""
    return getattr(error, "sqlite_errorname", "").startswith(_DAMAGED)


def cache_of(folder: Path) -> ItemCache:
    """Open the cache of a workspace's `cache/` folder."""
    return ItemCache(folder / FILE_NAME)


def pictures_of(folder: Path) -> ItemCache:
    """Open the cache of released pictures in a workspace's `cache/` folder."""
    return ItemCache(folder / PICTURES_NAME, max_bytes=_MOST_PICTURE_BYTES)


def _key(kind: str, depends_on: Any) -> bytes:
    return bytes.fromhex(digest([kind, _program(), depends_on]))


def _entry_digest(key: bytes, data: bytes) -> bytes:
    return hashlib.sha256(key + data).digest()


@cache
def _program() -> str:
    """Return the digest of the versions on which any cached bytes may depend."""
    return digest(library_versions())
