"""Routes of the page for flags and comments, which annotators add to tasks in addition to decisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...store.submissions.comments import Comment
from ..auth.known_pages import FLAGS, item_address
from ..base.state import AppState, clock
from ..languages.language import chosen_language
from ..own_pages.curator_requests import TOKEN, CuratorRequest, form_routes
from ..own_pages.html_fields import hidden, whole_number
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_html, text_style
from ..routes.tasks import picture_url
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS, message_of
from .campaign_choice import campaign_menu, no_such_campaign

_A_PAGE = 50
"""Number of flags and comments per page."""


def flag_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _FlagsPage(state)
    return [
        *form_routes(state, FLAGS, page.show, {"settle": page.settle}),
    ]


class _FlagsPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest, *, campaign: str | None = None, **more: Any) -> Response:
        """List the open flags and comments of a campaign, flags first."""
        names = [each.name for each in self._state.store.campaigns()]
        wanted = campaign or asked.query.get("campaign") or self._first_of(names)
        if wanted not in names:
            return no_such_campaign(FLAGS, TEXTS["flags"], names, wanted)
        comments = self._state.store.remarks(wanted)
        pages = max(1, math.ceil(len(comments) / _A_PAGE))
        page = min(max(1, whole_number(asked.query.get("page", ""))), pages)
        shown = comments[(page - 1) * _A_PAGE : page * _A_PAGE]
        listed = self._form(wanted, page, shown, asked) if shown else f"<p>{escape(TEXTS['no_flags'])}</p>"
        menu, pager = campaign_menu(FLAGS, names, wanted), _pager(wanted, page, pages)
        body = f"<p>{escape(TEXTS['flags_why'])}</p>{menu}{listed}{pager}"
        return own_page(TEXTS["flags"], body, here=FLAGS, campaign=wanted, **more)

    def settle(self, asked: CuratorRequest) -> Response:
        """Settle one flag or all selected ones, skipping those that another curator settled in the meantime."""
        sent = asked.fields
        campaign = sent.get("campaign", "")
        if campaign not in self._state.store.campaign_names():
            return self.show(asked, campaign=campaign or "?")
        one = sent.get("settle", "")
        chosen = [one] if one else [name.removeprefix("chosen-") for name in sent if name.startswith("chosen-")]
        problem = "" if chosen else OWN_TEXTS["none_chosen"]
        for number in chosen:
            try:
                self._state.store.settle_remark(campaign, whole_number(number), by=asked.account.name, now=clock())
            except BenchwrightError as error:  # another curator settled it meanwhile
                problem = message_of(error)
        if problem:
            return self.show(asked, campaign=campaign, problem=problem, status=409)
        return RedirectResponse(_address(campaign, whole_number(sent.get("page", "1"))), 303)

    def _first_of(self, names: Sequence[str]) -> str:
        """Return the first campaign with open flags or comments, or the first campaign if none are open."""
        return next((name for name in names if self._state.store.remarks(name)), names[0] if names else "")

    def _form(self, campaign: str, page: int, shown: Sequence[Comment], asked: CuratorRequest) -> str:
        rows = "".join(map(self._row, shown))
        return (
            f'{text_style()}<form method="post" action="{FLAGS}/settle">{hidden(TOKEN, asked.token)}'
            f'{hidden("campaign", campaign)}{hidden("page", str(page))}<ul class="rows">{rows}</ul>'
            f'<div class="buttons"><button type="submit" id="settle-chosen">'
            f"{escape(OWN_TEXTS['settle_chosen'])}</button></div></form>"
        )

    def _row(self, comment: Comment) -> str:
        called = self._state.pictures.called(comment.item_id, digits=64)
        who = f"⚑ {comment.annotator}" if comment.is_flag else comment.annotator
        words = "".join(text_html(text) for text in (comment.words, comment.question) if text)
        item = escape(item_address(comment.item_id), quote=True)
        see = f'<a class="button quiet" href="{item}">{escape(CURATOR_TEXTS["see_item"])}</a>'
        number, time = comment.id, chosen_language().date_and_time(comment.made_at)
        return (
            f'<li class="flag"><label class="check"><input type="checkbox" name="chosen-{number}" value="yes"'
            f' id="chosen-{number}"><span id="who-{number}"><bdi>{escape(escaped(who))}</bdi></span></label>'
            f'<img class="bw-small" src="{escape(picture_url(comment.task_id, 0))}" alt="" loading="lazy">'
            f'<div class="words">{words}<small><bdi>{escape(escaped(called))}</bdi> · {escape(time)}</small></div>'
            f'<span class="acts">{see}<button class="quiet" type="submit" name="settle" value="{number}"'
            f' id="settle-{number}" aria-describedby="who-{number}">{escape(TEXTS["settle"])}</button></span></li>'
        )


def _address(campaign: str, page: int) -> str:
    return f"{FLAGS}?{urlencode({'campaign': campaign, **({'page': page} if page > 1 else {})})}"


def _pager(campaign: str, page: int, pages: int) -> str:
    if pages == 1:
        return ""

    def link(to: int, words: str) -> str:
        if not 1 <= to <= pages:
            return ""
        address = escape(_address(campaign, to), quote=True)
        return f'<a class="button quiet" href="{address}">{escape(CURATOR_TEXTS[words])}</a>'

    at = escape(CURATOR_TEXTS["page_of"].format(page=page, pages=pages))
    return f'<div class="buttons">{link(page - 1, "previous")}<span>{at}</span>{link(page + 1, "next")}</div>'
