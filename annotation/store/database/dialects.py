"""Expressions that SQLite and PostgreSQL spell differently, each under a common name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

JOINT = "\x1f"
"""Separator of joined texts: the unit separator, which no decision contains."""


def insert_into(connection: sa.Connection, table: sa.Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT that can handle an existing unique key (`on_conflict_do_nothing`)."""
    # Each dialect takes a while to import, and a store uses one of them.
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


class joined_texts(FunctionElement[str]):  # noqa: N801 # SQL functions are written small
    """SQL expression for the texts of a group, joined by `JOINT`, in no particular order."""

    inherit_cache = True
    type = sa.Text()


class seconds_between(FunctionElement[float]):  # noqa: N801
    """SQL expression for the number of seconds from one time to another."""

    inherit_cache = True
    type = sa.Float()


class day_of(FunctionElement[str]):  # noqa: N801
    """SQL expression for the day of a time, in UTC, such as 2026-03-01."""

    inherit_cache = True
    type = sa.Text()


class member_of(FunctionElement[str]):  # noqa: N801
    """SQL expression for a member of a JSON object stored as text: a string, or a list as JSON; NULL if absent."""

    inherit_cache = True
    type = sa.Text()


def _inner(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> list[str]:
    return [compiler.process(clause, **kwargs) for clause in element.clauses]


@compiles(joined_texts, "sqlite")
def _joined_sqlite(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"group_concat({_inner(element, compiler, **kwargs)[0]}, char({ord(JOINT)}))"


@compiles(joined_texts, "postgresql")
def _joined_postgresql(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"string_agg({_inner(element, compiler, **kwargs)[0]}, chr({ord(JOINT)}))"


@compiles(seconds_between, "sqlite")
def _seconds_sqlite(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    start, end = _inner(element, compiler, **kwargs)
    return f"((julianday({end}) - julianday({start})) * 86400.0)"


@compiles(seconds_between, "postgresql")
def _seconds_postgresql(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    start, end = _inner(element, compiler, **kwargs)
    return f"CAST(extract(epoch FROM {end} - {start}) AS double precision)"


@compiles(day_of, "sqlite")
def _day_sqlite(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"substr({_inner(element, compiler, **kwargs)[0]}, 1, 10)"


@compiles(day_of, "postgresql")
def _day_postgresql(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    return f"to_char({_inner(element, compiler, **kwargs)[0]}, 'YYYY-MM-DD')"


@compiles(member_of, "sqlite")
def _member_sqlite(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    document, name = _inner(element, compiler, **kwargs)
    return f"json_extract({document}, '$.' || {name})"


@compiles(member_of, "postgresql")
def _member_postgresql(element: FunctionElement[Any], compiler: SQLCompiler, **kwargs: Any) -> str:
    document, name = _inner(element, compiler, **kwargs)
    return f"(CAST({document} AS json) ->> CAST({name} AS text))"
