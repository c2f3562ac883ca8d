"""A table of what somebody says when the truth is something else, with darker cells for higher shares."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from ..base.curator_texts import TEXTS, told
from .chart_style import plot


def confusion_table(caption: str, confusion: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table with a row for each truth and a column for each label said; shares in percent."""
    labels = list(dict.fromkeys(said for row in confusion.values() for said in row))
    head = "".join(f'<th scope="col">{escape(told(label))}</th>' for label in labels)
    rows = [
        f'<tr><th scope="row">{escape(told(truth))}</th>{"".join(_cell(row.get(label, 0.0)) for label in labels)}</tr>'
        for truth, row in confusion.items()
    ]
    first = f'<thead><tr><th scope="col">{escape(TEXTS["truth"])}</th>{head}</tr></thead>'
    return plot(caption, rows, head=first, look="bw-plot bw-heat")


def _cell(share: float) -> str:
    # At most 45 % of the text's own color, so that the number stays readable on it.
    return f'<td style="background:color-mix(in srgb, #3b82c4 {45 * share:.0f}%, transparent)">{share:.0%}</td>'
