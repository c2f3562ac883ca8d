"""The file of the item index: its tables, and access to it.

It is stored in the workspace's `cache/` and contains only data from the run's tables or the review store, so it can be
deleted at any time, even while the app runs. A file that is damaged or has another version is rebuilt. Several
processes may use it: one writes at a time, and readers see the previous state.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchwright.workspace.private_files import make_private_file

from .vector_file import attach_vectors

logger = logging.getLogger(__name__)

FILE_NAME = "item-index.sqlite"
VERSION = 4
"""Version of the tables and their contents, incremented with any change to either."""
_BUSY_S = 60.0
"""Maximum number of seconds that one process waits while another updates the file."""
_TABLES = """
CREATE TABLE stamps (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE shards (shard TEXT PRIMARY KEY, signature TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (
    number INTEGER PRIMARY KEY,
    record_id TEXT NOT NULL UNIQUE,
    stream TEXT NOT NULL,
    shard TEXT,
    root_image_id TEXT,
    name TEXT NOT NULL,
    task TEXT NOT NULL,
    question TEXT NOT NULL,
    run_state TEXT,
    run_reason TEXT,
    run_stage TEXT,
    has_run_override INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    phash INTEGER,
    pictures INTEGER NOT NULL,
    asked TEXT NOT NULL,
    asked_key TEXT NOT NULL
);
CREATE INDEX records_by_asked ON records (asked_key);
CREATE INDEX records_by_shard ON records (shard);
CREATE TABLE reviews (
    number INTEGER PRIMARY KEY,
    rank INTEGER NOT NULL,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    campaign TEXT NOT NULL,
    decisions INTEGER NOT NULL,
    divided REAL NOT NULL,
    doubt REAL NOT NULL,
    active_at TEXT NOT NULL
);
CREATE INDEX reviews_by_activity ON reviews (active_at DESC, rank, number);
CREATE INDEX reviews_by_divided ON reviews (divided DESC, active_at DESC, rank, number);
CREATE TABLE pictures (
    number INTEGER, place INTEGER, image_id TEXT NOT NULL, marks TEXT NOT NULL, PRIMARY KEY (number, place)
) WITHOUT ROWID;
CREATE INDEX pictures_by_image ON pictures (image_id);
CREATE TABLE hashes (numbers BLOB NOT NULL, phashes BLOB NOT NULL);
CREATE TABLE names (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (kind, value));
CREATE TABLE facets (name INTEGER, number INTEGER, PRIMARY KEY (name, number)) WITHOUT ROWID;
CREATE INDEX facets_by_record ON facets (number, name);
CREATE TABLE measures (name INTEGER, value REAL, number INTEGER, PRIMARY KEY (name, value, number)) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5(words, prefix='2 3', tokenize='unicode61 remove_diacritics 2', detail='full');
CREATE VIRTUAL TABLE asked USING fts5(words, tokenize='porter unicode61 remove_diacritics 2');
"""


class IndexFile:
    """The index file of a workspace.

    Args:
        cache: Folder `cache/` of the workspace.
    """

    def __init__(self, cache: Path) -> None:
        self.path = cache / FILE_NAME

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees a single state of the file, with the vectors of items attached if there are any.

        Raises:
            sqlite3.Error: The file is damaged; call `discard` to allow a new one.
        """
        with closing(self._opened()) as connection:
            attach_vectors(connection, self.path.parent)
            connection.execute("BEGIN")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a write transaction; other writers wait, and readers see no changes until it ends.

        Raises:
            sqlite3.Error: The file is damaged or not writable, or another process has written for a minute.
        """
        with closing(self._opened()) as connection:
            connection.execute("PRAGMA cache_size = -65536")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def discard(self) -> None:
        """Remove the file; a new one is created when it is next opened."""
        for end in ("", "-wal", "-shm", "-journal"):
            self.path.with_name(self.path.name + end).unlink(missing_ok=True)

    def _opened(self) -> sqlite3.Connection:
        connection = self._connected()
        [[version]] = connection.execute("PRAGMA user_version")
        if version not in {0, VERSION}:
            connection.close()
            logger.info("%s has version %d, not %d; it is made anew", self.path, version, VERSION)
            self.discard()
            connection, version = self._connected(), 0
        if version == 0:
            self._make_tables(connection)
        return connection

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        make_private_file(self.path)  # SQLite gives the files next to it the same mode
        connection = sqlite3.connect(self.path, isolation_level=None, timeout=_BUSY_S)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")  # a file damaged by a power cut is made anew
        connection.execute("PRAGMA cache_size = -16384")
        connection.execute("PRAGMA temp_store = MEMORY")
        return connection

    @staticmethod
    def _make_tables(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN IMMEDIATE")
        [[version]] = connection.execute("PRAGMA user_version")
        if version == 0:  # else another process has made them in the meantime
            for statement in filter(str.strip, _TABLES.split(";\n")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the file is not an item index, not that it is in use or the disk is full."""
    code = getattr(error, "sqlite_errorname", "")
    return code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT", "SQLITE_IOERR_SHORT"))
