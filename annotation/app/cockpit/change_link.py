"""A link from what a curator tries to the form of the step in the recipe, filled in with it."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

import streamlit as st

from ..auth.known_pages import RECIPE
from ..wording.own_page_texts import TEXTS


def show_change_link(entry: str, **values: object) -> None:
    """Show a link to the form of a step, in which some fields hold what was tried.

    Args:
        entry: Entry of the step in the recipe.
        **values: What the fields hold, by name; what is on or off as True or False.
    """
    spelled = {name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in values.items()}
    address = f"{RECIPE}/step?{urlencode({'entry': entry, **spelled})}"
    st.html(f'<a href="{escape(address, quote=True)}" target="_self">{escape(TEXTS["change_there"])}</a>')
