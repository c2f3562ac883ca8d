"""Display of a chart on a Streamlit page: drawing, caption, numbers, and a link that saves it as SVG.

`st.html` removes SVG, so charts are a component. They follow Streamlit's theme through its `color-scheme`. The content
policy allows them, because they have inline styles and no scripts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.pages import Chart, chart_style, figure_html

from ..wording.curator_texts import TEXTS

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


DRAWING_STYLE = """
/* A drawing runs from left to right, as its scale does, in a page of any direction. */
svg, .chart-scroll:has(> svg) { direction: ltr; }
svg text { unicode-bidi: plaintext; }
"""
"""Style of drawings on pages of any direction."""


def show_chart(chart: Chart) -> None:
    """Show a chart; its name must be unique on the page."""
    words = {"numbers": TEXTS["chart_numbers"], "save": TEXTS["chart_save"]}
    _renderer()(key=f"chart-{chart.name}", data=figure_html(chart, **words))


@cache
def _renderer() -> ComponentRenderer:
    import streamlit as st

    script = (Path(__file__).parent / "chart.js").read_text(encoding="utf-8")
    return st.components.v2.component(
        "benchwright_chart", html='<div class="chart-place"></div>', css=chart_style() + DRAWING_STYLE, js=script
    )
