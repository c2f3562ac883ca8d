"""Writes by the HTTP API that happen only once: stored answers to requests with an idempotency key.

The meaning is that of the IETF draft on the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): the
same key with the same request gets the same answer; with another request it is refused. Answers are kept for a day.
Answers to writes to the store are written in the same transaction, so that a server killed in between has done both or
neither.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import sqlalchemy as sa

from ..database.dialects import insert_into
from ..database.integration_tables import api_requests

KEPT = timedelta(days=1)
_LOST_AFTER = timedelta(minutes=5)
"""Time after which an unanswered request is assumed to have been lost when the server was killed."""


class KeptAnswer(NamedTuple):
    """An earlier answer.

    Args:
        digest: Digest of the request.
        status: Status; None while the request is in progress.
        reply: Body as JSON; None while the request is in progress.
    """

    digest: str
    status: int | None
    reply: str | None


def reserve(connection: sa.Connection, token_id: int, key: str, digest: str, *, now: datetime) -> KeptAnswer | None:
    """Reserve a key for a request; if another request has already reserved the key, return the stored answer.

    Args:
        connection: Connection in a write transaction.
        token_id: Token of the request.
        key: Its idempotency key.
        digest: Digest of the request.
        now: Time of the call.
    """
    connection.execute(sa.delete(api_requests).where(api_requests.c.made_at <= now - KEPT))
    is_it = (api_requests.c.token_id == token_id) & (api_requests.c.key == key)
    is_lost = api_requests.c.status.is_(None) & (api_requests.c.made_at <= now - _LOST_AFTER)
    connection.execute(sa.delete(api_requests).where(is_it, is_lost))
    values = {"token_id": token_id, "key": key, "digest": digest, "made_at": now}
    taken = connection.execute(
        insert_into(connection, api_requests).values(values).on_conflict_do_nothing(),
        execution_options={"preserve_rowcount": True},
    )
    if taken.rowcount:
        return None
    row = connection.execute(sa.select(api_requests).where(is_it)).one()
    return KeptAnswer(row.digest, row.status, row.reply)


def keep_answer(connection: sa.Connection, token_id: int, key: str, *, status: int, reply: str) -> None:
    """Store the answer to a request whose key was reserved."""
    is_it = (api_requests.c.token_id == token_id) & (api_requests.c.key == key)
    connection.execute(sa.update(api_requests).where(is_it).values(status=status, reply=reply))


def release(connection: sa.Connection, token_id: int, key: str) -> None:
    """Free the key of a request that changed nothing, so that the client can send the request again."""
    is_it = (api_requests.c.token_id == token_id) & (api_requests.c.key == key)
    connection.execute(sa.delete(api_requests).where(is_it))
