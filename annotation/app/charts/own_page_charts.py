"""Charts on the app's own pages, as HTML."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.pages import Chart, chart_style, figure_html

from ..wording.curator_texts import TEXTS
from .showing import DRAWING_STYLE


def figures_html(charts: Iterable[Chart]) -> str:
    """Return charts with their numbers and links to save them; names must be unique on the page."""
    words = {"numbers": TEXTS["chart_numbers"], "save": TEXTS["chart_save"]}
    figures = "".join(figure_html(chart, **words) for chart in charts)
    # Pages of our own have colors of the same names for their fields.
    style = chart_style().replace(":root, :host", ".figures")
    return f'<style>{style}{DRAWING_STYLE}</style><div class="figures">{figures}</div>'
