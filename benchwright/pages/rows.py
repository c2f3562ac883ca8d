"""Charts of rows on one scale: bars of parts, values with intervals, or both, in one or several panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from textwrap import wrap
from typing import NamedTuple

from benchwright.pages.charts import (
    WIDTH,
    Chart,
    LegendEntry,
    NumberTable,
    Reference,
    Scale,
    draw_legend,
    draw_reference,
    draw_scale,
    labels_width,
    scale_height,
    spelled,
)
from benchwright.pages.drawing import FONT_PX, Anchor, Canvas, Look, Point, series_color, shortened, text_width

_BAR, _GAP, _DOT = 22.0, 8.0, 15.0
_LINK = 24.0
"""Vertical distance between two linked rows, in pixels."""
_MOST_NAME, _MOST_NOTE = 250.0, 330.0
_NAME_LETTERS, _NOTE_LETTERS = (int((width - 10) / text_width("x")) for width in (_MOST_NAME, _MOST_NOTE))
"""Number of letters per line of a name and of a note, each of which has at most two lines."""
_LEAST_PART = 2.5
"""Smallest width of a part in pixels, so that one record in a million is visible."""
_LEAST_COUNT = 26.0
"""Smallest width in pixels of a part on which its count is written."""


class Part(NamedTuple):
    """Part of a bar: its label, its size on the scale, its appearance, and its value if that differs from the size."""

    words: str
    size: float
    look: Look
    number: str = ""

    @property
    def spelled(self) -> str:
        """Return the value of the part as text."""
        return self.number or f"{self.size:,.0f}"


class Dot(NamedTuple):
    """A value of a series, None if undefined, with its interval; `has_bar` also draws a bar from 0."""

    value: float | None
    interval: tuple[float, float] | None = None
    series: int = 0
    has_bar: bool = False


class ReferenceLine(NamedTuple):
    """A line across a row, with the interval of its value."""

    reference: Reference
    value: float
    interval: tuple[float, float] | None = None


class ChartRow(NamedTuple):
    """A row of a chart.

    Args:
        name: Name of the row.
        parts: Parts of its bar, from the left.
        dots: Values, drawn one below another.
        lines: Reference lines across the row.
        note: Text at the end of the row, on one or two lines; also in the table of numbers.
        goes_on: Size of the part that is linked to the start of the next row; None if there is no link.
    """

    name: str
    parts: Sequence[Part] = ()
    dots: Sequence[Dot] = ()
    lines: Sequence[ReferenceLine] = ()
    note: str = ""
    goes_on: float | None = None

    @property
    def height(self) -> float:
        """Return the height of the row."""
        return _BAR + _GAP if self.parts or not self.dots else 10 + _DOT * len(self.dots)


class Panel(NamedTuple):
    """Rows under a separate title; `scale` replaces that of the chart."""

    title: str
    rows: Sequence[ChartRow]
    scale: Scale | None = None


def rows_chart(
    name: str,
    title: str,
    rows: Sequence[ChartRow],
    scale: Scale,
    *,
    caption: str = "",
    legend: Sequence[LegendEntry] = (),
    numbers: NumberTable | None = None,
) -> Chart:
    """Return a chart of rows, one below another.

    Args:
        name: Name of the chart, unique on its page.
        title: Title of the chart.
        rows: The rows.
        scale: Scale of all rows.
        caption: Description of the drawing.
        legend: Legend above the rows.
        numbers: Table of the numbers; by default, it is made from the rows and the legend.
    """
    canvas = Canvas(name, WIDTH)
    top = draw_legend(canvas, legend)
    label = labels_width([row.name for row in rows], at_most=_MOST_NAME)
    note = labels_width([row.note for row in rows], at_most=_MOST_NOTE)
    left, width = max(label, 8.0), WIDTH - max(label, 8.0) - max(note, 24.0)
    bottom = _draw_rows(canvas, rows, scale, left=left, width=width, top=top, label=label)
    svg = canvas.drawn(bottom + scale_height(scale), title)
    return Chart(name, title, caption, svg, numbers or row_numbers(rows, legend))


def panels_chart(
    name: str,
    title: str,
    panels: Sequence[Panel],
    scale: Scale,
    *,
    per_row: int,
    caption: str = "",
    legend: Sequence[LegendEntry] = (),
    numbers: NumberTable,
) -> Chart:
    """Return several panels of rows in lines of `per_row`; the first panel of each line shows the names of rows.

    If a line has only one panel, every panel may have its own rows; otherwise, the rows of all panels have the same
    names.
    """
    canvas = Canvas(name, WIDTH)
    top = draw_legend(canvas, legend)
    label = labels_width([row.name for panel in panels for row in panel.rows], at_most=_MOST_NAME)
    note = labels_width([row.note for panel in panels for row in panel.rows], at_most=_MOST_NOTE)
    gap = 26.0
    width = (WIDTH - label - (gap + note) * per_row) / per_row
    titles = shortened([panel.title for panel in panels], at_most=max(8, int((width + gap) / 8)))
    for line in range(ceil(len(panels) / per_row)):
        bottom = top
        for column, panel in enumerate(panels[line * per_row : (line + 1) * per_row]):
            left = label + column * (width + gap + note)
            start = left if per_row > 1 else 0
            canvas.text((start, top + 12), titles[line * per_row + column], is_bold=True)
            own = panel.scale or scale
            names = label if column == 0 else 0.0
            end = _draw_rows(canvas, panel.rows, own, left=left, width=width, top=top + 26, label=names)
            bottom = max(bottom, end + scale_height(own) + 12)
        top = bottom
    return Chart(name, title, caption, canvas.drawn(top, title), numbers)


def _draw_rows(
    canvas: Canvas, rows: Sequence[ChartRow], scale: Scale, *, left: float, width: float, top: float, label: float
) -> float:
    """Draw rows and their scale, and return the height at which they end."""
    names = shortened([row.name for row in rows], at_most=2 * _NAME_LETTERS - 8)
    has_links = any(row.goes_on is not None for row in rows)
    heights = [row.height + (_LINK - _GAP if has_links else 0) for row in rows]
    bottom = top + sum(heights) - (_LINK - _GAP if has_links else 0)
    if any(row.dots for row in rows):
        _bands(canvas, heights, left=left, width=width, top=top)
    draw_scale(canvas, scale, left=left, width=width, top=top, bottom=bottom)
    y = top
    for number, (row, height) in enumerate(zip(rows, heights, strict=True)):
        middle = y + row.height / 2
        if label:
            _two_lines(canvas, names[number], (left - 10, middle), letters=_NAME_LETTERS, anchor="end", color="ink")
        if row.goes_on is not None and number + 1 < len(rows):
            after = sum(part.size for part in rows[number + 1].parts)
            _link(
                canvas, row.goes_on, after, scale, left=left, width=width, top=middle + _BAR / 2, height=height - _BAR
            )
        _lines(canvas, row, scale, left=left, width=width, top=y)
        _parts(canvas, row, scale, left=left, width=width, top=middle - _BAR / 2)
        _dots(canvas, row, scale, left=left, width=width, top=middle - _DOT * len(row.dots) / 2)
        if row.note:
            _two_lines(
                canvas, row.note, (left + width + 10, middle), letters=_NOTE_LETTERS, anchor="start", color="muted"
            )
        y += height
    return bottom


def _two_lines(canvas: Canvas, text: str, at: Point, *, letters: int, anchor: Anchor, color: str) -> None:
    """Draw a text on one line, or on two if it is longer; text that does not fit is only in the table of numbers."""
    x, y = at
    lines = wrap(text, letters, max_lines=2, placeholder=" …")
    offsets: tuple[float, ...] = (0,) if len(lines) < 2 else (-6.5, 6.5)
    for line, offset in zip(lines, offsets, strict=False):  # blanks alone leave no line
        canvas.text((x, y + offset), line, anchor=anchor, color=color, size=FONT_PX if len(lines) < 2 else 12)


def _bands(canvas: Canvas, heights: Sequence[float], *, left: float, width: float, top: float) -> None:
    y = top
    for number, height in enumerate(heights):
        if number % 2 == 0:
            canvas.rect(left, y, width, height, Look("band"))
        y += height


def _link(
    canvas: Canvas, above: float, below: float, scale: Scale, *, left: float, width: float, top: float, height: float
) -> None:
    right_above, right_below = (left + scale.share(size) * width for size in (above, below))
    points = [(left, top), (right_above, top), (right_below, top + height), (left, top + height)]
    canvas.polygon(points, "between")


def _lines(canvas: Canvas, row: ChartRow, scale: Scale, *, left: float, width: float, top: float) -> None:
    for line in row.lines:
        if line.interval is not None:
            low, high = (left + scale.share(end) * width for end in line.interval)
            canvas.rect(low, top + 2, high - low, row.height - 4, Look("ink"), opacity=0.12)
        x = left + scale.share(line.value) * width
        draw_reference(canvas, line.reference, (x, top + 1), (x, top + row.height - 1))


def _parts(canvas: Canvas, row: ChartRow, scale: Scale, *, left: float, width: float, top: float) -> None:
    x = left
    for part in row.parts:
        if part.size <= 0:
            continue
        size = max(_LEAST_PART, scale.share(part.size + scale.low) * width)
        words = f"{row.name}: {part.words} {part.spelled}" if part.words else f"{row.name}: {part.spelled}"
        canvas.rect(x, top, size, _BAR, part.look, words=words)
        if part.words and size >= max(_LEAST_COUNT, text_width(part.spelled, 12) + 9):
            canvas.text((x + size / 2, top + _BAR / 2), part.spelled, anchor="middle", size=12, has_plate=True)
        x += size


def _dots(canvas: Canvas, row: ChartRow, scale: Scale, *, left: float, width: float, top: float) -> None:
    for place, dot in enumerate(row.dots):
        y = top + _DOT * (place + 0.5)
        if dot.value is None:
            continue
        color = series_color(dot.series)
        x = left + scale.share(dot.value) * width
        if dot.has_bar:
            canvas.rect(left, y - 5.5, x - left, 11, Look(color), opacity=0.35)
        if dot.interval is not None:
            low, high = (left + scale.share(end) * width for end in dot.interval)
            canvas.line((low, y), (high, y), color, width=1.8)
        canvas.marker((x, y), dot.series)


def row_numbers(rows: Sequence[ChartRow], legend: Sequence[LegendEntry], *, note: str = "note") -> NumberTable:
    """Return the numbers of rows: a column for each part, each series in the legend, each reference, and the note.

    Args:
        rows: The rows.
        legend: Legend of the chart.
        note: Header of the column of notes.
    """
    parts = list(dict.fromkeys(part.words for row in rows for part in row.parts))
    dots = sorted({dot.series for row in rows for dot in row.dots})
    series = {entry.sign: entry.words for entry in legend if isinstance(entry.sign, int)}
    lines = list(dict.fromkeys(line.reference for row in rows for line in row.lines))
    words = {entry.sign: entry.words for entry in legend if isinstance(entry.sign, str)}
    has_notes = any(row.note for row in rows)
    head = ["", *(part or "number" for part in parts), *(series.get(number, "value") for number in dots)]
    head += [words.get(line, line) for line in lines] + ([note] if has_notes else [])

    def cells(row: ChartRow) -> Iterator[str]:
        yield row.name
        sizes = {part.words: part.spelled for part in row.parts}
        yield from (sizes.get(part, "") for part in parts)
        values = {dot.series: spelled(dot.value, dot.interval) for dot in row.dots}
        yield from (values.get(number, "–") for number in dots)
        references = {line.reference: spelled(line.value, line.interval) for line in row.lines}
        yield from (references.get(line, "–") for line in lines)
        if has_notes:
            yield row.note

    return NumberTable(head, [list(cells(row)) for row in rows])
