"""What is said of accounts, by the app and by the command line alike."""

from __future__ import annotations

from typing import Literal

from ...store import Account

State = Literal["locked", "open", "invited", "closed"]


def invitation_path(token: str) -> str:
    """Return where an invitation is taken up."""
    return f"/welcome?invitation={token}"


def state_of(account: Account) -> State:
    """Return in a word whether somebody can sign in."""
    if account.is_disabled:
        return "locked"
    if account.is_taken_up:
        return "open"
    return "invited" if account.invited_until is not None else "closed"
