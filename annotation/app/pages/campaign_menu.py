"""The menu of campaigns: which of them somebody sees, what waits in each, and in which one they land."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import streamlit as st

from ...store import Account, Campaign
from ...store.accounts.campaign_access import AccessControl
from ...workflow.waiting import WaitingTasks, next_campaign, open_tasks_of, waiting_for
from ..base.state import AppState, clock
from ..base.texts import TEXTS

CAMPAIGN = "campaign"
"""Query parameter that names a campaign, and where the session keeps the one that was looked at last."""
_COUNTS = "campaign_counts"
LOOK_AGAIN = timedelta(seconds=15)
"""What the menu says of other campaigns is no older; of the one on the screen the page itself says it."""


@dataclass(frozen=True)
class _Counts:
    """What the menu says of campaigns: an annotator what waits for them, a curator what is open at all."""

    at: datetime
    names: tuple[str, ...]
    labels: dict[str, str]


def is_theirs(site: AppState, campaign: Campaign, account: Account) -> bool:
    """Return whether somebody may decide in a campaign."""
    return not campaign.is_for_assigned or AccessControl(site.store).of(campaign.name).admits(account.name)


def campaigns_of(site: AppState, account: Account) -> list[Campaign]:
    """Return the campaigns that somebody sees, in the order of their recipe: first those that they may decide in.

    Others see annotators only where there is none for them at all.
    """
    campaigns = site.store.campaigns()
    not_theirs = {one.name for one in campaigns if not is_theirs(site, one, account)}
    if account.role == "annotator" and len(not_theirs) < len(campaigns):
        campaigns = [one for one in campaigns if one.name not in not_theirs]
    return sorted(campaigns, key=lambda one: (one.is_simulated, one.name in not_theirs))


def pick_campaign(site: AppState, account: Account) -> Campaign | None:
    """Show the menu and return the campaign in the address, the one looked at last, or the one to begin with."""
    campaigns = {one.name: one for one in campaigns_of(site, account)}
    if not campaigns:
        return None
    wanted = st.query_params.get(CAMPAIGN, st.session_state.get(CAMPAIGN))
    if wanted not in campaigns:
        wanted = _landing(site, account, list(campaigns.values()))
    picked: str = wanted
    if len(campaigns) == 1:
        st.text(picked)
    else:
        labels = _labels(site, account, list(campaigns.values()))
        picked = st.selectbox(
            TEXTS["campaign"], list(campaigns), index=list(campaigns).index(wanted), label_visibility="collapsed",
            key=f"campaign-{wanted}", format_func=lambda name: name if name == wanted else labels[name],
        )  # fmt: skip
        if picked != wanted:
            st.query_params.from_dict({CAMPAIGN: picked})
    st.session_state[CAMPAIGN] = picked
    return campaigns[picked]


def go_to(campaign: str) -> None:
    """Look at another campaign from the next run of the page on."""
    st.query_params.from_dict({CAMPAIGN: campaign})
    st.session_state[CAMPAIGN] = campaign


def waiting_elsewhere(site: AppState, account: Account, here: Campaign) -> list[WaitingTasks]:
    """Return what waits for somebody in other campaigns, the one to go on with first; none where nothing waits."""
    others = [one for one in _for_people(campaigns_of(site, account), site, account) if one.name != here.name]
    waiting = [one for one in waiting_for(site.store, others, account.name, now=clock()) if one.left]
    first = next_campaign(waiting)
    return [] if first is None else [first, *(one for one in waiting if one is not first)]


def _landing(site: AppState, account: Account, campaigns: Sequence[Campaign]) -> str:
    """Return where somebody begins: where work waits for them; a curator where something is open at all."""
    for_people = _for_people(campaigns, site, account)
    if account.role == "curator":
        still_open = open_tasks_of(site.store, campaigns)
        return next((one.name for one in for_people if still_open[one.name]), campaigns[0].name)
    first = next_campaign(waiting_for(site.store, for_people, account.name, now=clock()))
    return campaigns[0].name if first is None else first.campaign.name


def _for_people(campaigns: Sequence[Campaign], site: AppState, account: Account) -> list[Campaign]:
    return [one for one in campaigns if not one.is_simulated and is_theirs(site, one, account)]


def _labels(site: AppState, account: Account, campaigns: Sequence[Campaign]) -> dict[str, str]:
    """Return what the menu says of each campaign, counted anew once in a while."""
    names, now = tuple(one.name for one in campaigns), clock()
    kept = st.session_state.get(_COUNTS)
    if isinstance(kept, _Counts) and kept.names == names and now - kept.at < LOOK_AGAIN:
        return kept.labels
    labels = {one.name: one.name for one in campaigns}
    labels |= {one.name: TEXTS["menu_simulated"].format(campaign=one.name) for one in campaigns if one.is_simulated}
    for_people = _for_people(campaigns, site, account)
    if account.role == "curator":
        counts, told, none = open_tasks_of(site.store, for_people), "menu_open", "menu_decided"
    else:
        waiting = waiting_for(site.store, for_people, account.name, now=now)
        counts = {one.campaign.name: one.share_left for one in waiting}
        told, none = "menu_left", "menu_none"
    labels |= {name: TEXTS[told if left else none].format(campaign=name, left=left) for name, left in counts.items()}
    st.session_state[_COUNTS] = _Counts(now, names, labels)
    return labels
