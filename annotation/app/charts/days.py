"""Decisions by day, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from html import escape

MOST_DAYS = 120
"""Most columns of the plot; of a longer campaign the last days are shown."""


def days_plot(caption: str, counts: Mapping[str, int]) -> str:
    """Return a plot with one column for each day from the first decision to the last; empty without decisions."""
    if not counts:
        return ""
    first, last = date.fromisoformat(min(counts)), date.fromisoformat(max(counts))
    first = max(first, last - timedelta(days=MOST_DAYS - 1))
    days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    most = max(counts.values())
    columns = "".join(
        f'<span style="height:{counts.get(day, 0) / most:.2%}" title="{day}: {counts.get(day, 0)}"></span>'
        for day in days
    )
    busiest = max(days, key=lambda day: counts.get(day, 0))
    summary = f"{caption}: {sum(counts.values())}; {busiest}: {counts.get(busiest, 0)}"
    return (
        f'<div>{escape(summary)}</div><div class="bw-days" role="img" aria-label="{escape(summary)}">{columns}</div>'
        f'<div class="bw-ends"><span>{days[0]}</span><span>{days[-1]}</span></div>'
    )
