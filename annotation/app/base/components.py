"""The page components of this package, registered with Streamlit once per process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

_SHARED = ("keys.js", "words.js", "chosen.js")


@cache
def component(name: str, folder: Path, scripts: tuple[str, ...], style: str) -> ComponentRenderer:
    """Return the renderer of a component.

    Args:
        name: Name of the component, unique in the app.
        folder: Folder with its files.
        scripts: Files that make up one ES module, in this order, after the scripts that all components share
            (`scripts/`). Streamlit takes a component's script as one text.
        style: File with its CSS.
    """
    import streamlit as st

    parts = [Path(__file__).parent / "scripts" / shared for shared in _SHARED] + [folder / script for script in scripts]
    return st.components.v2.component(
        name,
        css=(folder / style).read_text(encoding="utf-8"),
        js="\n".join(part.read_text(encoding="utf-8") for part in parts),
    )
