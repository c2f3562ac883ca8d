"""The page components of this package, each registered with Streamlit once per process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

_SHARED = tuple(Path(__file__).parent / "scripts" / name for name in ("keys.js", "words.js"))


def component(name: str, scripts: Sequence[Path], styles: Sequence[Path]) -> ComponentRenderer:
    """Return the renderer of a component, which is registered by the first call.

    Args:
        name: Name of the component, unique in the app.
        scripts: Files that make up one ES module, in this order, after the scripts that all components share
            (`scripts/`). Streamlit takes a component's script as one text.
        styles: Files with its CSS, in this order.
    """
    return _registered(name, (*_SHARED, *scripts), tuple(styles))


@cache
def _registered(name: str, scripts: tuple[Path, ...], styles: tuple[Path, ...]) -> ComponentRenderer:
    import streamlit as st

    js, css = ("\n".join(path.read_text(encoding="utf-8") for path in paths) for paths in (scripts, styles))
    return st.components.v2.component(name, css=css, js=js)
