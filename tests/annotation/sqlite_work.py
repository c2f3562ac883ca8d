"""The amount of work that an act causes in SQLite, which is the same on every machine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlalchemy import event

from benchwright.annotation.store.review_store import ReviewStore

STEP = 50
"""Instructions of SQLite between two looks at the counter."""


def instructions(store: ReviewStore, act: Callable[[], object]) -> int:
    """Return about how many of SQLite's instructions an act takes."""
    count = 0

    def counted() -> int:
        nonlocal count
        count += STEP
        return 0

    def watch(connection: sqlite3.Connection, *_rest: object) -> None:
        connection.set_progress_handler(counted, STEP)

    event.listen(store._engine, "checkout", watch)
    act()
    event.remove(store._engine, "checkout", watch)
    return count
