"""Tables on curators' pages: Streamlit's own, or HTML that runs from right to left if the page does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

import streamlit as st

from benchwright.texts.hidden_characters import escaped

from ..languages.language import chosen_language

TABLE_STYLE = """
.bw-wide { overflow-x: auto; }
.bw-wide table { border-collapse: collapse; width: 100%; font-size: .875rem; }
.bw-wide th, .bw-wide td { text-align: start; vertical-align: top; padding: .35rem .7rem .35rem 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.bw-wide td { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 5rem; }
.bw-wide del { opacity: .8; }
"""


THUMBNAIL_STYLE = """
.bw-small { display: block; width: 5rem; height: 3.5rem; object-fit: contain;
  background: color-mix(in srgb, currentColor 8%, transparent); }
"""


def thumbnail_html(url: str) -> str:
    """Return a small picture for a line of a list whose text names the picture; `THUMBNAIL_STYLE` sets its style."""
    return f'<img class="bw-small" src="{escape(url)}" alt="" loading="lazy">'


def show_rows(rows: Sequence[Mapping[str, Any]], *, label: str) -> None:
    """Show rows as a table whose column heads are the keys of the first row.

    Streamlit draws its tables on a canvas, which runs from left to right in every language.

    Args:
        rows: Rows, all with the same keys.
        label: Name of the table for screen readers.
    """
    if chosen_language().direction == "ltr" or not rows:
        shown = [{head: escaped(cell) if isinstance(cell, str) else cell for head, cell in row.items()} for row in rows]
        st.dataframe(shown, hide_index=True)
        return
    cells = [[_spelled(value) for value in row.values()] for row in rows]
    st.html(f"<style>{TABLE_STYLE}</style>" + table_html(label, list(rows[0]), cells))


def _spelled(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else str(value)


def table_html(label: str, heads: Sequence[str] | None, rows: Iterable[Sequence[str]]) -> str:
    """Return a table that scrolls on narrow screens; without column heads, the first cell of each row is its head."""
    body = []
    for row in rows:
        # A number alone has no direction of its own, and stays below its column's head.
        cells = [
            f"<td>{cell}</td>" if cell.isdecimal() else f'<td dir="auto">{escape(escaped(cell))}</td>' for cell in row
        ]
        if heads is None and len(row) > 1:
            cells[0] = f'<th scope="row">{escape(escaped(row[0]))}</th>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads or ())
    head = f"<thead><tr>{top}</tr></thead>" if top else ""
    place = f'<div class="bw-wide" role="region" tabindex="0" aria-label="{escape(label)}">'
    return f"{place}<table>{head}<tbody>{''.join(body)}</tbody></table></div>"
