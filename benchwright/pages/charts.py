"""Charts: a drawing with a title, a caption, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element, tostring

from benchwright.pages.drawing import Canvas, Look, Point, series_color, standalone, text_width

WIDTH = 960.0
"""Width of a chart, in pixels."""
_LEGEND_ROW = 22.0
Reference = Literal["chance", "people", "mark"]
DASHES = {"chance": "4 3", "people": "", "mark": "5 4"}


class NumberTable(NamedTuple):
    """The numbers of a chart: names of the columns, and rows whose first cell is the row's name."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Chart(NamedTuple):
    """A chart for a page or a file.

    Args:
        name: Name of the chart, unique on its page.
        title: Title, one line.
        caption: Description of the drawing.
        svg: Drawing, whose texts are escaped when it is written.
        numbers: The numbers shown in the drawing.
    """

    name: str
    title: str
    caption: str
    svg: Element
    numbers: NumberTable

    @property
    def markup(self) -> str:
        """Return the drawing as an element of a page, in the colors of the page's theme."""
        return tostring(self.svg, encoding="unicode")

    @property
    def file(self) -> str:
        """Return the drawing as the text of an SVG file, in light colors."""
        return standalone(self.svg)


class Scale(NamedTuple):
    """An axis: its ends, and its ticks with their labels.

    Args:
        low: Value at the start.
        high: Value at the end; more than `low`.
        ticks: Value and label of each tick.
        words: Name of the measured value; empty if it has none.
    """

    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = ()
    words: str = ""

    def share(self, value: float) -> float:
        """Return a value's position between the ends, 0 to 1; values beyond an end are placed at that end."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


SHARES = Scale(0, 1, ((0, "0"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %"), (1, "100 %")))


def count_scale(most: float, *, words: str = "") -> Scale:
    """Return a scale of counts from 0 with at most six round ticks; it ends at `most` or at 1, whichever is larger."""
    most = max(1.0, most)
    step = next(step for step in (10**power * lead for power in range(16) for lead in (1, 2, 5)) if most / step <= 5)
    return Scale(0, most, [(tick, f"{tick:,}") for tick in range(0, int(most) + 1, step)], words)


def share_scale(high: float, *, words: str = "") -> Scale:
    """Return a scale of proportions from 0 to `high`, 0-1, with a tick at every tenth or fifth."""
    step = 2 if high > 0.6 else 1
    ticks = [(tick / 10, f"{tick * 10} %") for tick in range(0, 11, step) if tick / 10 <= high + 1e-9]
    return Scale(0, high, ticks, words)


class LegendEntry(NamedTuple):
    """An entry of a legend: its text, and an appearance, the index of a series, or a reference line."""

    words: str
    sign: Look | int | Reference


def draw_legend(canvas: Canvas, entries: Iterable[LegendEntry], *, left: float = 0) -> float:
    """Draw a legend at the top of a canvas, on as many lines as needed, and return its height."""
    x, y = left, _LEGEND_ROW / 2
    drawn = False
    for entry in entries:
        width = 30 + text_width(entry.words) + 22
        if drawn and x + width - 22 > canvas.width:
            x, y = left, y + _LEGEND_ROW
        _sign(canvas, entry.sign, (x, y))
        canvas.text((x + 30, y), entry.words, color="muted")
        x, drawn = x + width, True
    return y + _LEGEND_ROW / 2 + 6 if drawn else 4.0


def _sign(canvas: Canvas, sign: Look | int | Reference, at: Point) -> None:
    x, y = at
    if isinstance(sign, Look):
        canvas.rect(x, y - 6.5, 22, 13, sign)
    elif isinstance(sign, int):
        canvas.line((x, y), (x + 22, y), series_color(sign), width=1.6)
        canvas.marker((x + 11, y), sign)
    else:
        draw_reference(canvas, sign, (x + 11, y - 8), (x + 11, y + 8))


def draw_reference(canvas: Canvas, reference: Reference, start: Point, end: Point) -> None:
    """Draw a reference line: a dashed line for chance and marked values, a thick one for people."""
    color, width = ("muted", 1.5) if reference == "chance" else ("ink", 2.2 if reference == "people" else 1.5)
    canvas.line(start, end, color, width=width, dash=DASHES[reference])


def draw_scale(canvas: Canvas, scale: Scale, *, left: float, width: float, top: float, bottom: float) -> None:
    """Draw a horizontal axis at the bottom of an area, with a grid line at each tick."""
    for value, words in scale.ticks:
        x = left + scale.share(value) * width
        canvas.line((x, top), (x, bottom), "grid")
        canvas.text((x, bottom + 12), words, anchor="middle", color="muted", size=12)
    if scale.words:
        canvas.text((left + width / 2, bottom + 30), scale.words, anchor="middle", color="muted", size=12)


def scale_height(scale: Scale) -> float:
    """Return the height that the ticks and label of a horizontal axis take below an area."""
    return (22 if scale.ticks else 4) + (18 if scale.words else 0)


def spelled(value: float | None, interval: tuple[float, float] | None, *, undefined: str = "–") -> str:
    """Return the text of a value with its interval, to two decimals; `undefined` for None."""
    if value is None:
        return undefined
    beside = "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"
    return f"{value:.2f}{beside}"


def labels_width(names: Sequence[str], *, at_most: float, measure: Callable[[str], float] = text_width) -> float:
    """Return the width of a column of texts, in pixels, with a gap; 0 if all are empty."""
    widest = max(map(measure, names), default=0.0)
    return min(at_most, widest + 12) if widest else 0.0
