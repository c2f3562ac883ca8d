"""The charts on curators' pages: parts of wholes, counts, values with intervals, decisions by day, and confusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from benchwright.pages import (
    Chart,
    ChartRow,
    Column,
    Dot,
    LegendEntry,
    Look,
    NumberTable,
    Part,
    ReferenceLine,
    Scale,
    columns_chart,
    count_scale,
    grid_chart,
    rows_chart,
    spelled,
)

from ..languages.language import unisolated
from ..wording.curator_texts import TEXTS, words_for

_MOST_DAYS = 120
"""Maximum number of columns in the chart of days, which shows only the last days of a longer campaign."""
_MOST_COUNTED = 31
"""Maximum number of days for which each column has a count."""
_OPEN = {"begun": Look("fail", "rising"), "untouched": Look("fail", "outline"), "open": Look("fail", "outline")}
_CLOSED = (
    Look("series-0"),
    Look("series-1", "falling"),
    Look("series-3", "dots"),
    Look("series-4", "upright"),
    Look("series-2", "level"),
    Look("series-6", "checks"),
)
"""Styles of decided parts; open parts have the other styles."""


class NamedValue(NamedTuple):
    """A value, None if undefined, with its interval and a text next to it."""

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    beside: str = ""


def parts_chart(name: str, title: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> Chart:
    """Return a chart of the parts of each whole: one bar per whole, divided into parts with different styles.

    Args:
        name: Name of the chart, unique on the page.
        title: Title of the chart.
        rows: Name of each whole, and its counts by part; all rows have the same parts in the same order.
    """
    looks: dict[str, Look] = {}
    for part in dict.fromkeys(part for _, parts in rows for part in parts):
        looks[part] = _OPEN.get(part, _CLOSED[len(looks) % len(_CLOSED)])
    bars = [
        ChartRow(
            unisolated(whole), [Part(words_for(part), n, looks[part]) for part, n in parts.items()], note=_words(parts)
        )
        for whole, parts in rows
    ]
    scale = count_scale(max((sum(parts.values()) for _, parts in rows), default=0))
    legend = [LegendEntry(words_for(part), look) for part, look in looks.items()]
    return rows_chart(name, title, bars, scale, caption=title, legend=legend, numbers=_notes(bars, title))


def counts_chart(
    name: str, title: str, counts: Sequence[tuple[str, int]], *, words: Sequence[str] | None = None
) -> Chart:
    """Return a chart of counts: one bar for each, with the count or a text next to it."""
    texts = words or [str(count) for _, count in counts]
    bars = [
        ChartRow(unisolated(row_name), [Part("", count, _CLOSED[0])], note=text)
        for (row_name, count), text in zip(counts, texts, strict=True)
    ]
    scale = count_scale(max((count for _, count in counts), default=0))
    return rows_chart(name, title, bars, scale, caption=title, numbers=_notes(bars, title))


def intervals_chart(
    name: str,
    title: str,
    values: Sequence[NamedValue],
    *,
    scale: tuple[float, float] | None = None,
    mark: float | None = None,
) -> Chart:
    """Return a chart of values with intervals on one scale.

    Args:
        name: Name of the chart, unique on the page.
        title: Title of the chart.
        values: Values, one per row.
        scale: Ends of the scale; default from 0, or from the lowest value if that is negative, to 1.
        mark: Value of a dashed line; default 0 if that lies within the scale.
    """
    ends = [end for value in values for end in (value.value, *(value.interval or ())) if end is not None]
    low, high = scale or (min([0.0, *ends]), 1.0)
    high = max(high, low + 1e-9)
    at = 0.0 if mark is None else mark
    lines = [ReferenceLine("mark", at)] if low < at < high else []
    rows = [
        ChartRow(unisolated(value.name), dots=[Dot(value.value, value.interval)], lines=lines, note=_number(value))
        for value in values
    ]
    places = (-1.0, -0.5, 0.0, 0.5, 1.0) if scale is None else (low, (low + high) / 2, high)
    ticks = [(tick, f"{tick:.2g}") for tick in places if low <= tick <= high]
    return rows_chart(name, title, rows, Scale(low, high, ticks), caption=title, numbers=_notes(rows, title))


def narrow_scale(values: Sequence[float | None], middle: float | None) -> tuple[float, float] | None:
    """Return a scale on which close values can be distinguished; None if there are no values."""
    known = [value for value in (*values, middle) if value is not None]
    if not known:
        return None
    room = max(0.005, (max(known) - min(known)) / 10)
    return min(known) - room, max(known) + room


def days_chart(name: str, title: str, counts: Mapping[str, int]) -> Chart:
    """Return a chart with one column for each day from the first decision to the last; `counts` must not be empty."""
    first, last = date.fromisoformat(min(counts)), date.fromisoformat(max(counts))
    first = max(first, last - timedelta(days=_MOST_DAYS - 1))
    days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    columns = [Column(n, n + 1, counts.get(day, 0), _CLOSED[0], day) for n, day in enumerate(days)]
    busiest = max(days, key=lambda day: counts.get(day, 0))
    ticks = [(n + 0.5, days[n]) for n in sorted({0, len(days) // 2, len(days) - 1})]
    return columns_chart(
        name,
        title,
        columns,
        Scale(0, max(8, len(days)), ticks),
        counted=title,
        measured=TEXTS["day"],
        caption=f"{title}: {sum(counts.values())}; {busiest}: {counts.get(busiest, 0)}",
        has_counts=len(days) <= _MOST_COUNTED,
    )


def confusion_chart(name: str, title: str, confusion: Mapping[str, Mapping[str, float]]) -> Chart:
    """Return a grid with a row for each truth and a column for each label.

    Args:
        name: Name of the chart, unique on the page.
        title: Title of the chart.
        confusion: Proportions from 0 to 1 by truth and label, shown in percent.
    """
    labels = list(dict.fromkeys(label for shares in confusion.values() for label in shares))
    rows = [(words_for(truth), [shares.get(label, 0.0) for label in labels]) for truth, shares in confusion.items()]
    return grid_chart(name, title, [words_for(label) for label in labels], rows, caption=title, corner=TEXTS["truth"])


def _notes(rows: Sequence[ChartRow], title: str) -> NumberTable:
    return NumberTable(("", title), [(row.name, row.note) for row in rows])


def _words(parts: Mapping[str, int]) -> str:
    counts = [f"{count} {words_for(part)}" for part, count in parts.items() if count]
    return f"{sum(parts.values())}: {', '.join(counts)}" if len(counts) > 1 else "".join(counts) or TEXTS["none"]


def _number(value: NamedValue) -> str:
    text = spelled(value.value, value.interval, undefined=TEXTS["undefined"])
    return f"{text} · {value.beside}" if value.beside else text
