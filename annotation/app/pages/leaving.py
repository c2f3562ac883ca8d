"""The exit for workers from Prolific and Mechanical Turk: a link to the page with their completion code."""

from __future__ import annotations

from html import escape

import streamlit as st

from ...store.integrations.crowd import CrowdEntries
from ..base.request import PageRequest
from ..entry.entry_routes import LEAVE
from ..wording.texts import TEXTS


def offer_to_leave(request: PageRequest) -> bool:
    """Offer a crowd worker the page with the code, and return whether the account is a crowd worker's."""
    if CrowdEntries(request.state.store).latest_visit(request.account.name) is None:
        return False
    st.html(f'<a href="{LEAVE}" target="_self">{escape(TEXTS["crowd_leave"])}</a>')
    return True
