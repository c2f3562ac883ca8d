"""SQLite's dialect for review stores: statements are compiled once for all stores that a process opens.

SQLAlchemy keeps compiled statements by the dialect of an engine, and a command that opens its store for each campaign
would compile the same hundred statements each time, which takes longer than running them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

DRIVER = "sqlite+benchwright"
"""Name of the dialect in addresses of engines."""

COMPILED: Mapping[str, Any] = {"compiled_cache": LRUCache(1000)}
"""Execution options of engines that share their compiled statements, of which the 1,000 used last are kept."""


class FileDialect(SQLiteDialect_pysqlite):
    """Equal for all files, since all are read by the one SQLite of this process."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register("sqlite.benchwright", __name__, FileDialect.__name__)
