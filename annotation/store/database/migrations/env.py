"""Alembic runs this: migrate over the connection, and within the transaction, that the caller holds.

No logging is configured here: that is the command line's to decide.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
