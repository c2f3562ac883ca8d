"""Descriptions of accounts, shared by the app and the command line."""

from __future__ import annotations

from typing import Literal

from ...store.accounts.accounts import Account

AccountState = Literal["locked", "open", "invited", "closed"]


def invitation_path(token: str) -> str:
    """Return the path for accepting an invitation."""
    return f"/welcome?invitation={token}"


def state_of(account: Account) -> AccountState:
    """Return a one-word status that indicates whether the account's owner can sign in."""
    if account.is_disabled:
        return "locked"
    if account.is_taken_up:
        return "open"
    return "invited" if account.invited_until is not None else "closed"
