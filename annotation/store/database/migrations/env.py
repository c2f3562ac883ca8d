"""Script that Alembic runs: it migrates on the caller's connection, within the caller's transaction.

Only the command line configures logging, so this module does not.
"""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
