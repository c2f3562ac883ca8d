"""Messages from curators: above the work of annotators until they confirm them, and as curators send them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from benchwright.errors import BenchwrightError

from ...store.accounts.accounts import Account
from ...store.conversations.messages import (
    LONGEST,
    Message,
    confirm_message,
    send_message,
    sent_messages,
    unread_messages,
    withdraw_message,
)
from ...store.database.records import Campaign
from ..base.page_formulas import show_text
from ..base.request import PageRequest
from ..base.state import AppState, clock
from ..languages.language import chosen_language
from ..wording.conversation_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_SENT = "message-sent"


def show_unread(state: AppState, account: Account, campaigns: Sequence[Campaign]) -> None:
    """Show an annotator the messages of some campaigns that they have yet to confirm.

    Args:
        state: State of the app.
        account: Account of the annotator.
        campaigns: Campaigns in which the annotator may decide.
    """
    with state.store.reading() as connection:
        unread = unread_messages(connection, campaigns, account.name)
    for message in unread:
        with st.container(border=True, key=f"message-{message.id}"):
            st.markdown(f"**{inert(TEXTS['message_from'].format(name=message.sent_by))}**")
            show_text(st.container(gap=None), message.words)
            if st.button(TEXTS["message_read"], key=f"read-{message.id}"):
                with state.store.writing() as connection:
                    confirm_message(connection, message.id, account.name, now=clock())
                st.rerun()


def show_messages(request: PageRequest, annotators: Sequence[str]) -> None:
    """Let a curator send messages to the annotators of a campaign, and show who has read which.

    Args:
        request: Request of the page.
        annotators: Names to which a message can be addressed.
    """
    with request.state.store.reading() as connection:
        sent = sent_messages(connection, request.campaign)
    st.subheader(TEXTS["messages"])
    st.caption(TEXTS["messages_why"])
    if st.session_state.pop(_SENT, False):
        st.success(TEXTS["message_sent"])
    with st.form("message", clear_on_submit=True):
        names = ["", *annotators]
        to = st.selectbox(
            TEXTS["message_to"], names, format_func=lambda name: inert(name) if name else TEXTS["message_to_all"]
        )
        words = st.text_area(TEXTS["message_words"], max_chars=LONGEST)
        if st.form_submit_button(TEXTS["send_message"], type="primary"):
            _send(request, words or "", to or None)
    for message in sent:
        _show_sent(request, message)


def _send(request: PageRequest, words: str, recipient: str | None) -> None:
    try:
        with request.state.store.writing() as connection:
            send_message(
                connection, request.campaign.name, words, recipient=recipient, by=request.account.name, now=clock()
            )
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    st.session_state[_SENT] = True
    st.rerun()


def _show_sent(request: PageRequest, message: Message) -> None:
    with st.container(border=True, key=f"sent-{message.id}"):
        when = chosen_language().date_and_time(message.sent_at)
        to = message.recipient or TEXTS["message_to_all"]
        st.caption(inert(TEXTS["message_line"].format(when=when, by=message.sent_by, to=to)))
        show_text(st.container(gap=None), message.words)
        if message.withdrawn_by is not None:
            st.caption(inert(TEXTS["message_withdrawn"].format(name=message.withdrawn_by)))
            return
        names = ", ".join(message.readers)
        st.caption(inert(TEXTS["message_read_by"].format(names=names)) if names else TEXTS["message_unread"])
        if st.button(TEXTS["withdraw_message"], key=f"withdraw-{message.id}", type="tertiary"):
            try:
                with request.state.store.writing() as connection:
                    withdraw_message(
                        connection, request.campaign.name, message.id, by=request.account.name, now=clock()
                    )
            except BenchwrightError as error:  # another curator withdrew it meanwhile
                st.error(inert(message_of(error)))
                return
            st.rerun()
