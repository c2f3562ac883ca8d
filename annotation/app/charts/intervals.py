"""Dots with intervals on one scale, one a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..base.curator_texts import TEXTS
from .chart_style import plot, row


class Dot(NamedTuple):
    """A value, None where undefined, with its interval, and a text beside it."""

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    beside: str = ""


def intervals_plot(
    caption: str, dots: Sequence[Dot], *, scale: tuple[float, float] | None = None, mark: float = 0.0
) -> str:
    """Return a plot of dots on one scale, which the caption states.

    Args:
        caption: Caption of the plot, without the scale.
        dots: Dots, one a row.
        scale: Ends of the scale; default from 0, or from the lowest value where that is negative, to 1.
        mark: Value at which a dashed line stands, if it lies within the scale; default 0.
    """
    ends = [end for dot in dots for end in (dot.value, *(dot.interval or ())) if end is not None]
    low, high = scale or (min([0.0, *ends]), 1.0)
    lines = [row(dot.name, _range(dot, low, max(high, low + 1e-9), mark), _number(dot)) for dot in dots]
    return plot(f"{caption} ({low:.2g} – {high:.2g})", lines)


def narrow_scale(values: Sequence[float | None], middle: float | None) -> tuple[float, float] | None:
    """Return a scale on which values that hardly differ can be told apart; None where there are no values."""
    known = [value for value in (*values, middle) if value is not None]
    if not known:
        return None
    room = max(0.005, (max(known) - min(known)) / 10)
    return min(known) - room, max(known) + room


def _range(dot: Dot, low: float, high: float, mark: float) -> str:
    def place(value: float) -> str:
        return f"{(value - low) / (high - low):.3%}"

    line = f'<u style="left:{place(mark)}"></u>' if low < mark < high else ""
    if dot.interval is not None:
        start, end = dot.interval
        line += f'<i style="left:{place(start)};width:{(end - start) / (high - low):.3%}"></i>'
    point = "" if dot.value is None else f'<b style="left:{place(dot.value)}"></b>'
    return f'<div class="bw-range">{line}{point}</div>'


def _number(dot: Dot) -> str:
    if dot.value is None:
        text = TEXTS["undefined"]
    else:
        text = f"{dot.value:.2f}" + ("" if dot.interval is None else f" [{dot.interval[0]:.2f}, {dot.interval[1]:.2f}]")
    return f"{text} · {dot.beside}" if dot.beside else text
