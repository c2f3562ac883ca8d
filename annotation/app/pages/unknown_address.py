"""The page for an address that leads to no page, campaign or task of the account: a message and a link."""

from __future__ import annotations

from html import escape

import streamlit as st

from ..wording.texts import TEXTS


def show_unknown_address(words: str) -> None:
    """Show why an address has no content, with a link to the account's first page; no task is taken.

    Args:
        words: Statement of what is missing, in the session's language.
    """
    with st.container(key="unknown-address"):
        st.warning(words)
        st.html(f'<a href="/" target="_self">{escape(TEXTS["onward"])}</a>')
