"""The frame of every page: who is there, which campaign, where to go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from ..store import Account, Campaign
from ..store.assigning import Assigning
from . import adjudicate_page, flags_page, history_page, people_page, progress_page, review_page
from .cookies import COOKIE
from .curator import agreement_page, annotators_page, reasons_page
from .curator.texts import TEXTS as WORDS
from .gate import LOGIN, LOGOUT
from .site import Site, current
from .texts import TEXTS
from .visit import Visit

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_STYLE = """<style>
.block-container { padding-top: 3.75rem; padding-bottom: 1.5rem; max-width: 110rem; }
.stApp [data-testid="stCaptionContainer"] { opacity: .85; }
.benchwright-who { text-align: right; font-size: .875rem; padding-top: .35rem; }
</style>"""


def show() -> None:
    """Show the page that was asked for to whoever has a session."""
    st.set_page_config(page_title="Benchwright review", layout="wide", initial_sidebar_state="collapsed")
    st.html(_STYLE)
    site = current()
    # Asked again on every run: a session that was ended elsewhere shows nothing more.
    account = site.account_of(site.cookies.token(st.context.cookies.get(site.cookies.name(COOKIE))))
    if account is None:
        st.warning(TEXTS["session_over"])
        st.html(f'<a href="{LOGIN}" target="_self">{escape(TEXTS["sign_in"])}</a>')
        st.stop()
    st.navigation(_pages(site, account), position="top").run()


def _pages(site: Site, account: Account) -> list[st.Page]:
    def page(name: str, show_page: Callable[[Visit], None], *, default: bool = False) -> st.Page:
        shown = partial(_show_of_campaign, site, account, show_page)
        return st.Page(shown, title=TEXTS[name], url_path=name, default=default)

    review = page("review", _review_if_assigned, default=True)
    pages = [review, page("history", partial(history_page.show, review=review))]
    if account.role in {"adjudicator", "curator"}:
        pages.append(page("adjudicate", adjudicate_page.show))
    if account.role == "curator":
        people = partial(_show_people, site, account)
        pages += [
            page("progress", progress_page.show),
            page("agreement", agreement_page.show),
            page("annotators", annotators_page.show),
            page("reasons", reasons_page.show),
            page("flags", flags_page.show),
            st.Page(people, title=TEXTS["people"], url_path="people"),
        ]
    return pages


def _show_of_campaign(site: Site, account: Account, show_page: Callable[[Visit], None]) -> None:
    campaign_place, head = _head(account)
    with campaign_place:
        campaign = _pick_campaign(site, account)
    if campaign is None:
        st.info(TEXTS["no_campaigns"])
    else:
        show_page(Visit(site, account, campaign, head))


def _review_if_assigned(visit: Visit) -> None:
    if _is_theirs(visit.site, visit.campaign, visit.account):
        review_page.show(visit)
    else:
        st.info(WORDS["not_assigned"])


def _is_theirs(site: Site, campaign: Campaign, account: Account) -> bool:
    return not campaign.is_for_assigned or Assigning(site.store).of(campaign.name).admits(account.name)


def _show_people(site: Site, account: Account) -> None:
    _head(account)
    people_page.show(site, account)


def _head(account: Account) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Show who is there, and return the places beside."""
    left, middle, right = st.columns([2, 6, 2], vertical_alignment="center")
    right.html(
        f'<div class="benchwright-who">{escape(account.name)} · '
        f'<a href="{LOGOUT}" target="_self">{escape(TEXTS["sign_out"])}</a></div>'
    )
    return left, middle


def _pick_campaign(site: Site, account: Account) -> Campaign | None:
    """Return the campaign in the address, or the one picked, or the first that this person decides in."""
    campaigns = [site.store.campaign(name) for name in site.store.campaign_names()]
    not_theirs = {one.name for one in campaigns if not _is_theirs(site, one, account)}
    if account.role == "annotator" and len(not_theirs) < len(campaigns):
        campaigns = [one for one in campaigns if one.name not in not_theirs]
    campaigns.sort(key=lambda campaign: (campaign.is_simulated, campaign.name in not_theirs))
    if not campaigns:
        return None
    names = [campaign.name for campaign in campaigns]
    wanted = st.query_params.get("campaign", names[0])
    place = names.index(wanted) if wanted in names else 0
    if len(names) == 1:
        st.text(names[0])
    else:
        picked = st.selectbox(
            TEXTS["campaign"], names, index=place, label_visibility="collapsed", key=f"campaign-{wanted}"
        )
        if picked != wanted:
            st.query_params.from_dict({"campaign": picked})
            place = names.index(picked)
    return campaigns[place]
