"""Periods that decisions are counted over: days, weeks or months, so that a table stays short."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

MOST_DAYS = 14
MOST_WEEKS = 26


def periods_of(days: Sequence[str]) -> list[str]:
    """Return the period of each day, in the order given: the day itself, the Monday of its week, or its month.

    Example:
        >>> periods_of(["2026-03-03", "2026-03-05"])
        ['2026-03-03', '2026-03-05']
    """
    found = [date.fromisoformat(day) for day in days]
    if len(set(found)) <= MOST_DAYS:
        return list(days)
    weeks = [one - timedelta(days=one.weekday()) for one in found]
    if len(set(weeks)) <= MOST_WEEKS:
        return [f"week of {week.isoformat()}" for week in weeks]
    return [f"{one:%Y-%m}" for one in found]
