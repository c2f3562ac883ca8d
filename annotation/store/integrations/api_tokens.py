"""Tokens for the HTTP API; each gives access to one campaign, on behalf of one person, with one scope.

A token is `bw_ID_SECRET`. The store keeps the SHA-256 of the secret, which is enough for 256 random bits; it finds the
row by its number, and compares the hashes in constant time. A token works only as long as its person could sign in and,
with the scope `curator`, is a curator.
"""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from benchwright.errors import BenchwrightError

from ..accounts.accounts import Account, Accounts, hash_of
from ..campaigns.tasks import find_campaign
from ..database.audit import record
from ..database.integration_tables import api_tokens
from ..database.schema import annotators, campaigns
from ..database.store_connection import StoreConnection

Scope = Literal["annotator", "curator"]
SCOPES: tuple[Scope, ...] = ("annotator", "curator")
DAYS, MOST_DAYS = 90, 366
"""Days for which a token works, by default and at most."""
_PREFIX = "bw"
_SPELLED = re.compile(rf"{_PREFIX}_([0-9]{{1,9}})_([A-Za-z0-9_-]{{43}})")
_LONGEST_LABEL = 100
_NOTED_EVERY = timedelta(minutes=10)


@dataclass(frozen=True)
class ApiToken:
    """A token, without its secret.

    Attributes:
        id: Number in the store, which the token contains.
        campaign: Name of the only campaign it opens.
        scope: `annotator` or `curator`.
        person: Name of the person on whose behalf it acts.
        label: Its purpose.
        made_at: Time of its creation.
        made_by: Name of its creator.
        ends_at: Time from which it no longer works.
        used_at: Time of its last use, accurate to ten minutes; None before the first use.
        revoked_at: Time of its revocation; None while it works.
    """

    id: int
    campaign: str
    scope: Scope
    person: str
    label: str
    made_at: datetime
    made_by: str
    ends_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None

    def state(self, *, now: datetime) -> Literal["works", "ended", "revoked"]:
        """Return the state of the token at a given time, regardless of the state of its person."""
        if self.revoked_at is not None:
            return "revoked"
        return "works" if now < self.ends_at else "ended"

    def to_json(self, *, now: datetime) -> dict[str, Any]:
        """Return the entry that `review tokens --json` and the API list."""
        return {
            "id": self.id,
            "campaign": self.campaign,
            "scope": self.scope,
            "person": self.person,
            "label": self.label,
            "state": self.state(now=now),
            "made_at": self.made_at.isoformat(),
            "made_by": self.made_by,
            "ends_at": self.ends_at.isoformat(),
            "used_at": None if self.used_at is None else self.used_at.isoformat(),
        }


def token_id_in(text: str) -> int | None:
    """Return the row number that a token's text names, or None if the text is not a token."""
    found = _SPELLED.fullmatch(text)
    return int(found[1]) if found else None


class ApiTokens:
    """The API tokens in a review store. No method reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def make(
        self, campaign: str, scope: Scope, person: str, *, label: str, by: str, now: datetime, days: int = DAYS
    ) -> tuple[ApiToken, str]:
        """Create a token, and return it with its text, which cannot be shown again.

        Args:
            campaign: Name of the campaign.
            scope: Permissions: `annotator` decides, `curator` does what curators do.
            person: Name of the account on whose behalf it acts.
            label: Its purpose, in a few words.
            by: Name of its creator.
            now: Time of the call.
            days: Days for which it works, 1 to 366.

        Raises:
            BenchwrightError: No such campaign or account exists, the account is locked or not a curator's, or a value
                is invalid.
        """
        label = label.strip()
        if not 0 < len(label) <= _LONGEST_LABEL or not label.isprintable():
            raise BenchwrightError(
                f"a token's label takes 1 to {_LONGEST_LABEL} printable characters, such as `nightly export`"
            )
        if not 1 <= days <= MOST_DAYS:
            raise BenchwrightError(f"a token is valid for 1 to {MOST_DAYS} days, not for {days}")
        secret = secrets.token_urlsafe(32)
        with self._store.batch(alone=False) as held, held.writing() as connection:
            found = find_campaign(connection, campaign)
            if found.is_simulated:
                raise BenchwrightError("simulated annotators decide in this campaign; no token opens it")
            account = Accounts(held).find(person)
            if account.is_disabled:
                raise BenchwrightError(f"the account of {person!r} is locked; unlock it first")
            if scope == "curator" and account.role != "curator":
                raise BenchwrightError(f"{person!r} is {account.role}; only a curator's token can act as a curator")
            annotator = sa.select(annotators.c.id).where(annotators.c.name == person).scalar_subquery()
            values = {"campaign_id": found.id, "annotator_id": annotator, "scope": scope, "label": label}
            values |= {
                "secret_hash": hash_of(secret),
                "made_at": now,
                "made_by": by,
                "ends_at": now + timedelta(days=days),
            }
            made = connection.execute(sa.insert(api_tokens).values(values).returning(api_tokens.c.id)).scalar_one()
            record(connection, "token_made", actor=by, at=now, token=made, campaign=campaign, scope=scope, name=person)
            [token] = _listed(connection, api_tokens.c.id == made)
        return token, f"{_PREFIX}_{made}_{secret}"

    def of_campaign(self, campaign: str | None = None) -> list[ApiToken]:
        """Return all tokens, or those for a campaign, including revoked and expired tokens, newest first."""
        with self._store.reading() as connection:
            if campaign is None:
                return _listed(connection, sa.true())
            return _listed(connection, api_tokens.c.campaign_id == find_campaign(connection, campaign).id)

    def opened_by(self, text: str, *, now: datetime) -> tuple[ApiToken, Account] | None:
        """Return the token with a given text and the account for which it acts; None if no valid token matches."""
        number = token_id_in(text)
        if number is None:
            return None
        secret = text.split("_", 2)[2]
        with self._store.reading() as connection:
            kept = sa.select(api_tokens.c.secret_hash).where(api_tokens.c.id == number)
            known = connection.execute(kept).scalar_one_or_none()
            # Compared without such a token, too, so that both cases take equally long.
            is_it = hmac.compare_digest(hash_of(secret), known or hash_of(""))
            if known is None or not is_it:
                return None
            [token] = _listed(connection, api_tokens.c.id == number)
        if token.state(now=now) != "works":
            return None
        try:
            account = Accounts(self._store).find(token.person)
        except BenchwrightError:
            return None
        if account.is_disabled or (token.scope == "curator" and account.role != "curator"):
            return None
        return token, account

    def note_used(self, token: ApiToken, *, now: datetime) -> None:
        """Record that a token was used, at most once every ten minutes to limit writes."""
        if token.used_at is None or now - token.used_at >= _NOTED_EVERY:
            with self._store.writing(flushed=False) as connection:
                connection.execute(sa.update(api_tokens).where(api_tokens.c.id == token.id).values(used_at=now))

    def revoke(self, token_id: int, *, by: str, now: datetime, campaign: str | None = None) -> ApiToken:
        """Revoke a token, after which it gives no access.

        Args:
            token_id: Its number.
            by: Name of the person who revokes it.
            now: Time of the call.
            campaign: Campaign to which it must belong; default None, any.

        Raises:
            BenchwrightError: No such token exists that is not revoked.
        """
        is_it = (api_tokens.c.id == token_id) & api_tokens.c.revoked_at.is_(None)
        with self._store.writing() as connection:
            found = _listed(connection, is_it) if 0 < token_id < 2**31 else []
            if not found or campaign not in {None, found[0].campaign}:
                raise BenchwrightError(f"no valid token has the number {token_id}; `review tokens` lists all tokens")
            connection.execute(sa.update(api_tokens).where(is_it).values(revoked_at=now, revoked_by=by))
            record(connection, "token_revoked", actor=by, at=now, token=token_id)
            [token] = _listed(connection, api_tokens.c.id == token_id)
        return token


_JOINED = api_tokens.join(campaigns).join(annotators, api_tokens.c.annotator_id == annotators.c.id)
_TOKENS = (
    sa.select(api_tokens, campaigns.c.name.label("campaign"), annotators.c.name.label("person"))
    .select_from(_JOINED)
    .order_by(api_tokens.c.id.desc())
)


def _listed(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[ApiToken]:
    return [
        ApiToken(
            id=row.id,
            campaign=row.campaign,
            scope=row.scope,
            person=row.person,
            label=row.label,
            made_at=row.made_at,
            made_by=row.made_by,
            ends_at=row.ends_at,
            used_at=row.used_at,
            revoked_at=row.revoked_at,
        )
        for row in connection.execute(_TOKENS.where(where))
    ]
