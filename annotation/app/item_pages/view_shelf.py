"""The saved views above the list of items: views to open or remove, and a field to name the current one."""

from __future__ import annotations

import streamlit as st

from benchwright.errors import BenchwrightError

from ...items.item_search import ItemQuery
from ...store.accounts.accounts import Account
from ...store.accounts.saved_views import LONGEST_NAME, remove_view, save_view, views_of
from ..base.state import AppState, clock
from ..wording.conversation_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_SAVED = "view-saved"


def show_views(state: AppState, account: Account, query: ItemQuery) -> ItemQuery | None:
    """Show a curator's saved views, and return the query of the view to open, or None if none is selected.

    Args:
        state: State of the app.
        account: Account of the curator.
        query: Query of the list, which a new view stores.
    """
    with state.store.reading() as connection:
        views = views_of(connection, account.name)
    opened = None
    with st.popover(TEXTS["saved_views"], icon=":material/bookmark:", width="stretch"):
        if (name := st.session_state.pop(_SAVED, None)) is not None:
            st.success(inert(TEXTS["view_saved"].format(name=name)))
        for name, parameters in views.items():
            line = st.container(horizontal=True, vertical_alignment="center", key=f"view-{name}")
            if line.button(inert(name), key=f"open-view-{name}", width="stretch"):
                opened = ItemQuery.from_params(parameters)
            remove = line.button(
                "",
                key=f"remove-view-{name}",
                icon=":material/delete:",
                help=inert(TEXTS["remove_view"].format(name=name)),
            )
            if remove:
                with state.store.writing() as connection:
                    remove_view(connection, account.name, name)
                st.rerun()
        if query.is_default:
            st.caption(TEXTS["no_views"])
        else:
            _offer_to_save(state, account, query)
    return opened


def _offer_to_save(state: AppState, account: Account, query: ItemQuery) -> None:
    with st.form("save-view", clear_on_submit=True, border=False):
        name = st.text_input(TEXTS["view_name"], max_chars=LONGEST_NAME)
        if not st.form_submit_button(TEXTS["save_view"]):
            return
    try:
        with state.store.writing() as connection:
            save_view(connection, account.name, name or "", query.to_params(), now=clock())
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    st.session_state[_SAVED] = " ".join((name or "").split())
    st.rerun()
