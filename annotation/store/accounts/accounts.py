"""Accounts of the review app: who may sign in, with which role, and which sessions are open.

The store keeps only hashes: of passwords (argon2, made by the caller), of invitations and of session tokens (SHA-256,
which is sufficient for 256 random bits). The contents of a backup alone are not sufficient to sign in.

An identity at an identity provider (the issuer's address and its name for a person) belongs to one account. Only an
invitation links the two: an identity provider confirms who a person is, but never whether they may sign in or with what
role.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError

from ..campaigns.tasks import upsert_annotator
from ..database.audit import COMMAND_LINE, STRANGER, clock, record
from ..database.dialects import insert_into
from ..database.locks import hold_annotator
from ..database.records import RefusedError
from ..database.schema import accounts, annotators, identities, sessions
from ..database.store_connection import StoreConnection

Role = Literal["annotator", "adjudicator", "curator"]
ROLES: tuple[Role, ...] = ("annotator", "adjudicator", "curator")
SESSION = timedelta(days=14)
INVITATION = timedelta(days=7)


@dataclass(frozen=True)
class Account:
    """The account of a person who may use the app.

    Attributes:
        id: Id of the account in the store.
        name: Name under which this person annotates.
        role: Role; adjudicators also decide the tasks that annotators leave open, curators also see progress, agreement
            and accounts.
        is_taken_up: Whether the account has a password, or an identity at an identity provider, to sign in with.
        is_disabled: Whether the app refuses sign-ins; the person's decisions remain.
        invited_until: Time at which an open invitation expires, or None if there is none.
        created_at: Time at which the account was created.
        language: Tag of the language that the person chose for the app; None before they choose one.
    """

    id: int
    name: str
    role: Role
    is_taken_up: bool
    is_disabled: bool
    invited_until: datetime | None
    created_at: datetime
    language: str | None = None


class Accounts:
    """The accounts of a review store. The audit log records every change.

    Args:
        store: Review store.
        by: Name of the person who makes the changes, for the log.
    """

    def __init__(self, store: StoreConnection, *, by: str = COMMAND_LINE) -> None:
        self._store = store
        self._by = by

    def add(self, name: str, role: Role, *, now: datetime) -> Account:
        """Create an account without a password; `invite` or `set_password` then makes signing in possible.

        Raises:
            BenchwrightError: The name is not allowed for annotators, or an account of that name already exists.
        """
        with self._store.writing() as connection:
            upsert_annotator(connection, name, kind="person")
            hold_annotator(connection, name)
            if _first_account(connection, annotators.c.name == name) is not None:
                raise BenchwrightError(f"{name!r} already has an account; choose another name")
            annotator_id = sa.select(annotators.c.id).where(annotators.c.name == name).scalar_subquery()
            values = {"annotator_id": annotator_id, "role": role, "is_disabled": False, "created_at": now}
            connection.execute(sa.insert(accounts).values(values))
            self._log(connection, "account_added", name, at=now, role=role)
            return _known(connection, name)

    def all(self) -> list[Account]:
        """Return all accounts, sorted by name."""
        with self._store.reading() as connection:
            return [_account(row) for row in connection.execute(_ACCOUNTS.order_by(annotators.c.name))]

    def find(self, name: str) -> Account:
        """Return the account with a given name.

        Raises:
            BenchwrightError: No account has that name; the message lists those that exist.
        """
        with self._store.reading() as connection:
            return _known(connection, name)

    def set_language(self, name: str, tag: str) -> None:
        """Store the language that a person chose for the app; the choice is not recorded in the audit log.

        Raises:
            BenchwrightError: No such account exists.
        """
        with self._changing(name) as (connection, account):
            connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(language=tag))

    def password_hash(self, name: str) -> str | None:
        """Return the hash to check a password against; None if no account of that name may sign in with a password."""
        if not name.isprintable():  # no such account exists, and PostgreSQL refuses a null character
            return None
        with self._store.reading() as connection:
            row = _first_account(connection, annotators.c.name == name)
        return None if row is None or row.is_disabled else row.password_hash

    def set_password(self, name: str, password_hash: str) -> None:
        """Set a password, and end all open sessions and any open invitation.

        Raises:
            BenchwrightError: No such account exists.
        """
        with self._changing(name) as (connection, account):
            values = {"password_hash": password_hash, "invite_hash": None, "invite_until": None}
            connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(values))
            self._log(connection, "password_set", name, said=digest(password_hash))
            _end_sessions(connection, account)

    def invite(self, name: str, *, now: datetime) -> str:
        """Return the token of a new invitation to choose a password, valid once and for a week.

        An earlier invitation becomes invalid. An existing password stays valid until the person chooses another one.

        Raises:
            BenchwrightError: No such account exists.
        """
        token = secrets.token_urlsafe(32)
        with self._changing(name) as (connection, account):
            values = {"invite_hash": hash_of(token), "invite_until": now + INVITATION}
            connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(values))
            self._log(connection, "invited", name, at=now)
        return token

    def invited(self, token: str, *, now: datetime) -> Account | None:
        """Return the account for which an invitation was issued; None if the invitation is invalid or has expired."""
        is_open = (accounts.c.invite_hash == hash_of(token)) & (accounts.c.invite_until > now)
        with self._store.reading() as connection:
            row = _first_account(connection, is_open & ~accounts.c.is_disabled)
        return None if row is None else _account(row)

    def accept(self, token: str, password_hash: str, *, now: datetime) -> Account:
        """Set the password of the invited account, and invalidate the invitation.

        Raises:
            RefusedError: The invitation is invalid or has ended.
        """
        with self._store.batch(alone=False) as batch:
            account = _invited(batch, token, now=now)
            Accounts(batch, by=account.name).set_password(account.name, password_hash)
        return self.find(account.name)

    def set_role(self, name: str, role: Role) -> None:
        """Change the role of an account; the last curator who can sign in keeps the role of curator.

        Raises:
            BenchwrightError: No such account exists, or no other account could manage accounts.
        """
        with self._changing(name, among_curators=True) as (connection, account):
            if role != "curator":
                _keep_a_curator(connection, account)
            connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(role=role))
            self._log(connection, "role_changed", name, before=account.role, role=role)

    def disable(self, name: str, *, disabled: bool = True) -> None:
        """Stop an account from signing in, and end its open sessions; or let the account sign in again.

        Raises:
            BenchwrightError: No such account exists, or no other account could manage accounts.
        """
        with self._changing(name, among_curators=True) as (connection, account):
            if disabled:
                _keep_a_curator(connection, account)
            _end_sessions(connection, account)  # on unlocking too: a session may have opened just after the lock
            values = {"is_disabled": disabled, "invite_hash": None, "invite_until": None}
            connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(values))
            self._log(connection, "locked" if disabled else "unlocked", name)

    def open_session(self, name: str, *, now: datetime, replaces: str | None = None) -> str:
        """Return the token of a new session, and delete the expired sessions of all accounts.

        Args:
            name: Name of the account.
            now: Time at which the session begins.
            replaces: Token of the browser's earlier session, of any account, which is ended; None if there is none.

        Raises:
            BenchwrightError: No such account exists.
        """
        token = secrets.token_urlsafe(32)
        with self._changing(name) as (connection, account):
            if replaces is not None:
                _end_session(connection, replaces, now=now)
            ended = sa.select(sessions.c.id).where(sessions.c.ends_at <= now).with_for_update(skip_locked=True)
            connection.execute(sa.delete(sessions).where(sessions.c.id.in_(ended)))
            values = {"account_id": account.id, "token_hash": hash_of(token), "created_at": now}
            connection.execute(sa.insert(sessions).values(values | {"ends_at": now + SESSION}))
            record(connection, "signed_in", actor=name, at=now)
        return token

    def note_refused(self, name: str | None, *, address: str, now: datetime) -> None:
        """Record in the audit log that the app refused a sign-in under a name.

        The log omits a name without an account: it may be a password typed into the wrong field.
        """
        with self._store.writing() as connection:
            known = None if name is None else _first_account(connection, annotators.c.name == name)
            about = {} if known is None else {"name": known.name}
            record(connection, "sign_in_refused", actor=STRANGER, at=now, address=address, **about)

    def of_session(self, token: str, *, now: datetime) -> Account | None:
        """Return the account to whose session a token belongs; None if the session is unknown or has ended."""
        opened = sa.exists().where(
            sessions.c.account_id == accounts.c.id,
            sessions.c.token_hash == hash_of(token),
            sessions.c.ends_at > now,
        )
        with self._store.reading() as connection:
            row = _first_account(connection, opened & ~accounts.c.is_disabled)
        return None if row is None else _account(row)

    def end_session(self, token: str) -> None:
        """End one session."""
        with self._store.writing() as connection:
            _end_session(connection, token, now=clock())

    def _log(self, connection: sa.Connection, act: str, name: str, *, at: datetime | None = None, **about: Any) -> None:
        record(connection, act, actor=self._by, at=at or clock(), name=name, **about)

    def end_sessions(self, name: str) -> int:
        """End all sessions of an account, in every browser, and return how many there were.

        Raises:
            BenchwrightError: No such account exists.
        """
        with self._changing(name) as (connection, account):
            return _end_sessions(connection, account)

    @contextmanager
    def _changing(self, name: str, *, among_curators: bool = False) -> Iterator[tuple[sa.Connection, Account]]:
        """Yield a connection and an account whose row is locked; if `among_curators`, lock all curators' rows too."""
        of_name = (
            accounts.c.annotator_id == sa.select(annotators.c.id).where(annotators.c.name == name).scalar_subquery()
        )
        which = of_name | (accounts.c.role == "curator") if among_curators else of_name
        with self._store.writing() as connection:
            connection.execute(_LOCKED.where(which))
            yield connection, _known(connection, name)


_has_identity = sa.exists().where(identities.c.account_id == accounts.c.id).label("has_identity")
_ACCOUNTS = sa.select(accounts, annotators.c.name, _has_identity).join(annotators)


_LOCKED = sa.select(accounts.c.id).order_by(accounts.c.id).with_for_update(key_share=True)
_HAS_ACCOUNT = "you already have another account here; sign in to it"


def _invited(held: StoreConnection, token: str, *, now: datetime) -> Account:
    """Return the invited account with its row locked, so that an invitation can be accepted only once.

    Raises:
        RefusedError: The invitation is invalid or has ended.
    """
    with held.writing() as connection:
        connection.execute(_LOCKED.where(accounts.c.invite_hash == hash_of(token)))
    account = Accounts(held).invited(token, now=now)
    if account is None:
        raise RefusedError("this invitation has been used or has expired; ask a curator for a new one")
    return account


def hash_of(token: str) -> str:
    """Return the hash of a token, which the store keeps instead of the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _first_account(connection: sa.Connection, where: sa.ColumnElement[bool]) -> Any:
    return connection.execute(_ACCOUNTS.where(where)).one_or_none()


def _known(connection: sa.Connection, name: str) -> Account:
    row = _first_account(connection, annotators.c.name == name)
    if row is None:
        names = connection.execute(_ACCOUNTS.order_by(annotators.c.name)).all()
        listed = ", ".join(account.name for account in names[:20]) or "none yet"
        raise BenchwrightError(f"no account is named {name[:100]!r}; known: {listed}")
    return _account(row)


def _account(row: Any) -> Account:
    return Account(
        id=row.id,
        name=row.name,
        role=row.role,
        is_taken_up=row.password_hash is not None or row.has_identity,
        is_disabled=row.is_disabled,
        invited_until=row.invite_until,
        created_at=row.created_at,
        language=row.language,
    )


def _end_session(connection: sa.Connection, token: str, *, now: datetime) -> None:
    is_it = sessions.c.token_hash == hash_of(token)
    row = _first_account(connection, sa.exists().where(sessions.c.account_id == accounts.c.id, is_it))
    if connection.execute(sa.delete(sessions).where(is_it)).rowcount and row is not None:
        record(connection, "signed_out", actor=row.name, at=now)


def _end_sessions(connection: sa.Connection, account: Account) -> int:
    return connection.execute(sa.delete(sessions).where(sessions.c.account_id == account.id)).rowcount


def _keep_a_curator(connection: sa.Connection, account: Account) -> None:
    other_curators = sa.select(sa.func.count()).where(
        accounts.c.role == "curator", ~accounts.c.is_disabled, accounts.c.id != account.id
    )
    if account.role == "curator" and connection.execute(other_curators).scalar_one() == 0:
        raise BenchwrightError(f"{account.name!r} is the only curator; make another account a curator first")


class Identity(NamedTuple):
    """A person's identity at an identity provider, which, unlike names and e-mail addresses, never passes to others."""

    issuer: str
    subject: str


class Identities:
    """The identities in a review store. No method reads a clock: `now` is an argument."""

    def __init__(self, store: StoreConnection) -> None:
        self._store = store

    def account_of(self, identity: Identity) -> Account | None:
        """Return the account linked to an identity; None if there is no such account or it is disabled."""
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
        """Link an identity to the invited account, and invalidate the invitation.

        Raises:
            RefusedError: The invitation is invalid or has ended, or the identity already belongs to an account.
        """
        with self._store.batch(alone=False) as batch:
            account = _invited(batch, token, now=now)
            of_identity = sa.select(identities.c.account_id).where(
                identities.c.issuer == identity.issuer, identities.c.subject == identity.subject
            )
            with batch.writing() as connection:
                if connection.execute(of_identity).scalar_one_or_none() not in {None, account.id}:
                    raise RefusedError(_HAS_ACCOUNT)
                connection.execute(sa.delete(identities).where(identities.c.account_id == account.id))
                values = {"account_id": account.id, "linked_at": now, **identity._asdict()}
                connection.execute(insert_into(connection, identities).values(values).on_conflict_do_nothing())
                if connection.execute(of_identity).scalar_one() != account.id:
                    raise RefusedError(_HAS_ACCOUNT)  # linked to another account at this very moment
                ended = {"invite_hash": None, "invite_until": None}
                connection.execute(sa.update(accounts).where(accounts.c.id == account.id).values(ended))
        return Accounts(self._store).find(account.name)
