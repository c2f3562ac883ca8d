"""Decisions by day, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from html import escape

MOST = 120
"""Columns; of a longer campaign the last ones."""


def days_plot(caption: str, counts: Mapping[str, int]) -> str:
    """Return columns from the first day with a decision to the last, days without any too."""
    if not counts:
        return ""
    first, last = date.fromisoformat(min(counts)), date.fromisoformat(max(counts))
    first = max(first, last - timedelta(days=MOST - 1))
    days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    most = max(counts.values())
    columns = "".join(
        f'<span style="height:{counts.get(day, 0) / most:.2%}" title="{day}: {counts.get(day, 0)}"></span>'
        for day in days
    )
    busiest = max(days, key=lambda day: counts.get(day, 0))
    told = f"{caption}: {sum(counts.values())}; {busiest}: {counts.get(busiest, 0)}"
    return (
        f'<div>{escape(told)}</div><div class="bw-days" role="img" aria-label="{escape(told)}">{columns}</div>'
        f'<div class="bw-ends"><span>{days[0]}</span><span>{days[-1]}</span></div>'
    )
