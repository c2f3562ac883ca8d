"""Messages from curators, shown above annotators' tasks until they confirm them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ...store.accounts.accounts import Account
from ...store.conversations.messages import confirm_message, unread_messages
from ...store.database.records import Campaign
from ..base.page_formulas import show_text
from ..base.state import AppState, clock
from ..wording.conversation_texts import TEXTS
from ..wording.directed_text import inert


def show_unread(state: AppState, account: Account, campaigns: Sequence[Campaign]) -> None:
    """Show an annotator the unconfirmed messages of certain campaigns.

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
