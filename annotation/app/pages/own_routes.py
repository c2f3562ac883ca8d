"""Entries of Streamlit's menu that lead to pages that the app serves without Streamlit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ..base.components import component

_SCRIPT = Path(__file__).parent / "own_routes.js"


def leads_to(path: str, *kept: str) -> Callable[[], None]:
    """Return the content of an entry in Streamlit's menu that loads its address, which another route serves.

    Streamlit changes the address without a request to the server, so the browser must make the request.

    Args:
        path: Address of the page.
        kept: Names of parameters to add, with the values that the session stores under these names.
    """

    def show() -> None:
        query = {name: st.session_state[name] for name in kept if name in st.session_state}
        component("benchwright_own_routes", [_SCRIPT], [])(key=f"own-route{path}", data={"path": path, "query": query})

    return show
