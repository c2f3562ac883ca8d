"""The curator's page of accounts: add, invite, lock out, let in again."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from benchwright.errors import BenchwrightError

from ..account_words import invitation_path, state_of
from ..store import Account, Accounts
from ..store.accounts import Role
from .curator import assigning_part
from .review_page import inert
from .site import Site, clock
from .texts import TEXTS

_LINK = "invitation"


def show(site: Site, account: Account) -> None:
    """List accounts, and change them."""
    st.caption(TEXTS["people_why"])
    accounts = Accounts(site.store, by=account.name)
    _show_form(accounts)
    if (shown := st.session_state.pop(_LINK, None)) is not None:
        name, link = shown
        st.text(TEXTS["invitation_for"].format(name=name))
        st.code(link, language=None)
    for one in accounts.all():
        _show_account(accounts, one, is_self=one.name == account.name)
    assigning_part.show(site)


def _show_form(accounts: Accounts) -> None:
    with st.form("add", clear_on_submit=True, border=True):
        name, role, send = st.columns([3, 2, 1], vertical_alignment="bottom")
        wanted = name.text_input(TEXTS["name"], max_chars=100)
        chosen: Role = role.selectbox(TEXTS["role"], get_args(Role))
        if send.form_submit_button(TEXTS["invite"]):
            _change(lambda: _add(accounts, wanted.strip(), chosen))


def _show_account(accounts: Accounts, one: Account, *, is_self: bool) -> None:
    name, role, state, invite, lock = st.columns([3, 1.5, 2, 1.5, 1.5], vertical_alignment="center")
    name.text(one.name)
    roles = get_args(Role)
    chosen = role.selectbox(
        TEXTS["role"], roles, index=roles.index(one.role), key=f"role-{one.id}-{one.role}", label_visibility="collapsed"
    )
    if chosen != one.role:
        _change(lambda: accounts.set_role(one.name, chosen))
    state.text(TEXTS[f"state_{state_of(one)}"])
    if not one.is_disabled and invite.button(TEXTS["invite_again"], key=f"invite-{one.id}"):
        _change(lambda: _invite(accounts, one.name))
    words = TEXTS["enable"] if one.is_disabled else TEXTS["disable"]
    if not is_self and lock.button(words, key=f"lock-{one.id}"):
        _change(lambda: accounts.disable(one.name, disabled=not one.is_disabled))


def _add(accounts: Accounts, name: str, role: Role) -> None:
    accounts.add(name, role, now=clock())
    _invite(accounts, name)


def _invite(accounts: Accounts, name: str) -> None:
    token = accounts.invite(name, now=clock())
    st.session_state[_LINK] = (name, (st.context.url or "").rstrip("/").rpartition("/")[0] + invitation_path(token))


def _change(act: object) -> None:
    assert callable(act)
    try:
        act()
    except BenchwrightError as error:
        st.error(inert(str(error)))
        return
    st.rerun()
