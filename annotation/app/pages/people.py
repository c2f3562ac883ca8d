"""The curator's page of accounts: adding, inviting, locking and unlocking; and who may decide in which campaign."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store.accounts.accounts import Account, Accounts, Role
from ...store.accounts.campaign_access import AccessControl, CampaignAccess
from ..base.state import AppState, clock
from ..wording.account_words import invitation_path, state_of
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, message_of, words_of_code
from .invitations import app_url, show_invitations

_LINK = "invitation"


def show_people(state: AppState, account: Account) -> None:
    """List accounts, and change them.

    Args:
        state: State of the app.
        account: Account of the curator.
    """
    st.caption(TEXTS["people_why"])
    accounts = Accounts(state.store, by=account.name)
    _show_form(accounts)
    if (invitation := st.session_state.pop(_LINK, None)) is not None:
        name, link = invitation
        st.text(TEXTS["invitation_for"].format(name=name))
        st.code(link, language=None)
    show_invitations(state, account)
    for listed in accounts.all():
        _show_account(accounts, listed, is_self=listed.name == account.name)
    _show_access(state)


def _show_form(accounts: Accounts) -> None:
    with st.form("add", clear_on_submit=True, border=True):
        name_place, role_place, button_place = st.columns([3, 2, 1], vertical_alignment="bottom")
        name = name_place.text_input(TEXTS["name"], max_chars=100)
        role: Role = role_place.selectbox(TEXTS["role"], get_args(Role), format_func=words_of_code)
        if button_place.form_submit_button(TEXTS["invite"]):
            _change(lambda: _add(accounts, name.strip(), role))


def _show_account(accounts: Accounts, account: Account, *, is_self: bool) -> None:
    name, role, state, invite, lock = st.columns([3, 1.5, 2, 1.5, 1.5], vertical_alignment="center")
    name.text(account.name)
    roles = get_args(Role)
    chosen = role.selectbox(
        TEXTS["role"],
        roles,
        index=roles.index(account.role),
        key=f"role-{account.id}-{account.role}",
        format_func=words_of_code,
        label_visibility="collapsed",
    )
    if chosen != account.role:
        _change(lambda: accounts.set_role(account.name, chosen))
    state.text(TEXTS[f"state_{state_of(account)}"])
    if not account.is_disabled and invite.button(TEXTS["invite_again"], key=f"invite-{account.id}"):
        _change(lambda: _invite(accounts, account.name))
    words = TEXTS["enable"] if account.is_disabled else TEXTS["disable"]
    if not is_self and lock.button(words, key=f"lock-{account.id}"):
        _change(lambda: accounts.disable(account.name, disabled=not account.is_disabled))


def _add(accounts: Accounts, name: str, role: Role) -> None:
    accounts.add(name, role, now=clock())
    _invite(accounts, name)


def _invite(accounts: Accounts, name: str) -> None:
    token = accounts.invite(name, now=clock())
    st.session_state[_LINK] = (name, app_url() + invitation_path(token))


def _change(change: Callable[[], object]) -> None:
    """Make a change and run the page again; show an error where the change is refused."""
    try:
        change()
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    st.rerun()


def _show_access(state: AppState) -> None:
    """Show who may decide in each campaign for people, and take changes."""
    campaigns = [state.store.campaign(name) for name in state.store.campaign_names()]
    if all(campaign.is_simulated for campaign in campaigns):
        return
    st.subheader(CURATOR_TEXTS["assigned"])
    st.caption(CURATOR_TEXTS["assigned_why"])
    access_control, names = AccessControl(state.store), [account.name for account in state.accounts.all()]
    for campaign in campaigns:
        if not campaign.is_simulated:
            _show_campaign_access(access_control, campaign.name, names)


def _show_campaign_access(access_control: AccessControl, campaign: str, names: list[str]) -> None:
    access = access_control.of(campaign)
    with st.form(f"assign-{campaign}", border=True):
        choice_place, names_place, button_place = st.columns([2, 4, 1], vertical_alignment="bottom")
        choices = [CURATOR_TEXTS["everybody"], CURATOR_TEXTS["only"]]
        open_to, assigned_to = (
            CURATOR_TEXTS[name].format(campaign=inert(campaign)) for name in ("open_to", "assigned_to")
        )
        choice = choice_place.radio(open_to, choices, index=int(access.is_for_assigned), key=f"who-{campaign}-{access}")
        people = names_place.multiselect(
            assigned_to, sorted({*names, *access.names}), default=access.names, key=f"names-{campaign}-{access}"
        )
        if button_place.form_submit_button(CURATOR_TEXTS["save"]):
            _save_access(access_control, campaign, access, people if choice == CURATOR_TEXTS["only"] else None)
            st.rerun()


def _save_access(
    access_control: AccessControl, campaign: str, access: CampaignAccess, people: list[str] | None
) -> None:
    """Assign people to a campaign in place of those who were; open it to everybody where `people` is None."""
    if people is None:
        access_control.open_to_everybody(campaign)
        return
    access_control.assign(campaign, people)
    if removed := sorted(set(access.names) - set(people)):
        access_control.take_off(campaign, removed)
