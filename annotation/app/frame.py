"""The frame of every page: the account, the menu of campaigns, and the navigation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import streamlit as st

from ..store.accounts.accounts import Account
from .auth.known_pages import (
    AGREEMENT,
    ANNOTATORS,
    BUILD,
    CONNECTIONS,
    FLAGS,
    GUIDELINES,
    HISTORY,
    ITEMS,
    NEW_BENCHMARK,
    PEOPLE,
    PUBLISH,
    REASONS,
    RECIPE,
    RULES,
    THRESHOLDS,
)
from .auth.middleware import LANGUAGE, LOGIN, LOGOUT
from .base.page_words import show_page_words
from .base.request import PageRequest
from .base.state import AppState, current_state
from .languages.language import choose_for_session, chosen_language
from .pages.adjudicate import show_adjudication
from .pages.campaign_menu import CAMPAIGN, may_decide, pick_campaign
from .pages.home import show_home
from .pages.own_routes import leads_to
from .pages.practice import show_practice
from .pages.progress import show_progress
from .pages.review import TASK, show_review
from .pages.unknown_address import show_unknown_address
from .security.cookies import COOKIE
from .wording.connection_texts import TEXTS as CONNECTION_WORDS
from .wording.curator_texts import TEXTS as WORDS
from .wording.directed_text import DIRECTED_STYLE, inert
from .wording.own_page_texts import TEXTS as OWN_PAGES
from .wording.texts import TEXTS

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_LONGEST_NAME = 100
_STYLE = (
    f"""<style>{DIRECTED_STYLE}</style>"""
    + """<style>
.block-container { padding: 3.75rem clamp(1rem, 2.5vw, 3rem) 1.5rem; max-width: 110rem; }
.block-container:has([class*="st-key-workbench"]) { padding: 3.75rem 1rem 0; max-width: none; }
.stElementContainer:has(.benchwright-who) { margin-inline-start: auto; }
.stApp [data-testid="stCaptionContainer"] { opacity: .85; }
/* White words on the primary colour of the dark theme have a contrast of 2. */
.stApp [data-testid="stBaseButton-primary"]:enabled { color: light-dark(#fff, #14161c); }
.stApp [data-testid="stMultiSelect"] span[title] { color: light-dark(#fff, #14161c); }
[class*="st-key-benchwright-head"] { z-index: 999991; }
/* A script without anything to see takes no room. */
.st-key-page-words { position: absolute; }
.st-key-steer { padding-bottom: .25rem; border-bottom: 1px solid light-dark(#e2e2de, #3a3835); }
.st-key-steer a[aria-current] { font-weight: 600; }
.benchwright-own { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.benchwright-own a { display: inline-flex; align-items: center; min-height: 2rem; padding-inline: .5rem;
  font-size: .875rem; color: inherit; text-underline-offset: .2em; }
.benchwright-who { font-size: .875rem; line-height: 2.5rem; white-space: nowrap; }
.benchwright-who a { color: inherit; text-underline-offset: .2em; }
/* Those who have few pages have room for the head beside their names: the pictures get what it took. */
@media (min-width: 900px) {
  .st-key-benchwright-head-above { position: fixed; top: .5rem; inset-inline-end: 4rem; width: calc(100vw - 27rem); }
  .block-container:has(.st-key-benchwright-head-above) { padding-top: 3.75rem; }
}
/* Guidelines stand beside the task; on small screens below it. */
.st-key-guidelines-beside {
  position: fixed; z-index: 100; inset-block: 3.75rem 0; inset-inline-start: 0; width: min(23rem, 30vw);
  overflow-y: auto; padding: .5rem 1rem 2rem; background: light-dark(#fff, #171614);
  border-inline-end: 1px solid light-dark(#d5d5d5, #454340);
}
.bw-guidelines :is(h1, h2, h3) { font-size: 1.15rem; margin: .75rem 0 .35rem; padding: 0; }
.bw-guidelines img { max-width: 100%; }
.bw-guidelines :is(th, td) { padding: .2rem .7rem .2rem 0; text-align: start; }
.block-container:has(.st-key-guidelines-beside) { padding-inline-start: calc(min(23rem, 30vw) + 1rem); }
@media (max-width: 900px) {
  .st-key-guidelines-beside {
    inset-block: 50vh 0; width: 100vw; border-inline-end: 0; border-block-start: 2px solid light-dark(#888, #888);
  }
  .block-container:has(.st-key-guidelines-beside) { padding-inline-start: 1rem; }
}
.st-key-steer { padding-top: .3rem; }
/* Where Streamlit folds its menu away, the head stands beside the sign that unfolds it: the page gets the room. */
@media (min-width: 641px) and (max-width: 767.9px) {
  .st-key-benchwright-head-above { position: fixed; top: .6rem; inset-inline: 4rem 1rem; width: auto; }
  .st-key-benchwright-head-above { flex-wrap: nowrap; }
  .st-key-benchwright-head-above > :first-child { flex: 0 1 11rem !important; width: 11rem !important; }
  .st-key-benchwright-head-above > * { min-width: 0; }
  body:has([aria-controls="stSidebar"][aria-expanded="true"]) .st-key-benchwright-head-above { visibility: hidden; }
}
/* What a finger presses is 44 px high. */
@media (pointer: coarse) {
  .stApp :is([data-testid="stSidebarNavLink"], [data-testid="stTopNavLink"], [data-testid="stPageLink-NavLink"],
    [data-testid="stExpandSidebarButton"], [data-testid^="stBaseButton"],
    [data-testid="stSelectbox"] :is(input, button), [data-testid="stTextInput"] input,
    [data-testid="stCheckbox"] label) { min-width: 44px; min-height: 44px; }
  .benchwright-own a { min-width: 44px; min-height: 44px; }
  .benchwright-who a { display: inline-block; min-width: 44px; padding-block: .6rem; line-height: 1.5; }
}
@media (max-width: 640px) {
  [class*="st-key-benchwright-head"] { position: fixed; top: 0; inset-inline: 3.5rem .75rem; width: auto; }
  [class*="st-key-benchwright-head"] { height: 3.75rem; }
  [class*="st-key-benchwright-head"] { flex-wrap: nowrap; }
  [class*="st-key-benchwright-head"] > :first-child { flex: 0 1 38vw !important; width: 38vw !important; }
  [class*="st-key-benchwright-head"] > * { min-width: 0; }
  /* Of the offers beside the campaign there is room for pictures; their words are still read out. */
  [class*="st-key-benchwright-head"]:has(.st-key-practise-offer) * { flex-wrap: nowrap; }
  :is(.st-key-practise-offer, .st-key-guidelines-open) p {
    position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  }
  :is(.st-key-practise-offer, .st-key-guidelines-open) button { padding: .25rem .5rem; }
  .block-container, .block-container:has([class*="st-key-workbench"]) { padding: 3.75rem .5rem 0; }
  .benchwright-who span { display: none; }
  .benchwright-who { display: flex; font-size: .75rem; }
  .benchwright-who a { display: inline-flex; align-items: center; min-height: 44px; padding: 0; line-height: 1.2; }
  /* Beside a campaign there is room for one link that a finger hits; Home has the languages. */
  [class*="st-key-benchwright-head"]:has([data-testid="stSelectbox"], [data-testid="stText"]) .benchwright-who a[lang] {
    display: none;
  }
  /* The menu lies over the head. */
  body:has([aria-controls="stSidebar"][aria-expanded="true"]) [class*="st-key-benchwright-head"] { visibility: hidden; }
}
</style>"""
)


def show_frame() -> None:
    """Show the requested page to a signed-in account, and a sign-in link to other visitors."""
    state = current_state()
    # Looked up again on every run, so that a session ended elsewhere shows nothing more.
    account = state.account_of(state.cookies.token(st.context.cookies.get(state.cookies.name(COOKIE))))
    headers = st.context.headers
    cookie, accepted = headers.get("cookie") or "", headers.get("accept-language") or ""
    choose_for_session(state.language_of(account, cookie=cookie, accepted=accepted))
    st.set_page_config(page_title=TEXTS["page_title"], layout="wide", initial_sidebar_state="collapsed")
    st.html(_STYLE)
    show_page_words()
    if account is None:
        st.warning(TEXTS["session_over"])
        st.html(f'<a href="{LOGIN}" target="_self">{escape(TEXTS["sign_in"])}</a>')
        st.stop()
    st.navigation(_pages(state, account), position="top").run()


def _pages(state: AppState, account: Account) -> list[st.Page]:

    def page(name: str, show_page: Callable[[PageRequest], None]) -> st.Page:
        return st.Page(partial(_show_in_frame, state, account, show_page), title=TEXTS[name], url_path=name)

    review, practice = _work_pages(state, account)
    home = st.Page(partial(_show_home, state, account, review, practice), title=TEXTS["home"], url_path="home")

    def own(name: str, title: str, path: str, visibility: Literal["visible", "hidden"] = "visible") -> st.Page:
        return st.Page(leads_to(path, CAMPAIGN), title=title, url_path=name, visibility=visibility)

    pages = [home, review, practice, own("history", TEXTS["history"], HISTORY)]
    if account.role in {"adjudicator", "curator"}:
        pages.append(page("adjudicate", show_adjudication))

    if account.role == "curator":
        # The list filters by a campaign, so the one that the session shows does not go along.
        items = st.Page(leads_to(ITEMS), title=WORDS["items_title"], url_path=ITEMS.strip("/"))
        steering: list[st.Page] = []  # too many for the head of a tablet: Progress and each of them lead to them

        shown_progress = partial(_show_in_frame, state, account, show_progress)
        progress = st.Page(
            partial(_show_steered, steering, shown_progress), title=TEXTS["progress"], url_path="progress"
        )
        build = st.Page(leads_to(BUILD), title=WORDS["build"], url_path=BUILD.strip("/"), visibility="hidden")
        steering += [
            progress,
            build,
            own("rules", WORDS["rules"], RULES, visibility="hidden"),
            st.Page(
                leads_to(THRESHOLDS), title=WORDS["thresholds"], url_path=THRESHOLDS.strip("/"), visibility="hidden"
            ),
            own("guidelines-edit", WORDS["guidelines_edit"], GUIDELINES, visibility="hidden"),
            own("connections", CONNECTION_WORDS["connections"], CONNECTIONS, visibility="hidden"),
        ]
        pages += [
            items,
            progress,
            own("agreement", TEXTS["agreement"], AGREEMENT),
            own("annotators", TEXTS["annotators"], ANNOTATORS),
            own("reasons", TEXTS["reasons"], REASONS),
            own("flags", TEXTS["flags"], FLAGS),
            st.Page(leads_to(PEOPLE), title=TEXTS["people"], url_path=PEOPLE.strip("/")),
            *steering[1:],  # Progress is in the head
        ]
        start = partial(_start, account, review, progress if state.store.campaign_names() else build)
    else:
        start = partial(_start, account, review, review)
    hidden = st.Page(start, title=TEXTS["review"], url_path="start", default=True, visibility="hidden")
    return [hidden, *pages]


def _work_pages(state: AppState, account: Account) -> tuple[st.Page, st.Page]:
    """Return the page of real tasks and the practice page, which link to each other."""

    def show_work(request: PageRequest) -> None:
        _if_assigned(request, partial(show_review, practice=practice))

    def show_practising(request: PageRequest) -> None:
        _if_assigned(request, partial(show_practice, review=review))

    review = st.Page(partial(_show_in_frame, state, account, show_work), title=TEXTS["review"], url_path="review")
    practice = st.Page(
        partial(_show_in_frame, state, account, show_practising),
        title=TEXTS["practice_title"],
        url_path="practice",
        visibility="hidden",
    )
    return review, practice


def _start(account: Account, review: st.Page, first: st.Page) -> None:
    """Switch to an account's first page, or to the review page if the URL names a campaign or one of its tasks.

    Streamlit also calls this for an open page that the account may no longer see after a change of role; such a page
    shows nothing by itself.
    """
    if urlsplit(st.context.url or "").path.strip("/"):
        _head(account)
        show_unknown_address(TEXTS["no_such_page"])
        return
    query = {name: st.query_params[name] for name in (CAMPAIGN, TASK) if name in st.query_params}
    st.switch_page(review if query else first, query_params=query)


def _show_in_frame(state: AppState, account: Account, show_page: Callable[[PageRequest], None]) -> None:
    campaign_place, head = _head(account)
    with campaign_place:
        campaign = pick_campaign(state, account)
    if campaign is not None:
        show_page(PageRequest(state, account, campaign, head))
    elif CAMPAIGN in st.query_params and state.store.campaign_names():
        show_unknown_address(
            TEXTS["no_such_campaign"].format(campaign=inert(st.query_params[CAMPAIGN][:_LONGEST_NAME]))
        )
    else:
        st.info(TEXTS["no_campaigns"])


def _if_assigned(request: PageRequest, show: Callable[[PageRequest], None]) -> None:
    if may_decide(request.state, request.campaign, request.account):
        show(request)
    else:
        st.info(WORDS["not_assigned"])


def _show_home(state: AppState, account: Account, review: st.Page, practice: st.Page) -> None:
    _head(account)
    show_home(state, account, review=review, practice=practice)


def _show_steered(pages: Sequence[st.Page], show_page: Callable[[], None]) -> None:
    """Show links to the curator's control pages and, below them, one of these pages."""
    with st.container(horizontal=True, gap="small", key="steer"):
        for page in pages:
            st.page_link(page)
        links = ((NEW_BENCHMARK, "new_benchmark"), (RECIPE, "recipe"), (PUBLISH, "publish"))
        own = "".join(f'<a href="{path}" target="_self">{escape(OWN_PAGES[name])}</a>' for path, name in links)
        st.html(f'<div class="benchwright-own">{own}</div>', width="content")
    show_page()


def _head(account: Account) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Show the account's name and the sign-out link, and return the empty slots for the campaign and next to it."""
    place = "benchwright-head" if account.role == "curator" else "benchwright-head-above"
    head = st.container(key=place, horizontal=True, vertical_alignment="center", gap="small")
    campaign = head.container(width=240, gap=None)
    beside = head.container(horizontal=True, vertical_alignment="center", width="stretch", gap="small")
    others = (language for language in current_state().languages.all if language is not chosen_language())
    links = "".join(
        f'<a href="{LANGUAGE}?to={language.tag}" target="_self" lang="{language.tag}" hreflang="{language.tag}">'
        f"{escape(language.name)}</a><span> · </span>"
        for language in others
    )
    head.html(
        f'<div class="benchwright-who"><span><bdi>{escape(account.name)}</bdi> · </span>{links}'
        f'<a href="{LOGOUT}" target="_self">{escape(TEXTS["sign_out"])}</a></div>',
        width="content",
    )
    return campaign, beside
