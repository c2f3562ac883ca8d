"""Streamlit's own static files: which sessions get them without a lookup.

The files are the same for everybody and hold no data of the app, but need a session like everything else. A browser
that opens the page requests a hundred of them within a second. So a session that was open a moment ago is not looked
up for each file.
"""

from __future__ import annotations

import time

from ...store import Account

STATIC = "/static/"
GOOD_FOR_S = 5.0
"""Seconds for which an ended session still gets Streamlit's files, and nothing else."""
_MOST = 1000


class RecentSessions:
    """Accounts whose sessions were open a moment ago, by token. Not thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Account, float]] = {}

    def find(self, token: str | None, path: str) -> Account | None:
        """Return the account that a token belonged to a moment ago; None for paths that are no static files."""
        if token is None or not path.startswith(STATIC) or ".." in path:
            return None
        account, until = self._known.get(token, (None, 0.0))
        return account if until > time.monotonic() else None

    def note(self, token: str | None, account: Account | None) -> None:
        """Remember an open session for a moment."""
        if token is None or account is None:
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[token] = account, time.monotonic() + GOOD_FOR_S
