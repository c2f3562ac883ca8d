"""A histogram of a filter's measurements, with the threshold."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchwright.funnel.markup import number, safe
from benchwright.funnel.thresholds import Spread

_WIDTH, _HEIGHT, _BOTTOM = 620.0, 170.0, 30.0
_TOP = 22.0


def spread_plot(spread: Spread, *, title: str) -> str:
    """Return an SVG histogram; heights are square roots of counts, to show single records beside thousands."""
    return "".join(
        [
            f'<svg class="spread" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{safe(title)}">',
            *_bars(spread),
            f'<line class="s-axis" x1="0" x2="{_WIDTH:g}" y1="{_HEIGHT - _BOTTOM:g}" y2="{_HEIGHT - _BOTTOM:g}"/>',
            _tick(spread.low, 0, "start"),
            _tick(spread.high, _WIDTH, "end"),
            *_line(spread),
            "</svg>",
        ]
    )


def _bars(spread: Spread) -> Iterator[str]:
    most = math.sqrt(max(spread.counts) or 1)
    step = _WIDTH / len(spread.counts)
    size = (spread.high - spread.low) / len(spread.counts)
    for place, n in enumerate(spread.counts):
        if not n:
            continue
        low = spread.low + place * size
        height = max(1.5, math.sqrt(n) / most * (_HEIGHT - _BOTTOM - _TOP))
        yield (
            f'<rect class="{_look(spread, low + size / 2)}" x="{place * step + 0.5:.1f}" width="{step - 1:.1f}" '
            f'y="{_HEIGHT - _BOTTOM - height:.1f}" height="{height:.1f}">'
            f"<title>{number(low)} to {number(low + size)}: {number(n)}</title></rect>"
        )


def _look(spread: Spread, middle: float) -> str:
    limit = spread.threshold
    if limit is None:
        return "f-keep"
    beyond = middle > limit.at if limit.side == "above" else middle < limit.at
    return "f-drop" if beyond else "f-keep"


def _x(spread: Spread, value: float) -> float:
    return (value - spread.low) / (spread.high - spread.low) * _WIDTH


def _tick(value: float, x: float, anchor: str) -> str:
    return f'<text class="s-tick" x="{x:g}" y="{_HEIGHT - 10:g}" text-anchor="{anchor}">{number(float(value))}</text>'


def _line(spread: Spread) -> Iterator[str]:
    limit = spread.threshold
    if limit is None:
        return
    x = _x(spread, limit.at)
    anchor = "end" if x > _WIDTH / 2 else "start"
    yield f'<line class="s-line" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{_HEIGHT - _BOTTOM:g}"/>'
    yield (
        f'<text class="s-limit" x="{x + (-6 if anchor == "end" else 6):.1f}" y="14" text-anchor="{anchor}">'
        f"{safe(limit.setting)} {number(limit.at)}</text>"
    )
