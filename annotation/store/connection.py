"""One way to connect to the review store.

Processes that claim slots at once need the write lock *before* they look for a free slot. With a plain
`BEGIN` eight of them read first and then failed as busy 1,448 times over 600 slots; with `BEGIN IMMEDIATE`
never. Readers take a plain `BEGIN`, which in WAL mode waits for no writer.
"""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event

from benchwright.errors import BenchwrightError

BUSY_TIMEOUT_MS = 30_000
_RETRY_MS = 20
WRITING = "benchwright_writing"
"""Execution option of connections that are going to write."""
_PREFIX = "sqlite:///"


def path_of(url: str) -> Path:
    """Return the file that a store's URL names.

    Raises:
        BenchwrightError: It is not `sqlite:///PATH`.
    """
    if not url.startswith(_PREFIX) or url.removeprefix(_PREFIX) in {"", ":memory:"}:
        raise BenchwrightError(
            f"review stores are SQLite files: expected sqlite:///PATH, found {url.partition(':')[0]!r}"
        )
    return Path(url.removeprefix(_PREFIX))


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Put a new file in WAL mode; for that SQLite waits for no other process, so this does."""
    for left in range(BUSY_TIMEOUT_MS // _RETRY_MS, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not left:
                raise
            time.sleep(_RETRY_MS / 1000)


def connect(path: Path) -> sa.Engine:
    """Return an engine whose connections hold foreign keys, wait for locks, and begin as their use needs."""
    # URL.create, not the text: a folder's name may hold a question mark or a percent sign.
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver guesses
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA foreign_keys = ON")
        _log_ahead(connection)

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        writing = connection.get_execution_options().get(WRITING, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
