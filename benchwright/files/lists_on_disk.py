"""Lists of small values by key in a temporary file, so that memory use does not grow with them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", int, str, int | str)

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA cache_size = -512;
CREATE TABLE lists (place INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL);
CREATE INDEX lists_by_key ON lists (key);
"""


class ListsOnDisk(Generic[Key]):
    """A mapping from keys to lists of values, which keeps half a megabyte in memory, for use in a `with` block.

    The file is unnamed, in the system's folder for temporary files, and is removed at the end of the block. Keys and
    values are JSON values; the keys 1 and "1" differ.
    """

    def __init__(self) -> None:
        # SQLite writes an unnamed database to a temporary file as soon as its cache is full.
        self._database = sqlite3.connect("", check_same_thread=False)
        self._database.executescript(_SCHEMA)

    def __enter__(self) -> ListsOnDisk[Key]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def add(self, key: Key, value: Any) -> None:
        """Append a value to a key's list."""
        row = (json.dumps(key), json.dumps(value))
        self._database.execute("INSERT INTO lists (key, value) VALUES (?, ?)", row)

    def __contains__(self, key: Key) -> bool:
        """Return whether the key has a list."""
        row = self._database.execute("SELECT 1 FROM lists WHERE key = ? LIMIT 1", (json.dumps(key),)).fetchone()
        return row is not None

    def __getitem__(self, key: Key) -> list[Any]:
        """Return a key's list; empty if the key has none."""
        rows = self._database.execute("SELECT value FROM lists WHERE key = ? ORDER BY place", (json.dumps(key),))
        return [json.loads(value) for (value,) in rows]

    def pop(self, key: Key) -> list[Any]:
        """Return a key's list and remove it; empty if the key has none."""
        values = self[key]
        if values:
            self._database.execute("DELETE FROM lists WHERE key = ?", (json.dumps(key),))
        return values

    def __iter__(self) -> Iterator[Key]:
        """Yield the keys in the order in which they were first added; other keys may be removed during iteration."""
        for (key,) in self._database.execute("SELECT key FROM lists GROUP BY key ORDER BY min(place)"):
            yield json.loads(key)
