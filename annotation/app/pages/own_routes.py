"""Entries of Streamlit's menu that lead to pages which are routes of our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ..base.components import component

_SCRIPT = Path(__file__).parent / "own_routes.js"


def leads_to(path: str, *kept: str) -> Callable[[], None]:
    """Return what a page of Streamlit's menu shows whose address a route of our own serves: it loads that.

    Streamlit changes the address without asking the server, so the browser has to.

    Args:
        path: Address of the page.
        kept: Names of parameters that go along with what the session remembers under them.
    """

    def show() -> None:
        query = {name: st.session_state[name] for name in kept if name in st.session_state}
        component("benchwright_own_routes", [_SCRIPT], [])(key=f"own-route{path}", data={"path": path, "query": query})

    return show
