"""A review store's database: transactions to read and to write in, and the audit log beside each.

What reads and writes one part of the store, such as its accounts or its guidelines, takes one of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from . import audit
from .connection import ASKED_FIRST, READING, SNAPSHOT, UNFLUSHED, WRITING, turn_of
from .read_only import READ_ONLY


def cause_of(error: Exception) -> str:
    """Return what a driver says in one line; drivers repeat user names there, never passwords."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


class StoreConnection:
    """A review store's database. Nothing here reads a clock: `now` is an argument.

    Args:
        engine: SQLAlchemy engine of a database that has the store's tables.
        where: Name of the store for messages.
        held: Connection in a transaction, which every call then shares.
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
    def batch(self, *, flushed: bool = True) -> Iterator[Self]:
        """Yield a store whose calls are one transaction: all happen, or none. Batches may lie in batches.

        Args:
            flushed: Whether what happens outlives a power cut (`connection`); leases need not.
        """
        if self._held is not None:
            with self._held.begin_nested():
                yield self
            return
        with self.writing(flushed=flushed) as connection:
            yield type(self)(self._engine, self.where, held=connection)

    @contextmanager
    def writing(self, *, flushed: bool = True) -> Iterator[sa.Connection]:
        """Yield a connection in a transaction that holds the write lock; within a batch, that of the batch."""
        if self._held is not None:
            yield self._held
            return
        try:
            with (
                turn_of(self._engine),
                self._engine.connect().execution_options(
                    **{WRITING: True, UNFLUSHED: not flushed, ASKED_FIRST: audit.WHAT_IS_LAST}
                ) as connection,
                connection.begin(),
            ):
                yield connection
        except sa.exc.OperationalError as error:
            raise BenchwrightError(f"the review store {self.where} cannot be written to: {cause_of(error)}") from error

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Yield a connection to read with; each query sees what is there by then, or one state of a file."""
        if self._held is not None:
            yield self._held
            return
        with self._engine.connect().execution_options(**{READING: True}) as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Yield a connection whose every query sees the same state, however long it reads."""
        with self._engine.connect().execution_options(**{SNAPSHOT: True}) as connection:
            yield connection  # a file in WAL mode does so in any case

    @contextmanager
    def as_it_is(self) -> Iterator[Self]:
        """Yield a store for reading only, whose every call sees the same state, however long it is read."""
        with self.snapshot() as connection:
            yield type(self)(self._engine, self.where, held=connection)

    def record(self, act: str, *, actor: str, now: datetime, **about: Any) -> None:
        """Add a row to the audit log. See `audit.record`."""
        with self.writing() as connection:
            audit.record(connection, act, actor=actor, at=now, **about)

    def record_read(self, act: str, *, actor: str, now: datetime, **about: Any) -> None:
        """Add a row on what was taken out to the audit log; a store that can only be read keeps no account of that."""
        if not self._engine.get_execution_options().get(READ_ONLY, False):
            self.record(act, actor=actor, now=now, **about)
