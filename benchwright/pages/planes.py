"""Charts in two dimensions: points on a plane, and a grid of shaded cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchwright.pages.charts import WIDTH, Chart, LegendEntry, NumberTable, Scale, draw_legend, labels_width, spelled
from benchwright.pages.drawing import Canvas, Look, series_color, shortened, text_width

_HIGH, _LEFT = 420.0, 70.0
_CELL_H, _LEAST_CELL, _MOST_CELL = 26.0, 54.0, 130.0
_STRONGEST = 0.45
"""Opacity of the shade for a proportion of 1, on which the number is still readable."""


class PlanePoint(NamedTuple):
    """A point on a plane, with the intervals of both of its values."""

    name: str
    x: float
    y: float
    x_interval: tuple[float, float] | None = None
    y_interval: tuple[float, float] | None = None
    series: int = 0


def plane_chart(
    name: str,
    title: str,
    points: Sequence[PlanePoint],
    across: Scale,
    upward: Scale,
    *,
    caption: str = "",
    sums: Sequence[tuple[float, str]] = (),
) -> Chart:
    """Return points on a plane.

    Args:
        name: Name of the chart, unique on its page.
        title: Title of the chart.
        points: The points.
        across: Horizontal scale, from 0.
        upward: Vertical scale, from 0.
        caption: Description of the drawing.
        sums: Sums of both values, with their labels: a dashed line joins the points of each sum.
    """
    canvas = Canvas(name, WIDTH)
    names = shortened([point.name for point in points], at_most=34)
    entries = [LegendEntry(words, point.series) for words, point in zip(names, points, strict=True)]
    top = draw_legend(canvas, entries) + 16
    width, bottom = WIDTH - _LEFT - 24, top + _HIGH

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + across.share(x) * width, bottom - upward.share(y) * _HIGH

    for value, words in across.ticks:
        canvas.line(place(value, 0), place(value, upward.high), "grid")
        canvas.text((place(value, 0)[0], bottom + 12), words, anchor="middle", color="muted", size=12)
    for value, words in upward.ticks:
        canvas.line(place(0, value), place(across.high, value), "grid")
        canvas.text((_LEFT - 8, place(0, value)[1]), words, anchor="end", color="muted", size=12)
    for total, words in sums:
        start = (0.0, total) if total <= upward.high else (total - upward.high, upward.high)
        end = (total, 0.0) if total <= across.high else (across.high, total - across.high)
        if start[0] <= across.high and end[1] <= upward.high:
            canvas.line(place(*start), place(*end), "muted", dash="4 3")
            middle = place((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            canvas.text(middle, words, anchor="middle", color="muted", size=12, has_plate=True)
    for words, point in zip(names, points, strict=True):
        color = series_color(point.series)
        if point.x_interval is not None:
            canvas.line(place(point.x_interval[0], point.y), place(point.x_interval[1], point.y), color, width=1.5)
        if point.y_interval is not None:
            canvas.line(place(point.x, point.y_interval[0]), place(point.x, point.y_interval[1]), color, width=1.5)
        canvas.marker(place(point.x, point.y), point.series, size=5.5)
        x, y = place(point.x, point.y)
        ends_beyond = x + 10 + text_width(words, 12) > WIDTH
        canvas.text(
            (x - 10 if ends_beyond else x + 10, y - 11), words, anchor="end" if ends_beyond else "start", size=12
        )
    canvas.text((_LEFT, top - 16), upward.words, color="muted", size=12)
    canvas.text((_LEFT + width / 2, bottom + 32), across.words, anchor="middle", color="muted", size=12)
    rows = [(point.name, spelled(point.x, point.x_interval), spelled(point.y, point.y_interval)) for point in points]
    numbers = NumberTable(("", across.words, upward.words), rows)
    return Chart(name, title, caption, canvas.drawn(bottom + 44, title), numbers)


def grid_chart(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[float | None]]],
    *,
    caption: str = "",
    corner: str = "",
    places: int = 0,
) -> Chart:
    """Return a grid whose cells show proportions and are shaded accordingly.

    Args:
        name: Name of the chart, unique on its page.
        title: Title of the chart.
        columns: Names of the columns.
        rows: Name of each row, and its proportion in each column, 0-1; None if there is none.
        caption: Description of the drawing.
        corner: Name of the category to which the rows belong.
        places: Decimal places of the percentages; default 0.
    """
    label = max(labels_width([name for name, _ in rows] + [corner], at_most=250), 60.0)
    cell = min(_MOST_CELL, max(_LEAST_CELL, (WIDTH - label) / max(1, len(columns))))
    heads = shortened(columns, at_most=30)
    is_turned = any(text_width(head, 12) > cell - 8 for head in heads)
    turn_height = max((text_width(head, 12) for head in heads), default=0.0) * 0.62 + 16 if is_turned else 26.0
    overhang = max((text_width(head, 12) for head in heads), default=0.0) * 0.75 if is_turned else 0.0
    canvas = Canvas(name, max(WIDTH, label + cell * len(columns) + overhang))
    canvas.text((label - 10, turn_height - 13), corner, anchor="end", color="muted", size=12)
    for number, head in enumerate(heads):
        x = label + (number + 0.5) * cell
        if is_turned:
            canvas.text((x - 4, turn_height - 8), head, size=12, turned=-38)
        else:
            canvas.text((x, turn_height - 13), head, anchor="middle", size=12)
    names = shortened([name for name, _ in rows], at_most=max(6, int((label - 10) / text_width("x"))))
    for line, (short, (row_name, shares)) in enumerate(zip(names, rows, strict=True)):
        top = turn_height + line * _CELL_H
        canvas.text((label - 10, top + _CELL_H / 2), short, anchor="end")
        for number, share in enumerate(shares):
            x = label + number * cell
            words = "–" if share is None else f"{share:.{places}%}"
            shade, opacity = (Look("band"), 1.0) if share is None else (Look("series-0"), _STRONGEST * share)
            tooltip = f"{row_name}, {columns[number]}: {words}"
            canvas.rect(x + 1, top + 1, cell - 2, _CELL_H - 2, shade, opacity=opacity, words=tooltip)
            canvas.text((x + cell / 2, top + _CELL_H / 2), words, anchor="middle")
    table = [
        (row_name, *("–" if share is None else f"{share:.{places}%}" for share in shares)) for row_name, shares in rows
    ]
    svg = canvas.drawn(turn_height + len(rows) * _CELL_H + 6, title)
    return Chart(name, title, caption, svg, NumberTable((corner, *columns), table))
