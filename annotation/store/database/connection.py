"""Connect to the review store, on SQLite or PostgreSQL; on both, one transaction writes at a time.

Processes that claim slots at the same time need the write lock *before* they look for a free slot. On SQLite, with a
plain `BEGIN`, eight processes read first and then failed as busy 1,448 times over 600 slots; with `BEGIN IMMEDIATE`
they never did. On PostgreSQL a writing transaction first takes an advisory lock of its schema, so that both databases
have one writer at a time.

Writers wait in a queue: processes in PostgreSQL's own or, for a file, in ours (`turns`); the threads of one process
wait before they take a connection, so that fifty waiting writers leave the pool's connections to the readers. Readers
wait for nobody on either database. Each message that is sent to a server during a turn to write lengthens the turn by
the time until this process runs again. What can be found and checked before the turn therefore is (`next_task`,
`submissions`), and the message that asks for the turn also begins the transaction.

A commit returns once it is on the disk, so that what was acknowledged survives a power cut. Only handing out tasks is
committed without that wait: killing the server loses nothing, and a power cut loses at most the leases since the last
decision, whose tasks are then handed out again.
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
"""Execution option of connections that write only leases."""
ASKED_FIRST = "benchwright_asked_first"
"""Execution option of writing connections: a query that runs as their turn begins, in one message with its start."""
ANSWER = "benchwright_answer"
"""Key in such a connection's `info` for the result of that query: its first row as a tuple, or None."""
SNAPSHOT = "benchwright_snapshot"
"""Execution option of connections all of whose queries must see the same state."""
READING = "benchwright_reading"
"""Execution option of connections that only read and whose queries may see different states: no transaction needed."""
MOST_KEPT = 20
"""Most connections to a server that are kept open for reuse: opening one takes longer than its use."""
_IDLE_S = 30.0
"""Seconds after which an unused connection to a server is tested before it is used."""
_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")
_turns: WeakKeyDictionary[sa.Engine, Callable[[], AbstractContextManager[object]]] = WeakKeyDictionary()
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('benchwright ' || current_setting('search_path')))"
_NOT_FLUSHED = "SET LOCAL synchronous_commit TO off"


def path_of(url: str) -> Path | None:
    """Return the file that a store's URL names, or None if the URL is that of a database on a server.

    Raises:
        BenchwrightError: The URL is neither `sqlite:///PATH` nor a PostgreSQL address; the message has no password.
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
    """Return the name of a store for messages: its file, or its server and database without user and password."""
    path = path_of(url)
    if path is not None:
        return str(path)
    parts = sa.make_url(url)
    return f"postgresql://{parts.host}:{parts.port or 5432}/{parts.database}"


def connect(url: str) -> sa.Engine:
    """Return an engine that begins each transaction as its execution options ask.

    Raises:
        PrerequisiteError: The driver for PostgreSQL is not installed.
    """
    path = path_of(url)
    return _server(url) if path is None else _file(path)


def turn_of(engine: sa.Engine) -> AbstractContextManager[object]:
    """Return the lock or queue in which a writing transaction waits before it takes a connection."""
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
        connection.autocommit = True  # transactions begin below, in one message with their first statements

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        connection.info.pop(ANSWER, None)
        first = _begun_with(options)
        if first:
            driver = connection.connection.driver_connection
            assert driver is not None
            done = driver.execute("; ".join(first), prepare=False)  # a prepared message takes only one statement
            while done.nextset():
                pass
            if ASKED_FIRST in options:
                connection.info[ANSWER] = done.fetchone()

    one_at_a_time = FairLock()
    _turns[engine] = lambda: one_at_a_time
    _try_idle_ones(engine)
    return engine


def _begun_with(options: Mapping[str, Any]) -> list[str]:
    """Return the statements that begin a transaction on a server; an empty list if no transaction is needed."""
    if options.get(WRITING, False):
        queries = [options[ASKED_FIRST]] if ASKED_FIRST in options else []
        return ["BEGIN", *([_NOT_FLUSHED] if options.get(UNFLUSHED, False) else []), _LOCK, *queries]
    if options.get(SNAPSHOT, False):
        return ["BEGIN ISOLATION LEVEL REPEATABLE READ"]
    return [] if options.get(READING, False) else ["BEGIN"]


def _try_idle_ones(engine: sa.Engine) -> None:
    """Replace connections that broke while unused; testing before every use would cost one more round trip."""

    @event.listens_for(engine, "checkin")
    def _note(_connection: object, record: sa.pool.ConnectionPoolEntry) -> None:
        record.info["unused_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _try(connection: DBAPIConnection, record: sa.pool.ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get("unused_since", math.inf) > _IDLE_S:
            try:
                engine.dialect.do_ping(connection)
            except engine.dialect.loaded_dbapi.Error as error:
                raise sa.exc.DisconnectionError from error  # the pool then opens a new connection


def _file(path: Path) -> sa.Engine:
    read_only = is_read_only(path)
    if read_only:
        engine = read_only_engine(path)
    else:
        make_private_file(path)  # SQLite gives the files beside it the same mode
        # URL.create, not text: a folder's name may contain a question mark or a percent sign.
        engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    _turns[engine] = Turns(path, patience_s=BUSY_TIMEOUT_MS / 1000).turn

    @event.listens_for(engine, "handle_error")
    def _say_what_failed(context: sa.engine.ExceptionContext) -> None:
        if (fault := storage_fault(context.original_exception, path=path)) is not None:
            raise fault from context.original_exception

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver would begin them
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
    """Put a new file in WAL mode, retrying while another process has it locked, since SQLite does not wait here."""
    for left in range(BUSY_TIMEOUT_MS // _RETRY_MS, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not left:
                raise
            time.sleep(_RETRY_MS / 1000)
