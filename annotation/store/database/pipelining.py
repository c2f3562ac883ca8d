"""Send several statements to a server in one message.

Each round trip during a turn to write also delays everybody who waits for a turn: by the time on the network, and by
the time until this process runs again. Statements that do not depend on each other's results need one round trip
together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

Step = tuple[sa.Executable, Mapping[str, Any]]
_COUNTED = {"preserve_rowcount": True}
"""Without this option, the number of rows that an INSERT added is lost before it can be read."""


def run_together(connection: sa.Connection, *steps: Step) -> list[int]:
    """Run statements that change rows, each with its parameters, in order; return how many rows each changed.

    No statement may return rows. If one fails, all fail, and the transaction with them.

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
    except errors.Error as error:  # an error of the whole message, which SQLAlchemy has not wrapped
        raise sa.exc.DBAPIError.instance(None, None, error, errors.Error) from error
    return [result.context.cursor.rowcount for result in done]  # known only after SQLAlchemy has looked at them
