"""The distribution of ratios as SVG: a histogram, and the share of pictures that each threshold would drop.

The SVG is written directly, in the page's own colors and from numbers only, so that it needs no plotting library and
no escaping.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

_LEFT, _WIDE, _HIGH, _GAP, _TOP = 64.0, 880.0, 190.0, 46.0, 22.0
_BINS_A_TENTH = 5


def distribution_svg(ratios: Sequence[float], thresholds: Sequence[float]) -> str:
    """Return an `<svg>`: a histogram of the ratios above 0, and below it the share dropped by threshold.

    Args:
        ratios: Ratio of each file, 0-1; at least one.
        thresholds: Thresholds, drawn as lines; a label that would cover another is left out.
    """
    ends = min(1.0, np.ceil(max([*ratios, *thresholds, 0.1]) * 10 - 1e-9) / 10)
    lower = _TOP + _HIGH + _GAP
    parts = [
        *_histogram(ratios, ends),
        *_curve(ratios, ends, top=lower),
        *_lines(thresholds, ends, bottom=lower + _HIGH),
    ]
    parts += _ticks(ends, y=lower + _HIGH)
    parts.append(_text(_LEFT + _WIDE / 2, lower + _HIGH + 40, "text-area ratio", "middle"))
    height = lower + _HIGH + 50
    return (
        f'<svg viewBox="0 0 {_LEFT + _WIDE + 24:g} {height:g}" role="img" aria-labelledby="plot-title plot-told">'
        f"{''.join(parts)}</svg>"
    )


def _histogram(ratios: Sequence[float], ends: float) -> list[str]:
    above = [ratio for ratio in ratios if ratio > 0]
    counts, edges = np.histogram(above, bins=round(ends * 10 * _BINS_A_TENTH), range=(0, ends))
    most = max(1, int(counts.max()))
    parts = _scale(most, top=_TOP, words="files with text")
    for count, start, end in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if count:
            high = _HIGH * count / most
            x, wide = _x(start, ends) + 0.75, _x(end, ends) - _x(start, ends) - 1.5
            title = f"{count} with a ratio from {start:.2f} to {end:.2f}"
            parts.append(
                f'<rect class="bar" x="{x:.2f}" y="{_TOP + _HIGH - high:.2f}" width="{wide:.2f}" height="{high:.2f}">'
                f"<title>{title}</title></rect>"
            )
    return parts


def _curve(ratios: Sequence[float], ends: float, *, top: float) -> list[str]:
    """Return the share of all files that lies above each threshold, as steps."""
    ordered = sorted(ratios)
    places = sorted({0.0, ends, *(ratio for ratio in ordered if ratio <= ends)})
    steps: list[tuple[float, float]] = []
    height = 1.0
    for place in places:
        share = 1 - bisect_right(ordered, place) / len(ordered)
        steps += [(place, height), (place, share)] if steps else [(place, share)]
        height = share
    most = max(0.05, np.ceil(steps[0][1] * 20 - 1e-9) / 20)
    points = " ".join(f"{_x(place, ends):.2f},{top + _HIGH * (1 - share / most):.2f}" for place, share in steps)
    return [
        *_scale(round(most * 100), top=top, words="% of all files dropped"),
        f'<polyline class="curve" points="{points}"/>',
    ]


def _scale(most: int, *, top: float, words: str) -> list[str]:
    """Return lines at round numbers from 0 to `most` with their labels, and the title of the axis."""
    step = next(step for step in (10**power * lead for power in range(12) for lead in (1, 2, 5)) if most / step <= 5)
    parts = [_text(_LEFT, top - 8, words, "start")]
    for number in range(0, most + 1, step):
        y = top + _HIGH * (1 - number / most)
        parts.append(f'<line class="grid" x1="{_LEFT:g}" x2="{_LEFT + _WIDE:g}" y1="{y:.2f}" y2="{y:.2f}"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{number:,}", "end"))
    return parts


def _lines(thresholds: Sequence[float], ends: float, *, bottom: float) -> list[str]:
    parts, last = [], -1.0
    for threshold in thresholds:
        x = _x(threshold, ends)
        parts.append(f'<line class="threshold" x1="{x:.2f}" x2="{x:.2f}" y1="{_TOP:g}" y2="{bottom:g}"/>')
        if x - last > 34:
            parts.append(_text(x, bottom - _HIGH - _GAP / 2 + 4, f"{threshold:g}", "middle", "label"))
            last = x
    return parts


def _ticks(ends: float, *, y: float) -> list[str]:
    return [_text(_x(tenth / 10, ends), y + 18, f"{tenth / 10:g}", "middle") for tenth in range(round(ends * 10) + 1)]


def _text(x: float, y: float, words: str, anchor: str, kind: str = "tick") -> str:
    return f'<text class="{kind}" x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}">{words}</text>'


def _x(ratio: float, ends: float) -> float:
    return _LEFT + _WIDE * ratio / ends
