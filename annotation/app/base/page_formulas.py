"""User-written texts on Streamlit's pages, in the direction of their script, with their formulas drawn.

Streamlit's filter removes MathML from the HTML of `st.html`, so a script draws formulas next to their source. The
workbench draws its formulas itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from benchwright.pages.drawing import ASSETS
from benchwright.texts.formulas import text_parts
from benchwright.texts.hidden_characters import escaped

from .components import component

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

FORMULA_SCRIPT, FORMULA_STYLE = ASSETS / "formulas.js", ASSETS / "formulas.css"
_SCRIPT = Path(__file__).parent / "scripts" / "page_formulas.js"


def html_with_formulas(text: str) -> str:
    """Return a text as escaped HTML in which `show_page_formulas` can find the formulas."""
    return "".join(
        escape(part)
        if isinstance(part, str)
        else f'<span class="formula" data-math="{escape(json.dumps(part._asdict()))}">{escape(part.source)}</span>'
        for part in text_parts(text)
    )


def show_page_formulas() -> None:
    """Draw the formulas of the page, including those added later."""
    st.html(f"<style>{FORMULA_STYLE.read_text(encoding='utf-8')}</style>")
    component("benchwright_page_formulas", [FORMULA_SCRIPT, _SCRIPT], [])(key="page-formulas")


def show_text(place: DeltaGenerator, *parts: str, between: str = " · ") -> None:
    """Show texts on one line, each in its own direction."""
    place.html(_html_of(parts, between=between))


def _html_of(parts: Iterable[str], *, between: str = " · ") -> str:
    """Return texts as escaped HTML, each in its own direction; several texts run from left to right."""
    texts = [html_with_formulas(escaped(part)) for part in parts]
    line = texts[0] if len(texts) == 1 else escape(between).join(f"<bdi>{text}</bdi>" for text in texts)
    return f'<div class="benchwright-text" dir="auto">{line}</div>'
