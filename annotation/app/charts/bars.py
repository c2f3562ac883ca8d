"""Bars: parts of a whole, one bar a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..base.curator_texts import TEXTS, told
from .chart_style import PATTERNS, key, plot, row

_OPEN = {"begun": 4, "untouched": 5, "open": 5}
_CLOSED = (0, 1, 2, 3, 6, 7)
"""Patterns for what is decided; the others are for what is open."""


def parts_plot(caption: str, rows: Sequence[tuple[str, Mapping[str, int]]]) -> str:
    """Return a plot of what each whole is made of: bars as long as the wholes, patterns for the parts.

    Args:
        caption: What it shows.
        rows: Names, and counts by part; the same parts in the same order in each.
    """
    most = max((sum(parts.values()) for _, parts in rows), default=0)
    patterns = _patterns(rows)
    lines = [row(name, _bar(parts, patterns, most), _numbers(parts)) for name, parts in rows]
    return key((patterns[part], told(part)) for part in patterns) + plot(caption, lines)


def counts_plot(caption: str, counts: Sequence[tuple[str, int]], *, words: Sequence[str] | None = None) -> str:
    """Return a plot of counts, one bar each; beside it the count, or the words for it."""
    most = max((count for _, count in counts), default=0)
    told_beside = words or [str(count) for _, count in counts]
    lines = [
        row(name, f'<div class="bw-bar">{_part(0, count, most)}</div>', beside)
        for (name, count), beside in zip(counts, told_beside, strict=True)
    ]
    return plot(caption, lines)


def _patterns(rows: Sequence[tuple[str, Mapping[str, int]]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in dict.fromkeys(part for _, parts in rows for part in parts):
        found[part] = _OPEN.get(part, _CLOSED[len(found) % len(_CLOSED)])
    assert all(pattern < PATTERNS for pattern in found.values())
    return found


def _bar(parts: Mapping[str, int], patterns: Mapping[str, int], most: int) -> str:
    pieces = "".join(_part(patterns[part], count, most) for part, count in parts.items())
    return f'<div class="bw-bar">{pieces}</div>'


def _part(pattern: int, count: int, most: int) -> str:
    return f'<span class="bw-{pattern}" style="width:{count / most:.4%}"></span>' if count else ""


def _numbers(parts: Mapping[str, int]) -> str:
    total = sum(parts.values())
    told_parts = [f"{count} {told(part)}" for part, count in parts.items() if count]
    return f"{total}: {', '.join(told_parts)}" if len(told_parts) > 1 else "".join(told_parts) or TEXTS["none"]
