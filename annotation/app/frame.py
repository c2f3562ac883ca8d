"""The frame of every page: who is there, which campaign, where to go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import streamlit as st

from ..store import Account
from .auth.middleware import LOGIN, LOGOUT
from .base.curator_texts import TEXTS as WORDS
from .base.directed_text import DIRECTED_STYLE
from .base.request import PageRequest
from .base.state import AppState, current
from .base.texts import TEXTS
from .pages import adjudicate as adjudicate_page
from .pages import agreement as agreement_page
from .pages import annotators as annotators_page
from .pages import flags as flags_page
from .pages import history as history_page
from .pages import people as people_page
from .pages import progress as progress_page
from .pages import reasons as reasons_page
from .pages import review as review_page
from .pages.campaign_menu import CAMPAIGN, is_theirs, pick_campaign
from .security.cookies import COOKIE

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_STYLE = (
    f"""<style>{DIRECTED_STYLE}</style>"""
    + """<style>
.block-container { padding-top: 3.75rem; padding-bottom: 1.5rem; max-width: 110rem; }
.stApp [data-testid="stCaptionContainer"] { opacity: .85; }
.benchwright-who { text-align: right; font-size: .875rem; padding-top: .35rem; }
</style>"""
)


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


def _pages(site: AppState, account: Account) -> list[st.Page]:
    def page(name: str, show_page: Callable[[PageRequest], None]) -> st.Page:
        shown = partial(_show_of_campaign, site, account, show_page)
        return st.Page(shown, title=TEXTS[name], url_path=name)

    review = page("review", _review_if_assigned)
    pages = [review, page("history", partial(history_page.show, review=review))]
    if account.role in {"adjudicator", "curator"}:
        pages.append(page("adjudicate", adjudicate_page.show))
    if account.role == "curator":
        people, progress = partial(_show_people, site, account), page("progress", progress_page.show)
        pages += [
            progress,
            page("agreement", agreement_page.show),
            page("annotators", annotators_page.show),
            page("reasons", reasons_page.show),
            page("flags", flags_page.show),
            st.Page(people, title=TEXTS["people"], url_path="people"),
        ]
        start = partial(_start, review, progress)
    else:
        start = partial(_start, review, review)
    return [st.Page(start, title=TEXTS["review"], url_path="start", default=True, visibility="hidden"), *pages]


def _start(review: st.Page, first: st.Page) -> None:
    """Lead on to where somebody begins; an address that names a campaign, or a task of it, is one of the review."""
    named = {name: st.query_params[name] for name in (CAMPAIGN, review_page.TASK) if name in st.query_params}
    st.switch_page(review if named else first, query_params=named)


def _show_of_campaign(site: AppState, account: Account, show_page: Callable[[PageRequest], None]) -> None:
    campaign_place, head = _head(account)
    with campaign_place:
        campaign = pick_campaign(site, account)
    if campaign is None:
        st.info(TEXTS["no_campaigns"])
    else:
        show_page(PageRequest(site, account, campaign, head))


def _review_if_assigned(visit: PageRequest) -> None:
    if is_theirs(visit.site, visit.campaign, visit.account):
        review_page.show(visit)
    else:
        st.info(WORDS["not_assigned"])


def _show_people(site: AppState, account: Account) -> None:
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
