"""Bring a review store's tables up to this program's version, in one transaction, even if several processes open it."""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

import sqlalchemy as sa

from benchwright.canonical import canonical_json
from benchwright.errors import DataError

from .connection import write_transaction
from .locks import hold_tables
from .read_only import READ_ONLY

REVISIONS = (
    "0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011", "0012", "0013", "0014",
    "0015", "0016", "0017", "0018", "0019",
)  # fmt: skip
"""Migrations that this program knows, in order; a test checks that they match `migrations/versions`."""

_MIGRATIONS = Path(__file__).parent / "migrations"


def upgrade(engine: sa.Engine, *, where: str) -> None:
    """Run the missing migrations of a store; a store that is up to date is only read, not written.

    Raises:
        DataError: The store is newer than this program, or the file belongs to another program.
    """
    with engine.connect() as connection:
        revision = revision_of(connection, where)
        if revision == REVISIONS[-1]:
            return
    if engine.get_execution_options().get(READ_ONLY, False):
        raise DataError(
            f"{where} is of an older version ({revision or 'empty'}) and cannot be brought up to {REVISIONS[-1]} "
            "in place, because it or its folder is read-only; copy the workspace to a place where you may write"
        )
    with write_transaction(engine) as connection:
        hold_tables(connection)
        upgrade_within(connection, "head")  # does nothing if another process was faster


def is_made(engine: sa.Engine) -> bool:
    """Return whether a store has tables, in any version."""
    with engine.connect() as connection:
        return "alembic_version" in sa.inspect(connection).get_table_names()


def _make_schema(connection: sa.Connection) -> None:
    """Create the schema in a PostgreSQL address; files have no schema."""
    if connection.dialect.name != "postgresql":
        return
    name = connection.exec_driver_sql("SHOW search_path").scalar_one().split(",")[0].strip().strip('"')
    if name not in {"", "$user", "public"}:
        connection.execute(sa.schema.CreateSchema(name, if_not_exists=True))


def revision_of(connection: sa.Connection, where: str) -> str | None:
    """Return the version of a store's tables, or None if it has no tables.

    Raises:
        DataError: The store is newer than this program, or the file belongs to another program.
    """
    tables = sa.inspect(connection).get_table_names()
    if not tables:
        return None
    if "alembic_version" not in tables:
        raise DataError(
            f"{where} is a database of another program (it contains table {min(tables)!r}), not a review store"
        )
    revision = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()
    if revision not in REVISIONS:
        raise DataError(
            f"{where} was written by a newer Benchwright (store version {revision!r}, this one knows up to "
            f"{REVISIONS[-1]!r}); upgrade benchwright"
        )
    return str(revision)


def upgrade_within(connection: sa.Connection, revision: str) -> None:
    """Run the migrations up to a version, in the connection's transaction."""
    # Imported here: an up-to-date store opens without Alembic, 0.3 s faster.
    from alembic import command
    from alembic.config import Config

    _make_schema(connection)
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {schema_checksum(connection)}")


_MADE = """
    SELECT hex(type), hex(name), hex(tbl_name), hex(sql) FROM sqlite_master
    WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2
"""
"""Definitions in hexadecimal digits, because a tampered definition need not be valid UTF-8."""


def schema_checksum(connection: sa.Connection) -> int:
    """Return a checksum, never 0, of the definitions of a SQLite file's tables, indexes and triggers.

    The file's `user_version` holds it, to detect changed triggers. 0 there means that an older program made the tables.
    """
    rows = [[*row] for row in connection.exec_driver_sql(_MADE)]
    return crc32(canonical_json(rows).encode()) - 2**31 or 1  # the file stores it as a signed 32-bit number
