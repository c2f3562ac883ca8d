"""Routes of the page for an account's own decisions, with links for changing and discussing each one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from ...store.conversations.discussions import post_counts
from ...store.database.records import Campaign
from ...workflow.task_queue import HistoryEntry, TaskQueue
from ..auth.known_pages import HISTORY
from ..base.state import AppState
from ..own_pages.curator_requests import EVERYBODY, AccountRequest, form_routes
from ..own_pages.html_fields import FieldWords, text_field, whole_number
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_style
from ..people_pages.campaign_choice import campaign_field, menu_form
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.texts import TEXTS
from .history_rows import entry_row, words_of_entry
from .own_campaigns import OwnCampaigns, own_campaigns

_A_PAGE = 50
"""Number of decisions per page."""
_SEARCHED = 2000
"""Number of latest decisions that a search covers."""
_LONGEST_WORDS = 200
_MOST_PAGES = 1_000_000


class _SoughtPage(NamedTuple):
    """The words that the decisions must contain, and the page number."""

    words: str
    page: int


def history_routes(state: AppState) -> list[Route]:
    """Return the route for the page; the session middleware has already identified the account."""
    return form_routes(state, HISTORY, _HistoryPage(state).show, {}, roles=EVERYBODY)


class _HistoryPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: AccountRequest) -> Response:
        """List an account's decisions in a campaign, latest first, with their discussions if the campaign is closed."""
        seen = own_campaigns(self._state, asked)
        campaign = seen.campaign
        if campaign is None:
            return seen.refuse(HISTORY, TEXTS["history"], asked)
        page = min(max(1, whole_number(asked.query.get("page", ""))), _MOST_PAGES)
        search = _SoughtPage(asked.query.get("find", "")[:_LONGEST_WORDS].strip(), page)
        queue = TaskQueue(self._state.store, campaign, asked.account.name)
        found = _found(queue, campaign, search)
        if not found and search.page > 1:  # of a page beyond the last
            search = search._replace(page=1)
            found = _found(queue, campaign, search)
        body = f"{text_style()}<p>{escape(TEXTS['history_why'])}</p>{_menus(seen, search)}"
        body += self._rows(found[:_A_PAGE], campaign) if found else f"<p>{escape(_why_none(search))}</p>"
        body += _pager(campaign.name, search, has_more=len(found) > _A_PAGE)
        return own_page(TEXTS["history"], body, here=HISTORY, campaign=campaign.name, worker=asked.account)

    def _rows(self, entries: Sequence[HistoryEntry], campaign: Campaign) -> str:
        posts: Mapping[str, int] | None = None
        if campaign.is_closed:
            with self._state.store.reading() as connection:
                posts = post_counts(connection, campaign)
        return f'<ul class="rows">{"".join(entry_row(entry, campaign, posts) for entry in entries)}</ul>'


def _found(queue: TaskQueue, campaign: Campaign, search: _SoughtPage) -> list[HistoryEntry]:
    """Return the decisions on a page, and the next decision if there is one."""
    after = (search.page - 1) * _A_PAGE
    if not search.words:
        return queue.history(limit=_A_PAGE + 1, after=after)
    sought = search.words.casefold()
    entries = queue.history(limit=_SEARCHED)
    matches = [entry for entry in entries if sought in " · ".join(words_of_entry(entry, campaign)).casefold()]
    return matches[after : after + _A_PAGE + 1]


def _why_none(search: _SoughtPage) -> str:
    return TEXTS["nothing_found" if search.words else "nothing_said"]


def _menus(seen: OwnCampaigns, search: _SoughtPage) -> str:
    """Return the menu of campaigns and the search field."""
    words = FieldWords(TEXTS["find"], TEXTS["last_searched"].format(most=_SEARCHED) if search.words else "")
    hint = escape(TEXTS["find_hint"], quote=True)
    more = f'maxlength="{_LONGEST_WORDS}" dir="auto" placeholder="{hint}"'
    fields = campaign_field(seen.names, seen.wanted) + text_field("find", search.words, words, more=more)
    return menu_form(HISTORY, fields, button="search")


def _pager(campaign: str, search: _SoughtPage, *, has_more: bool) -> str:
    """Return links to later and earlier decisions; empty if all are on one page."""

    def link(page: int, words: str) -> str:
        query = {"campaign": campaign, **({"find": search.words} if search.words else {}), "page": page}
        address = escape(f"{HISTORY}?{urlencode(query)}", quote=True)
        return f'<a class="button quiet" id="{words}" href="{address}">{escape(CURATOR_TEXTS[words])}</a>'

    links = (link(search.page - 1, "previous") if search.page > 1 else "") + (
        link(search.page + 1, "next") if has_more else ""
    )
    return f'<div class="buttons">{links}</div>' if links else ""
