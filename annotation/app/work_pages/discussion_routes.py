"""Routes of the page on which annotators and curators discuss an item that is no longer open for judgment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...forms.task_content import TaskContent, content_in
from ...store.accounts.accounts import Account
from ...store.campaigns.adjudications import has_opened, note_seen
from ...store.conversations.discussions import (
    LONGEST,
    Post,
    add_post,
    decisions_on,
    discussed_task,
    may_be_discussed,
    posts_on,
)
from ...store.database.records import Campaign
from ..auth.known_pages import DISCUSSION, ITEM, discussion_address, item_address
from ..base.option_letters import captions, question_in_words
from ..base.state import AppState, clock
from ..item_pages.item_sections import ITEM_STYLE, linked_pictures_html, options_html
from ..languages.language import chosen_language
from ..own_pages.curator_requests import EVERYBODY, TOKEN, AccountRequest, form_routes
from ..own_pages.html_fields import FieldWords, area_field, hidden
from ..own_pages.once_shown import ChangeReport, ChangeReports
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_html, text_style
from ..routes.tasks import picture_url
from ..wording.conversation_texts import TEXTS
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import message_of
from .own_campaigns import own_campaigns

_LONGEST_ID = 200


def discussion_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _DiscussionPage(state)
    return form_routes(state, DISCUSSION, page.show, {"post": page.post}, roles=EVERYBODY)


def task_to_discuss(state: AppState, account: Account, campaign: Campaign, item_id: str) -> int | None:
    """Return the task whose item an account may discuss, or None if the account may not discuss it.

    Annotators may discuss items that they decided; curators and adjudicators may discuss every item of the campaign.
    """
    of = account.name if account.role == "annotator" else None
    with state.store.reading() as connection:
        if not may_be_discussed(connection, campaign, item_id):
            return None
        return discussed_task(connection, campaign, item_id, of=of)


class _DiscussionPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._reports = ChangeReports()

    def show(self, asked: AccountRequest, **more: Any) -> Response:
        """Show an item with its key, all decisions and its posts, and the form for another post."""
        state, item_id = self._state, _item_of(asked)
        seen = own_campaigns(state, asked)
        campaign = seen.campaign
        if campaign is None:
            return seen.refuse(DISCUSSION, TEXTS["discussion"], asked)
        task_id = task_to_discuss(state, asked.account, campaign, item_id)
        payload = None if task_id is None else state.store.payload(task_id)
        if task_id is None or payload is None:
            return self._refuse(asked, campaign)
        self._note_seen(task_id, asked.account.name)
        with state.store.reading() as connection:
            decisions, posts = decisions_on(connection, task_id), posts_on(connection, campaign, item_id)
        if not asked.fields:
            words = self._reports.show(asked.account.name, campaign.name, now=clock()).words
            more.setdefault("notice", words)
        content = content_in(payload)
        body = (
            f'{text_style()}{ITEM_STYLE}<p>{escape(TEXTS["discussion_why"])}</p><div class="discussed">'
            f"<div>{_pictures(task_id, content)}</div><div>"
            f"{options_html(question_in_words(content), content)}"
            f"{_decisions(decisions)}{_link_to_item(asked.account, item_id)}{_posts(posts)}"
            f"{_form(campaign.name, item_id, asked)}</div></div>"
        )
        return own_page(
            TEXTS["discussion"], body, here=DISCUSSION, campaign=campaign.name, worker=asked.account, **more
        )

    def post(self, asked: AccountRequest) -> Response:
        """Add a post; if it is refused, show the form again with the input."""
        item_id, campaign = _item_of(asked), own_campaigns(self._state, asked).campaign
        if campaign is None or task_to_discuss(self._state, asked.account, campaign, item_id) is None:
            return self.show(asked)
        name = asked.account.name
        try:
            with self._state.store.writing() as connection:
                add_post(connection, campaign, item_id, asked.fields.get("words", ""), author=name, now=clock())
        except BenchwrightError as error:
            return self.show(asked, problem=message_of(error), status=422)
        self._reports.put(name, campaign.name, ChangeReport(TEXTS["posted"]), now=clock())
        return RedirectResponse(discussion_address(campaign.name, item_id), 303)

    def _refuse(self, asked: AccountRequest, campaign: Campaign) -> Response:
        """Return the page that states why there is no discussion; it shows any submitted text for copying."""
        sent = asked.fields.get("words", "")
        body = f"<p>{escape(TEXTS['no_discussion'])}</p>"
        if sent:
            body += area_field("words", sent, FieldWords(TEXTS["not_posted"]), more='readonly dir="auto"')
        return own_page(
            TEXTS["discussion"], body, here=DISCUSSION, campaign=campaign.name, status=404, worker=asked.account
        )

    def _note_seen(self, task_id: int, name: str) -> None:
        """Record, once only, that the account sees the key and every decision."""
        with self._state.store.reading() as connection:
            is_noted = has_opened(connection, task_id, name)
        if not is_noted:
            with self._state.store.writing() as connection:
                note_seen(connection, task_id, name, now=clock())


def _item_of(asked: AccountRequest) -> str:
    return asked.query.get(ITEM, "")[:_LONGEST_ID]


def _pictures(task_id: int, content: TaskContent) -> str:
    return linked_pictures_html(
        [
            (picture_url(task_id, place), picture_url(task_id, place, marks=True) if image.prompts else None, name)
            for place, (image, name) in enumerate(zip(content.images, captions(content), strict=False))
        ]
    )


def _decisions(decisions: Mapping[str, int]) -> str:
    counted = (
        TEXTS["decided_n"].format(decision=escaped(APP_TEXTS.get(code, code)), count=count)
        for code, count in decisions.items()
    )
    return f"<p>{' · '.join(f'<bdi>{escape(words)}</bdi>' for words in counted)}</p>"


def _link_to_item(account: Account, item_id: str) -> str:
    """Return a link to the page of the item, which only curators may open."""
    if account.role != "curator":
        return ""
    address = escape(item_address(item_id), quote=True)
    words = escape(CURATOR_TEXTS["see_item"])
    return f'<div class="buttons"><a class="button quiet" href="{address}">{words}</a></div>'


def _posts(posts: Sequence[Post]) -> str:
    if not posts:
        return f'<p class="hint">{escape(TEXTS["no_posts"])}</p>'
    rows = "".join(
        f'<li id="post-{post.id}"><small><bdi>{escape(escaped(post.author))}</bdi> · '
        f"{escape(chosen_language().date_and_time(post.posted_at))}</small>{text_html(post.words)}</li>"
        for post in posts
    )
    return f'<h2>{escape(TEXTS["posts"])}</h2><ol class="rows">{rows}</ol>'


def _form(campaign: str, item_id: str, asked: AccountRequest) -> str:
    sent: Mapping[str, str] = asked.fields
    words = area_field(
        "words", sent.get("words", ""), FieldWords(TEXTS["post_words"]), more=f'maxlength="{LONGEST}" dir="auto"'
    )
    # The address names the item, so that the browser keeps the input of each discussion by itself.
    action = escape(discussion_address(campaign, item_id, below="/post"), quote=True)
    return (
        f'<form method="post" action="{action}" class="card">{hidden(TOKEN, asked.token)}{words}'
        f'<div class="buttons"><button type="submit" id="post">{escape(TEXTS["post"])}</button></div></form>'
    )
