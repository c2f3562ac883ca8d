"""The menu of the campaigns that an account sees, with the waiting tasks in each, and the campaign to begin with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import streamlit as st

from ...store.accounts.accounts import Account
from ...store.accounts.campaign_access import AccessControl
from ...store.database.records import Campaign
from ...workflow.waiting import WaitingTasks, next_campaign, open_tasks_of, waiting_for
from ..base.state import AppState, clock
from ..wording.texts import TEXTS, title_of

CAMPAIGN = "campaign"
"""Query parameter for a campaign, and session key for the last campaign."""
_LABELS = "campaign_counts"
_MAX_AGE = timedelta(seconds=15)
"""Age at which the menu refreshes its counts. The page itself shows the counts for its campaign."""


@dataclass(frozen=True)
class _MenuLabels:
    """The menu's entries by campaign: annotators see the tasks waiting for them, curators all open tasks."""

    at: datetime
    names: tuple[str, ...]
    labels: dict[str, str]


def may_decide(state: AppState, campaign: Campaign, account: Account) -> bool:
    """Return whether an account may decide in a campaign."""
    return AccessControl(state.store).admits(campaign, account.name)


def campaigns_of(state: AppState, account: Account) -> list[Campaign]:
    """Return the campaigns that an account sees, in recipe order; those in which it may decide come first.

    Annotators see other campaigns only if they may decide in none.
    """
    campaigns = state.store.campaigns()
    closed = {campaign.name for campaign in campaigns if not may_decide(state, campaign, account)}
    if account.role == "annotator" and len(closed) < len(campaigns):
        campaigns = [campaign for campaign in campaigns if campaign.name not in closed]
    return sorted(campaigns, key=lambda campaign: (campaign.is_simulated, campaign.name in closed))


def pick_campaign(state: AppState, account: Account) -> Campaign | None:
    """Show the menu and return the selected campaign; None if there are none or the URL names an unknown campaign.

    The initial selection is the campaign in the URL, the last one of the session, or the one to begin with.
    """
    campaigns = {campaign.name: campaign for campaign in campaigns_of(state, account)}
    if not campaigns or st.query_params.get(CAMPAIGN, next(iter(campaigns))) not in campaigns:
        return None
    wanted = st.query_params.get(CAMPAIGN, st.session_state.get(CAMPAIGN))
    if wanted not in campaigns:
        wanted = first_campaign(state, account, list(campaigns.values()))
    picked: str = wanted
    if len(campaigns) == 1:
        st.text(title_of(picked))
    else:
        labels = _labels(state, account, list(campaigns.values()))
        picked = st.selectbox(
            TEXTS["campaign"],
            list(campaigns),
            index=list(campaigns).index(wanted),
            label_visibility="collapsed",
            key=f"campaign-{wanted}",
            format_func=lambda name: title_of(name) if name == wanted else labels[name],
        )
        if picked != wanted:
            st.query_params.from_dict({CAMPAIGN: picked})
    st.session_state[CAMPAIGN] = picked
    return campaigns[picked]


def go_to(campaign: str) -> None:
    """Select another campaign for the next run of the page."""
    st.query_params.from_dict({CAMPAIGN: campaign})
    st.session_state[CAMPAIGN] = campaign


def waiting_elsewhere(state: AppState, account: Account, current: Campaign) -> list[WaitingTasks]:
    """Return an account's waiting tasks outside the current campaign; the campaign to continue with comes first."""
    campaigns = _for_people(campaigns_of(state, account), state, account)
    campaigns = [campaign for campaign in campaigns if campaign.name != current.name]
    waiting = [tasks for tasks in waiting_for(state.store, campaigns, account.name, now=clock()) if tasks.left]
    first = next_campaign(waiting)
    return [] if first is None else [first, *(tasks for tasks in waiting if tasks is not first)]


def first_campaign(state: AppState, account: Account, campaigns: Sequence[Campaign]) -> str:
    """Return the campaign to begin with: one with tasks waiting for the account or, for a curator, with open tasks."""
    for_people = _for_people(campaigns, state, account)
    if account.role == "curator":
        still_open = open_tasks_of(state.store, campaigns)
        return next((campaign.name for campaign in for_people if still_open[campaign.name]), campaigns[0].name)
    first = next_campaign(waiting_for(state.store, for_people, account.name, now=clock()))
    return campaigns[0].name if first is None else first.campaign.name


def _for_people(campaigns: Sequence[Campaign], state: AppState, account: Account) -> list[Campaign]:
    """Return the campaigns that are not simulated and in which the account may decide."""
    return [campaign for campaign in campaigns if not campaign.is_simulated and may_decide(state, campaign, account)]


def _labels(state: AppState, account: Account, campaigns: Sequence[Campaign]) -> dict[str, str]:
    """Return the menu's entry for each campaign; counts older than `_MAX_AGE` are refreshed."""
    names, now = tuple(campaign.name for campaign in campaigns), clock()
    kept = st.session_state.get(_LABELS)
    if isinstance(kept, _MenuLabels) and kept.names == names and now - kept.at < _MAX_AGE:
        return kept.labels
    labels = {name: title_of(name) for name in names}
    for campaign in campaigns:
        if campaign.is_simulated:
            labels[campaign.name] = TEXTS["menu_simulated"].format(campaign=title_of(campaign.name))
    for_people = _for_people(campaigns, state, account)
    if account.role == "curator":
        counts, some, none = open_tasks_of(state.store, for_people), "menu_open", "menu_decided"
    else:
        waiting = waiting_for(state.store, for_people, account.name, now=now)
        counts = {tasks.campaign.name: tasks.share_left for tasks in waiting}
        some, none = "menu_left", "menu_none"
    for name, left in counts.items():
        labels[name] = TEXTS[some if left else none].format(campaign=title_of(name), left=left)
    st.session_state[_LABELS] = _MenuLabels(now, names, labels)
    return labels
