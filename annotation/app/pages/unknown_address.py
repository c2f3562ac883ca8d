"""What an address shows that names no page, campaign or task of the account: words, and the way to its work."""

from __future__ import annotations

from html import escape

import streamlit as st

from ..wording.texts import TEXTS


def show_unknown_address(words: str) -> None:
    """Say why an address shows nothing, with a link to the account's first page; nothing is claimed meanwhile.

    Args:
        words: What is not there, in the session's language.
    """
    with st.container(key="unknown-address"):
        st.warning(words)
        st.html(f'<a href="/" target="_self">{escape(TEXTS["onward"])}</a>')
