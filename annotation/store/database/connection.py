"""One way to connect to the review store, on SQLite or PostgreSQL, and one rule for both: one writer at a time.

Processes that claim slots at once need the write lock *before* they look for a free slot. On SQLite, with a plain
`BEGIN` eight of them read first and then failed as busy 1,448 times over 600 slots; with `BEGIN IMMEDIATE` never. On
PostgreSQL a writing transaction takes an advisory lock of its schema first, which comes to the same: what holds under
one writer on one holds on the other. Who waits for it waits in a queue: among processes PostgreSQL's own, and for a
file ours (`turns`); among the threads of one process before a connection is taken, so that fifty who wait to write
leave the pool's connections to those who read. Readers wait for nobody on either. Each message to a server that is
sent in a turn to write lengthens it by the time until this process gets to run again, so what can be found and checked
before is (`next_task`, `submissions`), and a transaction begins in one message with its turn.

A commit reaches the disk before it is done, so that what was acknowledged outlives a power cut. Only handing out is
committed without that wait: killing the server takes nothing back, and a power cut at most the last few leases, up to
the last decision, whose tasks then go out again.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.storage_faults import storage_fault
from benchwright.workspace.private_files import make_private_file

from .read_only import is_read_only, read_only_engine
from .turns import FairLock, Turns

BUSY_TIMEOUT_MS = 30_000
_RETRY_MS = 20
WRITING = "benchwright_writing"
"""Execution option of connections that are going to write."""
UNFLUSHED = "benchwright_unflushed"
"""Execution option of those that write nothing but leases."""
ASKED_FIRST = "benchwright_asked_first"
"""Execution option of those: a query that is asked as soon as they have their turn, in one message with it."""
ANSWER = "benchwright_answer"
"""Where such a connection's `info` has the answer: its first row as a tuple, or None."""
SNAPSHOT = "benchwright_snapshot"
"""Execution option of those whose every query is to see one state."""
READING = "benchwright_reading"
"""Execution option of those that only read, each query what is there by then: a server then needs no transaction."""
MOST_KEPT = 20
"""Connections to a server that stay open once so many were needed: making one takes longer than what it is for."""
_IDLE_S = 30.0
"""A connection to a server that lay unused for longer is tried before it is used."""
_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")
_turns: WeakKeyDictionary[sa.Engine, Callable[[], AbstractContextManager[object]]] = WeakKeyDictionary()
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('benchwright ' || current_setting('search_path')))"
_NOT_FLUSHED = "SET LOCAL synchronous_commit TO off"


def path_of(url: str) -> Path | None:
    """Return the file that a store's URL names; None where it is a database on a server.

    Raises:
        BenchwrightError: It is neither `sqlite:///PATH` nor a PostgreSQL address; no password is repeated.
    """
    if url.startswith(_POSTGRESQL):
        return None
    if not url.startswith(_SQLITE) or url.removeprefix(_SQLITE) in {"", ":memory:"}:
        raise BenchwrightError(
            "review stores are SQLite files or PostgreSQL databases: expected sqlite:///PATH or "
            f"postgresql://USER:PASSWORD@HOST/DATABASE, found {url.partition(':')[0]!r}"
        )
    return Path(url.removeprefix(_SQLITE))


def name_of(url: str) -> str:
    """Return how messages call a store: its file, or its server and database without user and password."""
    path = path_of(url)
    if path is not None:
        return str(path)
    parts = sa.make_url(url)
    return f"postgresql://{parts.host}:{parts.port or 5432}/{parts.database}"


def connect(url: str) -> sa.Engine:
    """Return an engine whose transactions begin as their use needs.

    Raises:
        PrerequisiteError: The driver for PostgreSQL is not installed.
    """
    path = path_of(url)
    return _server(url) if path is None else _file(path)


def turn_of(engine: sa.Engine) -> AbstractContextManager[object]:
    """Return what a writing transaction waits in before it takes a connection."""
    return _turns[engine]()


def _server(url: str) -> sa.Engine:
    try:
        engine = sa.create_engine(
            sa.make_url(url).set(drivername="postgresql+psycopg"), pool_size=MOST_KEPT, pool_recycle=1800
        )
    except ModuleNotFoundError as error:
        raise PrerequisiteError(
            "a review store on PostgreSQL needs psycopg, which is not installed: "
            "pip install 'benchwright[postgres]' -c constraints.txt"
        ) from error

    @event.listens_for(engine, "connect")
    def _prepare(connection: DBAPIConnection, _record: object) -> None:
        connection.autocommit = True  # transactions begin below, in one message with what they begin with

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        connection.info.pop(ANSWER, None)
        first = _begun_with(options)
        if first:
            driver = connection.connection.driver_connection
            assert driver is not None
            done = driver.execute("; ".join(first), prepare=False)  # only what is not prepared holds several statements
            while done.nextset():
                pass
            if ASKED_FIRST in options:
                connection.info[ANSWER] = done.fetchone()

    one_at_a_time = FairLock()
    _turns[engine] = lambda: one_at_a_time
    _try_idle_ones(engine)
    return engine


def _begun_with(options: Mapping[str, Any]) -> list[str]:
    """Return the statements with which a transaction on a server begins; none where none is needed."""
    if options.get(WRITING, False):
        queries = [options[ASKED_FIRST]] if ASKED_FIRST in options else []
        return ["BEGIN", *([_NOT_FLUSHED] if options.get(UNFLUSHED, False) else []), _LOCK, *queries]
    if options.get(SNAPSHOT, False):
        return ["BEGIN ISOLATION LEVEL REPEATABLE READ"]
    return [] if options.get(READING, False) else ["BEGIN"]


def _try_idle_ones(engine: sa.Engine) -> None:
    """Replace connections that broke while they lay unused; trying each before each use would be one more way to go."""

    @event.listens_for(engine, "checkin")
    def _note(_connection: object, record: sa.pool.ConnectionPoolEntry) -> None:
        record.info["unused_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _try(connection: DBAPIConnection, record: sa.pool.ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get("unused_since", math.inf) > _IDLE_S:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise sa.exc.DisconnectionError from error  # the pool then connects anew


def _file(path: Path) -> sa.Engine:
    read_only = is_read_only(path)
    if read_only:
        engine = read_only_engine(path)
    else:
        make_private_file(path)  # what SQLite lays beside it gets the same mode
        # URL.create, not the text: a folder's name may hold a question mark or a percent sign.
        engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    _turns[engine] = Turns(path, patience_s=BUSY_TIMEOUT_MS / 1000).turn

    @event.listens_for(engine, "handle_error")
    def _say_what_failed(context: sa.engine.ExceptionContext) -> None:
        if (fault := storage_fault(context.original_exception, path=path)) is not None:
            raise fault from context.original_exception

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver guesses
        connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            _log_ahead(connection)

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        if options.get(WRITING, False):
            flushed = not options.get(UNFLUSHED, False)
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING, False) else "BEGIN")
        if ASKED_FIRST in options:
            driver = connection.connection.driver_connection
            assert driver is not None
            connection.info[ANSWER] = driver.execute(options[ASKED_FIRST]).fetchone()

    return engine


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
