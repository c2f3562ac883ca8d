"""On the page of people: many invited at once by a CSV file, and the file with their links."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from benchwright.errors import BenchwrightError

from ...exchange.invitations import invite_people, links_table, read_invitees
from ...store.accounts.accounts import Account
from ..base.state import AppState, clock
from ..wording.account_words import invitation_path
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert

_LINKS = "invitation-links"
_LINKS_FILE = "invitations.csv"


def app_url() -> str:
    """Return the address of the app as the browser knows it."""
    return (st.context.url or "").rstrip("/").rpartition("/")[0]


def show_invitations(state: AppState, account: Account) -> None:
    """Take a CSV file of people, invite them, and offer the file with their links for as long as the page is open.

    Args:
        state: State of the app.
        account: Account of the curator.
    """
    with st.expander(TEXTS["invite_many"], expanded=_LINKS in st.session_state):
        st.caption(TEXTS["invite_many_why"])
        file = st.file_uploader(TEXTS["invite_file"], type="csv", key="invitation-file")
        if file is not None and st.button(TEXTS["invite_all"], type="primary"):
            _invite(state, account, file.name, file.getvalue())
        if (made := st.session_state.get(_LINKS)) is not None:
            table, new, known = made
            st.success(TEXTS["invited_many"].format(new=new, known=known))
            st.download_button(
                TEXTS["invitation_links"], table, file_name=_LINKS_FILE, mime="text/csv", on_click="ignore"
            )


def _invite(state: AppState, account: Account, name: str, data: bytes) -> None:
    """Invite the people of a file, or say all that is wrong with it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        path.write_bytes(data)
        try:
            invited = invite_people(state.store, read_invitees(path, state.store), by=account.name, now=clock())
        except BenchwrightError as error:
            words = str(error).replace(str(path), name)
            st.error("  \n".join(inert(line) for line in words.splitlines()))
            return
    address = app_url()
    table = links_table(invited, lambda token: address + invitation_path(token))
    new = sum(person.state == "invited" for person in invited)
    st.session_state[_LINKS] = (table, new, len(invited) - new)
