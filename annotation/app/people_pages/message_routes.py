"""Routes of the page on which curators write to the annotators of a campaign and see who has read each message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...store.conversations.messages import LONGEST, Message, send_message, sent_messages, withdraw_message
from ..auth.known_pages import MESSAGES
from ..base.state import AppState, clock
from ..languages.language import chosen_language
from ..own_pages.curator_requests import TOKEN, CuratorRequest, form_routes
from ..own_pages.html_fields import FieldWords, area_field, choice_field, hidden, whole_number
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_html, text_style
from ..wording.conversation_texts import TEXTS
from ..wording.texts import message_of
from .campaign_choice import campaign_menu, no_such_campaign, wanted_campaign


def message_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _MessagesPage(state)
    return [
        *form_routes(state, MESSAGES, page.show, {"send": page.send, "withdraw": page.withdraw}),
    ]


class _MessagesPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest, **more: Any) -> Response:
        """Show the form and all messages of a campaign, the latest first."""
        sent = asked.fields
        names = [each.name for each in self._state.store.campaigns() if not each.is_simulated]
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(MESSAGES, TEXTS["messages"], names, wanted)
        with self._state.store.reading() as connection:
            listed = sent_messages(connection, self._state.store.campaign(wanted))
        people = sorted(account.name for account in self._state.accounts.all())
        if "sent" in asked.query and not sent:
            more.setdefault("notice", TEXTS["message_sent"])
        rows = "".join(_row(message, wanted, asked) for message in listed)
        body = (
            f"{text_style()}<p>{escape(TEXTS['messages_why'])}</p>{campaign_menu(MESSAGES, names, wanted)}"
            f'{_form(wanted, people, sent, asked)}<ul class="rows">{rows}</ul>'
        )
        return own_page(TEXTS["messages"], body, here=MESSAGES, campaign=wanted, **more)

    def send(self, asked: CuratorRequest) -> Response:
        """Send a message; if it is refused, show the form again with the input."""
        campaign, sent = asked.fields.get("campaign", ""), asked.fields
        try:
            with self._state.store.writing() as connection:
                send_message(
                    connection, campaign, sent.get("words", ""), recipient=sent.get("to") or None,
                    by=asked.account.name, now=clock(),
                )  # fmt: skip
        except BenchwrightError as error:
            return self.show(asked, problem=message_of(error), status=422)
        return RedirectResponse(f"{MESSAGES}?{urlencode({'campaign': campaign, 'sent': 1})}", 303)

    def withdraw(self, asked: CuratorRequest) -> Response:
        """Withdraw a message, so that annotators no longer see it."""
        campaign, number = asked.fields.get("campaign", ""), asked.fields.get("message", "")
        try:
            with self._state.store.writing() as connection:
                withdraw_message(connection, campaign, whole_number(number), by=asked.account.name, now=clock())
        except BenchwrightError as error:  # another curator withdrew it meanwhile
            return self.show(asked, problem=message_of(error), status=409)
        return RedirectResponse(f"{MESSAGES}?{urlencode({'campaign': campaign})}", 303)


def _form(campaign: str, people: Sequence[str], sent: Mapping[str, str], asked: CuratorRequest) -> str:
    to = {"": TEXTS["message_to_all"], **{name: escaped(name) for name in people}}
    words = area_field(
        "words", sent.get("words", ""), FieldWords(TEXTS["message_words"]), more=f'maxlength="{LONGEST}" dir="auto"'
    )
    return (
        f'<section class="card"><form method="post" action="{MESSAGES}/send">{hidden(TOKEN, asked.token)}'
        f"{hidden('campaign', campaign)}{choice_field('to', sent.get('to', ''), FieldWords(TEXTS['message_to']), to)}"
        f'{words}<div class="buttons"><button type="submit" id="send">{escape(TEXTS["send_message"])}</button></div>'
        "</form></section>"
    )


def _row(message: Message, campaign: str, asked: CuratorRequest) -> str:
    when, to = chosen_language().date_and_time(message.sent_at), message.recipient or TEXTS["message_to_all"]
    line = TEXTS["message_line"].format(when=when, by=escaped(message.sent_by), to=escaped(to))
    act = ""
    if message.withdrawn_by is not None:
        state = TEXTS["message_withdrawn"].format(name=escaped(message.withdrawn_by))
    else:
        names = escaped(", ".join(message.readers))
        state = TEXTS["message_read_by"].format(names=names) if names else TEXTS["message_unread"]
        act = (
            f'<form method="post" action="{MESSAGES}/withdraw" data-row>{hidden(TOKEN, asked.token)}'
            f"{hidden('campaign', campaign)}{hidden('message', str(message.id))}"
            f'<button class="quiet" type="submit" id="withdraw-{message.id}">{escape(TEXTS["withdraw_message"])}'
            "</button></form>"
        )
    text = text_html(message.words)
    return f"<li><small><bdi>{escape(line)}</bdi></small>{text}<small><bdi>{escape(state)}</bdi></small>{act}</li>"
