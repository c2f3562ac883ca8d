"""The curator's page of accounts: add, invite, lock out, let in again; and who decides in which campaign."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store import Account, Accounts
from ...store.accounts.accounts import Role
from ...store.accounts.campaign_access import AccessControl, CampaignAccess
from ..base.account_words import invitation_path, state_of
from ..base.curator_texts import TEXTS as CURATOR_TEXTS
from ..base.state import AppState, clock
from ..base.texts import TEXTS
from .review import inert

_LINK = "invitation"


def show(site: AppState, account: Account) -> None:
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
    _show_access(site)


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


def _show_access(site: AppState) -> None:
    """Show the campaigns that people decide in, and take changes of who may."""
    campaigns = [site.store.campaign(name) for name in site.store.campaign_names()]
    if all(campaign.is_simulated for campaign in campaigns):
        return
    st.subheader(CURATOR_TEXTS["assigned"])
    st.caption(CURATOR_TEXTS["assigned_why"])
    assigning, known = AccessControl(site.store), [account.name for account in site.accounts.all()]
    for campaign in campaigns:
        if not campaign.is_simulated:
            _show_campaign_access(assigning, campaign.name, known)


def _show_campaign_access(assigning: AccessControl, campaign: str, known: list[str]) -> None:
    now = assigning.of(campaign)
    with st.form(f"assign-{campaign}", border=True):
        who, names, send = st.columns([2, 4, 1], vertical_alignment="bottom")
        choices = [CURATOR_TEXTS["everybody"], CURATOR_TEXTS["only"]]
        open_to, assigned_to = (
            CURATOR_TEXTS[name].format(campaign=inert(campaign)) for name in ("open_to", "assigned_to")
        )
        picked = who.radio(open_to, choices, index=int(now.is_for_assigned), key=f"who-{campaign}-{now}")
        people = names.multiselect(
            assigned_to, sorted({*known, *now.names}), default=now.names, key=f"names-{campaign}-{now}"
        )
        if send.form_submit_button(CURATOR_TEXTS["save"]):
            _save_access(assigning, campaign, now, people if picked == CURATOR_TEXTS["only"] else None)
            st.rerun()


def _save_access(assigning: AccessControl, campaign: str, now: CampaignAccess, people: list[str] | None) -> None:
    if people is None:
        assigning.open_to_everybody(campaign)
        return
    assigning.assign(campaign, people)
    if off := sorted(set(now.names) - set(people)):
        assigning.take_off(campaign, off)
