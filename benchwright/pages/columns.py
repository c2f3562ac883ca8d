"""Charts over one measured value: histograms with thresholds, and step curves."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from benchwright.pages.charts import (
    WIDTH,
    Chart,
    NumberTable,
    Scale,
    count_scale,
    draw_reference,
    draw_scale,
    scale_height,
)
from benchwright.pages.drawing import Canvas, Look, text_width

_HIGH = 190.0
_LEFT = 62.0
_HEAD = 44.0
"""Height above the columns that is reserved for the names of thresholds and the label of the vertical axis."""


class Column(NamedTuple):
    """A column: its ends on the scale, its count, its appearance, and its name in the table of numbers."""

    low: float
    high: float
    n: int
    look: Look
    name: str


class MarkedValue(NamedTuple):
    """A value that a dashed line marks, and its name."""

    value: float
    name: str


def columns_chart(
    name: str,
    title: str,
    columns: Sequence[Column],
    scale: Scale,
    *,
    counted: str,
    measured: str,
    caption: str = "",
    marks: Sequence[MarkedValue] = (),
    has_roots: bool = False,
    has_counts: bool = False,
    width: float = WIDTH,
) -> Chart:
    """Return a histogram.

    Args:
        name: Name of the chart, unique on its page.
        title: Title of the chart.
        columns: The columns.
        scale: Scale of the measured value.
        counted: Name of what is counted, such as `items`.
        measured: Name of the measured value in the table of numbers.
        caption: Description of the drawing.
        marks: Values to mark with lines.
        has_roots: Whether heights are square roots of counts, so that single records are visible next to thousands.
        has_counts: Whether to write the counts on the columns.
        width: Width of the drawing in pixels.
    """
    canvas = Canvas(name, width)
    left = 8.0 if has_roots else _LEFT
    across, bottom = width - left - 24, _HEAD + _HIGH
    most = max((column.n for column in columns), default=0)
    if not has_roots:
        _draw_counts(canvas, count_scale(most, words=counted), left=left, width=across, bottom=bottom)
    draw_scale(canvas, scale, left=left, width=across, top=bottom, bottom=bottom)
    canvas.line((left, bottom), (left + across, bottom), "muted")
    for column in columns:
        start, end = (left + scale.share(edge) * across for edge in (column.low, column.high))
        share = column.n / max(1, most)
        height = max(1.5, (sqrt(share) if has_roots else share) * _HIGH) if column.n else 0.0
        gap = min(1.5, (end - start) / 4)
        words = f"{column.name}: {column.n:,}"
        if height:
            canvas.rect(start + gap / 2, bottom - height, end - start - gap, height, column.look, words=words)
        if has_counts and column.n:
            canvas.text(((start + end) / 2, bottom - height - 9), f"{column.n:,}", anchor="middle", size=12)
    _draw_marks(canvas, marks, scale, left=left, width=across, bottom=bottom)
    numbers = NumberTable((measured, counted), [(column.name, f"{column.n:,}") for column in columns if column.n])
    return Chart(name, title, caption, canvas.drawn(bottom + scale_height(scale), title), numbers)


def steps_chart(
    name: str,
    title: str,
    steps: Sequence[tuple[float, float]],
    scale: Scale,
    *,
    upward: Scale,
    caption: str = "",
    marks: Sequence[MarkedValue] = (),
    numbers: NumberTable,
) -> Chart:
    """Return a step curve.

    Args:
        name: Name of the chart, unique on its page.
        title: Title of the chart.
        steps: Corners of the curve, from the left.
        scale: Horizontal scale.
        upward: Vertical scale.
        caption: Description of the drawing.
        marks: Values to mark with lines.
        numbers: Table of the numbers.
    """
    canvas = Canvas(name, WIDTH)
    across, bottom = WIDTH - _LEFT - 24, _HEAD + _HIGH
    _draw_counts(canvas, upward, left=_LEFT, width=across, bottom=bottom)
    draw_scale(canvas, scale, left=_LEFT, width=across, top=bottom, bottom=bottom)
    places = [(_LEFT + scale.share(x) * across, bottom - upward.share(y) * _HIGH) for x, y in steps]
    canvas.path(places, "right", width=2.5)
    _draw_marks(canvas, marks, scale, left=_LEFT, width=across, bottom=bottom)
    return Chart(name, title, caption, canvas.drawn(bottom + scale_height(scale), title), numbers)


def _draw_counts(canvas: Canvas, upward: Scale, *, left: float, width: float, bottom: float) -> None:
    """Draw a vertical axis with its grid lines."""
    canvas.text((left, 9), upward.words, color="muted", size=12)
    for value, words in upward.ticks:
        y = bottom - upward.share(value) * _HIGH
        canvas.line((left, y), (left + width, y), "grid")
        canvas.text((left - 8, y), words, anchor="end", color="muted", size=12)


def _draw_marks(
    canvas: Canvas, marks: Sequence[MarkedValue], scale: Scale, *, left: float, width: float, bottom: float
) -> None:
    """Draw the lines of marked values, omitting a name that would cover the previous one."""
    free = 0.0
    for mark in marks:
        x = left + scale.share(mark.value) * width
        draw_reference(canvas, "mark", (x, _HEAD - 4), (x, bottom))
        half = text_width(mark.name, 12) * 0.6  # bold
        middle = min(max(x, half), canvas.width - half)
        if middle - half >= free:
            canvas.text((middle, _HEAD - 12), mark.name, anchor="middle", size=12, is_bold=True, has_plate=True)
            free = middle + half + 6
