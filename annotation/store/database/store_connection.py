"""The database of a review store: transactions for reading and writing, and the corresponding audit log rows.

Classes that read and write one part of the store, such as its accounts or guidelines, take a `StoreConnection`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from . import audit
from .connection import connect_for_reading, connect_for_snapshot, write_transaction
from .locks import hold_store
from .read_only import READ_ONLY


def cause_of(error: Exception) -> str:
    """Return a driver's message on one line; it may contain user names, but never passwords."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


class StoreConnection:
    """The database of a review store. No method reads a clock: `now` is an argument.

    Args:
        engine: SQLAlchemy engine of a database with the store's tables.
        where: Name of the store for messages.
        held: Connection in a transaction that all calls share; None if each call has a separate one.
    """

    def __init__(self, engine: sa.Engine, where: str, *, held: sa.Connection | None = None) -> None:
        self.where = where
        self._engine = engine
        self._held = held

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def batch(self, *, alone: bool = True) -> Iterator[Self]:
        """Yield a store whose calls form one transaction: either all take effect, or none do. Batches may be nested.

        Args:
            alone: As in `writing`, but by default True, since a batch may touch many tasks; within another batch, the
                outer value counts.
        """
        if self._held is not None:
            with audit.undone_on_error(self._held), self._held.begin_nested():
                yield self
            return
        with self.writing(alone=alone) as connection:
            yield type(self)(self._engine, self.where, held=connection)

    @contextmanager
    def writing(self, *, flushed: bool = True, alone: bool = False) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction that may write; within a batch, the batch's connection.

        Args:
            flushed: Whether the changes must survive a power cut (`connection`), which leases need not; default True.
            alone: Whether to keep out other writers (`locks`), as changes of a campaign or of many tasks require;
                default False. A file always has only one writer.
        """
        if self._held is not None:
            yield self._held
            return
        try:
            with write_transaction(self._engine, flushed=flushed) as connection:
                hold_store(connection, alone=alone)
                with audit.written_at_the_end(connection):
                    yield connection
        except sa.exc.OperationalError as error:
            raise BenchwrightError(f"the review store {self.where} cannot be written to: {cause_of(error)}") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection for reading: on a file, all queries see the same state; on a server, each the latest."""
        if self._held is not None:
            yield self._held
            return
        with connect_for_reading(self._engine) as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Yield a connection whose queries all see the same state, however long it reads."""
        with connect_for_snapshot(self._engine) as connection:
            yield connection

    @contextmanager
    def as_it_is(self) -> Iterator[Self]:
        """Yield a read-only store whose calls all see the same state, however long the caller reads."""
        with self.snapshot() as connection:
            yield type(self)(self._engine, self.where, held=connection)

    def compact(self) -> None:
        """Rewrite the store's file, so that no deleted or replaced content remains in it.

        This does nothing for a database on a server, which has `VACUUM FULL` for this purpose.
        """
        if self._engine.dialect.name == "postgresql":
            return
        raw = self._engine.raw_connection()  # outside any transaction
        try:
            for statement in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                raw.cursor().execute(statement)
        except sqlite3.OperationalError as error:
            raise BenchwrightError(
                f"{self.where} was changed, but could not be rewritten ({cause_of(error)}), so its file may still "
                "hold the replaced data; stop all programs that use it, and run `VACUUM` on it"
            ) from error
        finally:
            raw.close()

    def record(self, act: str, *, actor: str, now: datetime, **about: Any) -> None:
        """Add a row to the audit log; see `audit.record`."""
        with self.writing() as connection:
            audit.record(connection, act, actor=actor, at=now, **about)

    def record_read(self, act: str, *, actor: str, now: datetime, **about: Any) -> None:
        """Add a row to the audit log about exported data; a read-only store records nothing."""
        if not self._engine.get_execution_options().get(READ_ONLY, False):
            self.record(act, actor=actor, now=now, **about)
