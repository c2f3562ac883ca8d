"""Plots of bars, one bar a row: parts of wholes, and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..base.curator_texts import TEXTS, words_for
from .chart_style import PATTERNS, key, plot, row

_OPEN = {"begun": 4, "untouched": 5, "open": 5}
_CLOSED = (0, 1, 2, 3, 6, 7)
"""Patterns of decided parts; the others are those of open parts."""


def parts_plot(caption: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Return a plot of the parts of each whole: a bar as long as the whole, with a pattern for each part.

    Args:
        caption: Caption of the plot.
        rows: Name of each whole, and its counts by part; the same parts in the same order in each row.
    """
    most = max((sum(parts.values()) for _, parts in rows), default=0)
    patterns = _patterns(rows)
    lines = [row(name, _bar(parts, patterns, most), _numbers(parts)) for name, parts in rows]
    return key((patterns[part], words_for(part)) for part in patterns) + plot(caption, lines)


def counts_plot(caption: str, counts: Sequence[tuple[str, int]], *, words: Sequence[str] | None = None) -> str:
    """Return a plot of counts, one bar each, with the count or its words beside it."""
    most = max((count for _, count in counts), default=0)
    texts = words or [str(count) for _, count in counts]
    lines = [
        row(name, f'<div class="bw-bar">{_part(0, count, most)}</div>', text)
        for (name, count), text in zip(counts, texts, strict=True)
    ]
    return plot(caption, lines)


def _patterns(rows: Sequence[tuple[str, Mapping[str, int]]]) -> dict[str, int]:
    patterns: dict[str, int] = {}
    for part in dict.fromkeys(part for _, parts in rows for part in parts):
        patterns[part] = _OPEN.get(part, _CLOSED[len(patterns) % len(_CLOSED)])
    assert all(pattern < PATTERNS for pattern in patterns.values())
    return patterns


def _bar(parts: Mapping[str, int], patterns: Mapping[str, int], most: int) -> str:
    pieces = "".join(_part(patterns[part], count, most) for part, count in parts.items())
    return f'<div class="bw-bar">{pieces}</div>'


def _part(pattern: int, count: int, most: int) -> str:
    return f'<span class="bw-{pattern}" style="width:{count / most:.4%}"></span>' if count else ""


def _numbers(parts: Mapping[str, int]) -> str:
    total = sum(parts.values())
    counts = [f"{count} {words_for(part)}" for part, count in parts.items() if count]
    return f"{total}: {', '.join(counts)}" if len(counts) > 1 else "".join(counts) or TEXTS["none"]
