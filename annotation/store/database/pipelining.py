"""Statements that go to a server in one message.

Each message that is waited for in a turn to write makes everybody wait who wants one: for its way, and until this
process gets to run again. Statements none of which needs to know what another did need one wait for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

Step = tuple[sa.Executable, Mapping[str, Any]]
_COUNTED = {"preserve_rowcount": True}
"""How many rows an INSERT added is else forgotten before anybody asks."""


def run_together(connection: sa.Connection, *steps: Step) -> list[int]:
    """Run statements that change rows, each with its parameters, in order; return how many rows each changed.

    None may return rows. One that fails fails all, and the transaction with them.

    Raises:
        sqlalchemy.exc.DBAPIError: The database refused one of them.
    """
    if connection.dialect.name != "postgresql":
        return [connection.execute(*step, execution_options=_COUNTED).rowcount for step in steps]
    driver, errors = connection.connection.driver_connection, connection.dialect.loaded_dbapi
    assert driver is not None
    try:
        with driver.pipeline():
            done = [connection.execute(*step, execution_options=_COUNTED) for step in steps]
    except errors.Error as error:  # that of a message, not of a statement: nobody has wrapped it yet
        raise sa.exc.DBAPIError.instance(None, None, error, errors.Error) from error
    return [result.context.cursor.rowcount for result in done]  # known only now, after SQLAlchemy had looked
