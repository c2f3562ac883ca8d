"""A link from a setting that a curator tries to the step's form in the recipe, filled in with that setting."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

import streamlit as st

from ..auth.known_pages import RECIPE
from ..wording.own_page_texts import TEXTS


def show_change_link(entry: str, **values: object) -> None:
    """Show a link to the form of a step, with the tried values filled in.

    Args:
        entry: Entry of the step in the recipe.
        **values: Values of the fields, by name; True or False for a switch.
    """
    spelled = {name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in values.items()}
    address = f"{RECIPE}/step?{urlencode({'entry': entry, **spelled})}"
    st.html(f'<a href="{escape(address, quote=True)}" target="_self">{escape(TEXTS["change_there"])}</a>')
