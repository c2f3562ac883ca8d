"""Run by Alembic: migrate on the caller's connection, within the caller's transaction.

No logging is configured here: only the command line does that.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
