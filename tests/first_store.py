"""New review stores in files: the migrations make the first in this process; later ones repeat its definitions."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from benchwright.annotation.store.database import migrate

_DEFINITIONS = """
    SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
    ORDER BY CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid
"""
_definitions: list[str] = []
_upgrade_within = migrate.upgrade_within


def _made_as_the_first(connection: sa.Connection, revision: str) -> None:
    is_new = revision == "head" and connection.dialect.name == "sqlite" and not sa.inspect(connection).get_table_names()
    if not is_new or not _definitions:
        _upgrade_within(connection, revision)
        if is_new:
            _definitions.extend(connection.exec_driver_sql(_DEFINITIONS).scalars())
        return
    for statement in _definitions:
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (migrate.REVISIONS[-1],))
    connection.exec_driver_sql(f"PRAGMA user_version = {migrate.schema_checksum(connection)}")


def stores_made_once(patch: pytest.MonkeyPatch) -> None:
    """Let `open_store` make new files this way; tests of the migrations call these themselves."""
    patch.setattr(migrate, "upgrade_within", _made_as_the_first)
