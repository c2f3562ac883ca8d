"""Connect to the review store, on SQLite or PostgreSQL.

On SQLite one transaction writes at a time. It takes the write lock *before* it reads. With a plain `BEGIN`, eight
processes that claimed slots read first and then failed as busy 1,448 times over 600 slots; with `BEGIN IMMEDIATE` they
never failed. Writers wait in this program's queue (`turns`). On PostgreSQL writers lock the rows they need (`locks`),
and only the audit log has one writer at a time. Readers never wait on either database.

A commit returns once it is on disk, so that acknowledged decisions survive a power cut. Only assigning tasks commits
without that wait. Killing the server then loses nothing; a power cut loses at most the leases since the last decision,
and their tasks are assigned again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy import event

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.machine.storage_faults import storage_fault
from benchwright.workspace.private_files import make_private_file

from .read_only import is_read_only, read_only_engine
from .turns import Turns

_BUSY_TIMEOUT_MS = 30_000
_RETRY_MS = 20
WRITING = "benchwright_writing"
"""Execution option of connections that write."""
_UNFLUSHED = "benchwright_unflushed"
"""Execution option of connections that write only leases."""
_MOST_KEPT = 20
"""Maximum number of open connections to a server kept for reuse, since opening one takes longer than using it."""
_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")
_turns: WeakKeyDictionary[sa.Engine, Turns] = WeakKeyDictionary()


def path_of(url: str) -> Path | None:
    """Return the file that a store's URL names; None if the URL names a database on a server.

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
    """Return the name of a store for messages: its file, or its server and database without user or password."""
    path = path_of(url)
    if path is not None:
        return str(path)
    parts = sa.make_url(url)
    return f"postgresql://{parts.host}:{parts.port or 5432}/{parts.database}"


def connect(url: str) -> sa.Engine:
    """Return an engine that begins each transaction according to its execution options.

    Raises:
        PrerequisiteError: The driver for PostgreSQL is not installed.
    """
    path = path_of(url)
    return _server(url) if path is None else _file(path)


def connect_for_reading(engine: sa.Engine) -> sa.Connection:
    """Return a connection: on a server each query sees the latest state; on a file all queries see the same state."""
    connection = engine.connect()
    return connection.execution_options(isolation_level="AUTOCOMMIT") if _is_server(engine) else connection


def connect_for_snapshot(engine: sa.Engine) -> sa.Connection:
    """Return a connection whose queries all see the same state; on a file in WAL mode, every transaction does so."""
    connection = engine.connect()
    return connection.execution_options(isolation_level="REPEATABLE READ") if _is_server(engine) else connection


@contextmanager
def write_transaction(engine: sa.Engine, *, flushed: bool = True) -> Iterator[sa.Connection]:
    """Yield a connection in a transaction that may write; on a file, the transaction holds the write lock.

    Args:
        engine: Engine from `connect`.
        flushed: Whether the commit waits for the disk; default True.
    """
    turns = _turns.get(engine)
    with (
        nullcontext() if turns is None else turns.turn(),
        engine.connect().execution_options(**{WRITING: True, _UNFLUSHED: not flushed}) as connection,
        connection.begin(),
    ):
        if not flushed and _is_server(engine):
            connection.exec_driver_sql("SET LOCAL synchronous_commit TO off")
        yield connection


def _is_server(engine: sa.Engine) -> bool:
    return engine.dialect.name == "postgresql"


def _server(url: str) -> sa.Engine:
    try:
        return sa.create_engine(
            sa.make_url(url).set(drivername="postgresql+psycopg"),
            pool_size=_MOST_KEPT,
            pool_recycle=1800,
            pool_pre_ping=True,
        )
    except ModuleNotFoundError as error:
        raise PrerequisiteError(
            "a review store on PostgreSQL needs psycopg, which is not installed: "
            "pip install 'benchwright[postgres]' -c constraints.txt"
        ) from error


def _file(path: Path) -> sa.Engine:
    read_only = is_read_only(path)
    if read_only:
        engine = read_only_engine(path)
    else:
        make_private_file(path)  # SQLite gives the files next to it the same mode
        # URL.create, not text: a folder's name may contain a question mark or a percent sign.
        engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)))
    _turns[engine] = turns = Turns(path, patience_s=_BUSY_TIMEOUT_MS / 1000)
    if not read_only:
        turns.check()

    @event.listens_for(engine, "handle_error")
    def _say_what_failed(context: sa.engine.ExceptionContext) -> None:
        if (fault := storage_fault(context.original_exception, path=path)) is not None:
            raise fault from context.original_exception

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver would begin them
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            _log_ahead(connection)

    @event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        options = connection.get_execution_options()
        if options.get(WRITING, False):
            flushed = not options.get(_UNFLUSHED, False)
            connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if flushed else 'NORMAL'}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITING, False) else "BEGIN")

    return engine


def _log_ahead(connection: sqlite3.Connection) -> None:
    """Put a new file in WAL mode, retrying while another process has it locked, since SQLite does not wait for this."""
    for left in range(_BUSY_TIMEOUT_MS // _RETRY_MS, -1, -1):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not left:
                raise
            time.sleep(_RETRY_MS / 1000)
