"""Views of the item list that a curator saved: a name and the parameters of the list's address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..database.conversation_tables import saved_views
from ..database.dialects import insert_into
from ..database.schema import annotators

LONGEST_NAME = 60
"""Maximum number of characters in a view's name."""
MOST = 50
"""Maximum number of views per curator."""


def views_of(connection: sa.Connection, curator: str) -> dict[str, dict[str, str]]:
    """Return a curator's views with their parameters, by name, sorted."""
    query = (
        sa.select(saved_views.c.name, saved_views.c.query)
        .join(annotators, saved_views.c.annotator_id == annotators.c.id)
        .where(annotators.c.name == curator)
        .order_by(saved_views.c.name)
    )
    return {name: json.loads(parameters) for name, parameters in connection.execute(query)}


def save_view(
    connection: sa.Connection, curator: str, name: str, parameters: Mapping[str, str], *, now: datetime
) -> None:
    """Save a view under a name, replacing any earlier view with that name.

    Raises:
        BenchwrightError: The name is empty or too long, or the curator has too many views.
    """
    wanted = " ".join(name.split())
    if not wanted or len(wanted) > LONGEST_NAME or "\0" in wanted:
        raise BenchwrightError(f"a view's name has 1 to {LONGEST_NAME} characters; this one has {len(wanted)}")
    views = views_of(connection, curator)
    if wanted not in views and len(views) >= MOST:
        raise BenchwrightError(f"you have {MOST} saved views, the maximum; remove one")
    owner = connection.execute(sa.select(annotators.c.id).where(annotators.c.name == curator)).scalar_one()
    values = {"annotator_id": owner, "name": wanted, "query": json.dumps(dict(parameters)), "saved_at": now}
    insert = insert_into(connection, saved_views).values(values)
    replaced = {"query": insert.excluded.query, "saved_at": insert.excluded.saved_at}
    connection.execute(insert.on_conflict_do_update(index_elements=["annotator_id", "name"], set_=replaced))


def remove_view(connection: sa.Connection, curator: str, name: str) -> None:
    """Remove a curator's view, if it exists."""
    owner = sa.select(annotators.c.id).where(annotators.c.name == curator).scalar_subquery()
    connection.execute(sa.delete(saved_views).where(saved_views.c.annotator_id == owner, saved_views.c.name == name))
