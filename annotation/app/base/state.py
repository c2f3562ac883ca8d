"""The state shared by all parts of a running app: the store, the cookies and the pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from starlette.convertors import Convertor, register_url_convertor

from benchwright.workspace.workspace import Workspace

from ...items.item_index import ItemIndex
from ...jobs.allowed_folders import AllowedFolders
from ...jobs.job_runner import JobRunner
from ...jobs.publishing_targets import PublishingTargets
from ...store.accounts.accounts import Account, Accounts
from ...store.review_store import ReviewStore, open_store
from ..helping.helper_lanes import HelperLanes
from ..languages.language import AppLanguage
from ..languages.offered import OfferedLanguages
from ..security.attempts import Attempts
from ..security.cookies import Cookies, signing_key
from ..security.identity_provider import IdentityProvider
from ..security.passwords import BoundedHashing
from .own_texts import english_texts
from .shown_pictures import ShownPictures

_MOST_DIGITS = 19
"""Number of digits of 2^63, which exceeds the integers of SQLite and PostgreSQL."""
_NO_ROW = -1


class _Number(Convertor[int]):
    """Converter of a row number in a URL path; returns `_NO_ROW` for a number too large for a database."""

    regex = "[0-9]+"

    def convert(self, value: str) -> int:
        return int(value) if len(value) < _MOST_DIGITS else _NO_ROW

    def to_string(self, value: int) -> str:
        return str(value)


NUMBER = "number"
"""Name of the converter in paths such as `/drafts/{task:number}`."""
register_url_convertor(NUMBER, _Number())


@dataclass(frozen=True)
class AppState:
    """The parts of the app that serve one workspace."""

    workspace: Path
    store: ReviewStore
    accounts: Accounts
    cookies: Cookies
    attempts: Attempts
    pictures: ShownPictures
    hashing: BoundedHashing
    items: ItemIndex
    jobs: JobRunner
    helpers: HelperLanes
    languages: OfferedLanguages
    provider: IdentityProvider | None = None
    private_webhooks: bool = False
    """Whether webhooks may lead to private networks and this machine."""
    sources: AllowedFolders = field(default_factory=AllowedFolders)
    """Folders with photographs, pictures and releases that curators may name in the browser."""
    publish_to: PublishingTargets = field(default_factory=PublishingTargets)
    """Destinations to which curators may publish from the browser."""

    def language_of(self, account: Account | None, *, cookie: str, accepted: str) -> AppLanguage:
        """Return the language that a user chose for their account or browser, or else the browser's preferred language.

        Args:
            account: Signed-in account; None before signing in.
            cookie: `Cookie` header of the browser.
            accepted: `Accept-Language` header of the browser.
        """
        chosen = None if account is None else account.language
        return self.languages.choose(chosen, self.cookies.language_in(cookie), accepted=accepted)

    def account_of(self, token: str | None) -> Account | None:
        """Return the account whose open session a token belongs to, or None if the token has no open session."""
        return None if token is None else self.accounts.of_session(token, now=clock())


def open_app_state(
    workspace: Path,
    *,
    secure: bool,
    provider: IdentityProvider | None = None,
    languages: Path | None = None,
    private_webhooks: bool = False,
    sources: AllowedFolders | None = None,
    publish_to: PublishingTargets | None = None,
) -> AppState:
    """Open the review store of a workspace for the app.

    Args:
        workspace: Folder of the workspace.
        secure: Whether browsers reach the app over HTTPS.
        provider: Identity provider for signing in, in addition to passwords; default none.
        languages: Folder with files of additional languages; default none.
        private_webhooks: Whether webhooks may lead to private networks and this machine; default False.
        sources: Folders that curators may name in the browser; default none.
        publish_to: Destinations to which curators may publish from the browser; default none.

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
        items=ItemIndex(workspace, store),
        jobs=JobRunner(workspace, store, now=clock),
        helpers=HelperLanes(workspace),
        languages=OfferedLanguages(english_texts(), *([] if languages is None else [languages])),
        provider=provider,
        private_webhooks=private_webhooks,
        sources=sources or AllowedFolders(),
        publish_to=publish_to or PublishingTargets(),
    )


def clock() -> datetime:
    """Return the current time. This is the only place where the app reads a clock."""
    return datetime.now(UTC)


_open: list[AppState] = []


def set_current(state: AppState) -> None:
    """Set the state for Streamlit's script, which cannot take arguments."""
    _open[:] = [state]


def current_state() -> AppState:
    """Return the state of the app that this process serves."""
    [state] = _open
    return state
