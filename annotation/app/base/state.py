"""What the parts of one running app share: the store, the cookies, the pictures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.convertors import Convertor, register_url_convertor

from benchwright.workspace.workspace import Workspace

from ...store import Account, Accounts, ReviewStore, open_store
from ..security.attempts import Attempts
from ..security.cookies import Cookies, signing_key
from ..security.identity_provider import IdentityProvider
from ..security.passwords import BoundedHashing
from .shown_pictures import ShownPictures

MOST_DIGITS = 19
"""Of 2^63, above what SQLite and PostgreSQL take for a number."""
NO_ROW = -1


class _Number(Convertor[int]):
    """The number of a row in an address; one that no database can hold is the number of no row."""

    regex = "[0-9]+"

    def convert(self, value: str) -> int:
        return int(value) if len(value) < MOST_DIGITS else NO_ROW

    def to_string(self, value: int) -> str:
        return str(value)


NUMBER = "number"
"""Kind of a part of an address, as in `/drafts/{task:number}`."""
register_url_convertor(NUMBER, _Number())


@dataclass(frozen=True)
class AppState:
    """One workspace, as the app serves it."""

    workspace: Path
    store: ReviewStore
    accounts: Accounts
    cookies: Cookies
    attempts: Attempts
    pictures: ShownPictures
    hashing: BoundedHashing
    provider: IdentityProvider | None = None

    def account_of(self, token: str | None) -> Account | None:
        """Return who a session's token belongs to, now."""
        return None if token is None else self.accounts.of_session(token, now=clock())


def open_site(workspace: Path, *, secure: bool, provider: IdentityProvider | None = None) -> AppState:
    """Open the review store of a workspace for the app.

    Args:
        workspace: Its folder.
        secure: Whether HTTPS is spoken in front.
        provider: By whom people may sign in besides their passwords.

    Raises:
        DataError: The store or the key cannot be read.
    """
    store = open_store(Workspace(workspace).store_url)
    return AppState(
        workspace=workspace,
        store=store,
        accounts=Accounts(store),
        cookies=Cookies(signing_key(workspace), secure=secure),
        attempts=Attempts(),
        pictures=ShownPictures(workspace),
        hashing=BoundedHashing(),
        provider=provider,
    )


def clock() -> datetime:
    """Return the time: the only place where the app looks at a clock."""
    return datetime.now(UTC)


_open: list[AppState] = []


def serve_from(site: AppState) -> None:
    """Say which site Streamlit's script, which gets no arguments, is to show."""
    _open[:] = [site]


def current() -> AppState:
    """Return the site that this process serves."""
    [site] = _open
    return site
