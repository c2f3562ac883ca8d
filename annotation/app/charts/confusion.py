"""A confusion table: which labels an annotator gives for each truth, with darker cells for higher shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ..base.curator_texts import TEXTS, words_for
from .chart_style import plot


def confusion_table(caption: str, confusion: Mapping[str, Mapping[str, float]]) -> str:
    """Return a table with a row for each truth and a column for each label.

    Args:
        caption: Caption of the table.
        confusion: Shares from 0 to 1 by truth and label; shown in percent.
    """
    labels = list(dict.fromkeys(label for row in confusion.values() for label in row))
    head = "".join(f'<th scope="col">{escape(words_for(label))}</th>' for label in labels)
    rows = [
        f'<tr><th scope="row">{escape(words_for(truth))}</th>{_cells(row, labels)}</tr>'
        for truth, row in confusion.items()
    ]
    head_row = f'<thead><tr><th scope="col">{escape(TEXTS["truth"])}</th>{head}</tr></thead>'
    return plot(caption, rows, head=head_row, css_class="bw-plot bw-heat")


def _cells(row: Mapping[str, float], labels: Sequence[str]) -> str:
    return "".join(_cell(row.get(label, 0.0)) for label in labels)


def _cell(share: float) -> str:
    # At most 45 % of the text's own color, so that the number stays readable on it.
    return f'<td style="background:color-mix(in srgb, #3b82c4 {45 * share:.0f}%, transparent)">{share:.0%}</td>'
