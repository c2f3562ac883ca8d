"""Showing of a chart in a page of Streamlit: drawing, caption, numbers, and a link that saves it as SVG.

`st.html` takes SVG out of what it shows, so charts are a component. They follow Streamlit's theme by its
`color-scheme`, and the content policy allows them: styles are inline, and no script is in them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.pages import Chart, chart_style, figure_html

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def show_chart(chart: Chart) -> None:
    """Show a chart; its name must be the only one of its kind on the page."""
    _renderer()(key=f"chart-{chart.name}", data=figure_html(chart))


@cache
def _renderer() -> ComponentRenderer:
    import streamlit as st

    script = (Path(__file__).parent / "chart.js").read_text(encoding="utf-8")
    return st.components.v2.component(
        "benchwright_chart", html='<div class="chart-place"></div>', css=chart_style(), js=script
    )
