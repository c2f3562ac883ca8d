"""Who somebody is at an identity provider: the issuer's address and its name for them, tied to one account.

Only an invitation ties them, so an identity provider says who somebody is and never who may come in, or as what.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from .accounts import Account, Accounts
from .records import RefusedError
from .schema import accounts, annotators, identities
from .store_connection import StoreConnection


class Identity(NamedTuple):
    """Somebody at an identity provider. Names and addresses of electronic mail change hands; these two do not."""

    issuer: str
    subject: str


class Identities:
    """The identities of a review store. Nothing here reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def account_of(self, identity: Identity) -> Account | None:
        """Return whose identity this is; None where it is nobody's, or its owner is locked out."""
        query = (
            sa.select(annotators.c.name)
            .select_from(identities.join(accounts).join(annotators))
            .where(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
            .where(~accounts.c.is_disabled)
        )
        with self._store.reading() as connection:
            name = connection.execute(query).scalar_one_or_none()
        return None if name is None else Accounts(self._store).find(name)

    def accept(self, token: str, identity: Identity, *, now: datetime) -> Account:
        """Tie an identity to whoever an invitation is for, which ends the invitation.

        Raises:
            RefusedError: The invitation is not, or no longer, good, or the identity is somebody's.
        """
        with self._store.batch() as held:
            account = Accounts(held).invited(token, now=now)
            if account is None:
                raise RefusedError("this invitation is used up or has ended; ask a curator for a new one")
            of_identity = sa.select(identities.c.account_id).where(
                identities.c.issuer == identity.issuer, identities.c.subject == identity.subject
            )
            with held.writing() as connection:
                if connection.execute(of_identity).scalar_one_or_none() not in {None, account.id}:
                    raise RefusedError("you have another account here already; sign in to that one")
                connection.execute(sa.delete(identities).where(identities.c.account_id == account.id))
                values = {"account_id": account.id, "linked_at": now, **identity._asdict()}
                connection.execute(sa.insert(identities).values(values))
                ended = {"invite_hash": None, "invite_until": None}
                connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(ended))
        return Accounts(self._store).find(account.name)
