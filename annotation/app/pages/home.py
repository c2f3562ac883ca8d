"""The home page: campaigns with their questions, the tasks waiting for the account, and its work today."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from ...forms.assignment_settings import assignment_settings_of
from ...store.accounts.accounts import Account
from ...workflow.own_work import OwnWork, own_work
from ...workflow.practising import PracticeQueue
from ..base.state import AppState, clock
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, title_of
from .campaign_menu import CAMPAIGN, campaigns_of, may_decide
from .messages import show_unread

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_MINUTES_PER_HOUR = 60
LONG = 90
"""Number of minutes from which the remaining time is stated in hours."""


def show_home(state: AppState, account: Account, *, review: st.Page, practice: st.Page) -> None:
    """List the campaigns in which an account may decide, each with buttons to open it; those with work come first.

    Args:
        state: State of the app.
        account: The account.
        review: Page of the real tasks.
        practice: Practice page.
    """
    campaigns = [
        campaign
        for campaign in campaigns_of(state, account)
        if not campaign.is_simulated and may_decide(state, campaign, account)
    ]
    works = own_work(state.store, campaigns, account.name, since=_midnight(), now=clock())
    today = sum(work.today for work in works)
    show_unread(state, account, campaigns)
    st.subheader(TEXTS["home_hello"].format(name=inert(account.name)), anchor=False)
    st.caption(TEXTS["home_today"].format(count=today) if today else TEXTS["home_nothing_today"])
    if not works:
        st.info(TEXTS["no_campaigns"])
    for work in sorted(works, key=lambda work: (not work.waiting.left, not work.waiting.is_begun)):
        practising = PracticeQueue(state.store, work.waiting.campaign, account.name)
        _show_campaign(work, practising, review=review, practice=practice)


def _show_campaign(work: OwnWork, practising: PracticeQueue, *, review: st.Page, practice: st.Page) -> None:
    is_qualified = practising.is_qualified
    campaign, left = work.waiting.campaign, work.waiting.share_left
    box = st.container(border=True, horizontal=True, vertical_alignment="center", gap="small")
    words, button = box.container(gap=None, width="stretch"), box.container(width="content", horizontal=True)
    words.markdown(f"**{inert(title_of(campaign.name))}**")
    words.text(TEXTS[f"asks_{campaign.kind}"])
    parts = [TEXTS["home_left"].format(left=left) if left else TEXTS["home_done"], _time_left(work)]
    if work.decided:
        parts.append(TEXTS["home_decided"].format(decided=work.decided, today=work.today))
    words.caption(" · ".join(part for part in parts if part))
    if work.decided:
        words.progress(work.decided / max(1, work.decided + left))
    query = {CAMPAIGN: campaign.name}
    if practising.is_there and _offer_practice(work, practising, button, words):
        st.switch_page(practice, query_params=query)
    if not is_qualified:
        return
    label = TEXTS["home_look"] if not left else TEXTS["home_go_on"] if work.waiting.is_begun else TEXTS["home_begin"]
    if button.button(label, key=f"home-{campaign.id}", type="primary" if left else "secondary"):
        st.switch_page(review, query_params=query)


def _offer_practice(work: OwnWork, practising: PracticeQueue, button: DeltaGenerator, words: DeltaGenerator) -> bool:
    """Show a button for the practice page, and return whether the annotator pressed it."""
    campaign = work.waiting.campaign
    qualification = assignment_settings_of(campaign.settings).qualification
    is_needed = not practising.is_qualified
    if is_needed and qualification is not None:
        of = practising.count
        words.caption(TEXTS["home_practice"].format(mark=qualification.pass_mark, of=of))
    is_first = is_needed or not work.decided
    label = TEXTS["practise" if is_first else "practise_more"]
    return button.button(
        label,
        key=f"practise-{campaign.id}",
        type="primary" if is_needed else "secondary" if is_first else "tertiary",
    )


def _time_left(work: OwnWork) -> str:
    minutes = work.minutes_left
    if minutes is None or not work.waiting.share_left:
        return ""
    if minutes >= LONG:
        return TEXTS["home_hours"].format(hours=round(minutes / _MINUTES_PER_HOUR, 1))
    return TEXTS["home_minutes"].format(minutes=max(1, round(minutes)))


def _midnight() -> datetime:
    """Return the last midnight in the browser's time zone, or in UTC if the browser does not state one."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return clock().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
