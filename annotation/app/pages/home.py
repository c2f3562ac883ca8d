"""The home page: campaigns with what they ask, what waits for the account in each, and what it did today."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from ...store import Account
from ...workflow.own_work import OwnWork, own_work
from ..base.state import AppState, clock
from ..base.texts import TEXTS, title_of
from .campaign_menu import CAMPAIGN, campaigns_of, may_decide
from .review import inert

MINUTES_PER_HOUR = 60
LONG = 90
"""Minutes from which the time left is told in hours."""


def show_home(state: AppState, account: Account, *, review: st.Page) -> None:
    """List the campaigns in which an account may decide, those with work first, each with a button that goes there."""
    campaigns = [
        campaign
        for campaign in campaigns_of(state, account)
        if not campaign.is_simulated and may_decide(state, campaign, account)
    ]
    works = own_work(state.store, campaigns, account.name, since=_midnight(), now=clock())
    today = sum(work.today for work in works)
    st.subheader(TEXTS["home_hello"].format(name=inert(account.name)))
    st.caption(TEXTS["home_today"].format(count=today) if today else TEXTS["home_nothing_today"])
    if not works:
        st.info(TEXTS["no_campaigns"])
    for work in sorted(works, key=lambda work: (not work.waiting.left, not work.waiting.is_begun)):
        _show_campaign(work, review)


def _show_campaign(work: OwnWork, review: st.Page) -> None:
    campaign, left = work.waiting.campaign, work.waiting.share_left
    box = st.container(border=True, horizontal=True, vertical_alignment="center", gap="large")
    words, button = box.container(gap=None, width="stretch"), box.container(width="content")
    words.markdown(f"**{inert(title_of(campaign.name))}**")
    words.text(TEXTS[f"asks_{campaign.kind}"])
    parts = [TEXTS["home_left"].format(left=left) if left else TEXTS["home_done"], _time_left(work)]
    if work.decided:
        parts.append(TEXTS["home_decided"].format(decided=work.decided, today=work.today))
    words.caption(" · ".join(part for part in parts if part))
    if work.decided:
        words.progress(work.decided / max(1, work.decided + left))
    label = TEXTS["home_look"] if not left else TEXTS["home_go_on"] if work.waiting.is_begun else TEXTS["home_begin"]
    if button.button(label, key=f"home-{campaign.id}", type="primary" if left else "secondary"):
        st.switch_page(review, query_params={CAMPAIGN: campaign.name})


def _time_left(work: OwnWork) -> str:
    minutes = work.minutes_left
    if minutes is None or not work.waiting.share_left:
        return ""
    if minutes >= LONG:
        return TEXTS["home_hours"].format(hours=round(minutes / MINUTES_PER_HOUR, 1))
    return TEXTS["home_minutes"].format(minutes=max(1, round(minutes)))


def _midnight() -> datetime:
    """Return the last midnight where the browser is; in UTC where it does not say."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return clock().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
