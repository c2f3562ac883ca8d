"""Plot of accuracy by task, with intervals: one panel with all models, or one panel per model if there are many."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from ..content.score_table import ScoreTable
from .chart_style import BAND, GRID, INK, MARKERS, MUTED, PAPER, SERIES, Plot, drawing_look, shortened, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...results.score import Figure

MOST_IN_ONE_PANEL = 6
_WIDTH_IN = 9.6
_PANELS_A_ROW = 3
_TITLE = "Accuracy by task"


def accuracy_plot(board: ScoreTable) -> Plot:
    """Return the plot; the error bars are the scores' 95 % intervals."""
    with drawing_look():
        in_one_panel = len(board.lines) <= MOST_IN_ONE_PANEL
        drawing = _one_panel(board) if in_one_panel else _panels(board)
        svg = svg_of(drawing, name="accuracy", title=_TITLE)
    people = " Solid lines are people, grey bands their intervals." if board.who is not None else ""
    caption = (
        "Share of asked items answered right. Bars are 95 % intervals: they say how far the figure may be off "
        "by the luck of which items were drawn, not by the wording of questions or the reading of replies. Dashed "
        f"lines are what an even draw among the options gives.{people} A model stands only where it can take the task."
    )
    return Plot("accuracy", _TITLE, caption + ("" if in_one_panel else " One panel for each model."), svg)


def bars_plot(board: ScoreTable, *, name: str, title: str, more: str = "") -> Plot:
    """Return the plot of a table whose columns are other than tasks, such as levels, with bars and their values.

    Args:
        board: Table with at most as many models as fit in one panel.
        name: Name of the plot, unique on the page.
        title: Title of the plot, one line.
        more: Text at the end of the caption; default empty.
    """
    with drawing_look():
        svg = svg_of(_one_panel(board, with_bars=True), name=name, title=title)
    people = " Solid lines are people." if any(figure is not None for figure in board.people) else ""
    caption = (
        "Share of the items with each label that were answered right, with 95 % intervals; the first row is of all "
        f"that were asked. Dashed lines are what an even draw among the options gives.{people}{more}"
    )
    return Plot(name, title, caption, svg)


def _one_panel(board: ScoreTable, *, with_bars: bool = False) -> Any:
    """Draw a row for each task, its height in proportion to the number of models, and the models one below another."""
    from matplotlib.figure import Figure as Drawing

    rows = [[line for line in board.lines if line.figures[k] is not None] for k in range(len(board.columns))]
    heights = [0.22 + 0.16 * max(1, len(row)) for row in rows]
    drawing = Drawing(figsize=(_WIDTH_IN, sum(heights) + 0.9), layout="constrained")
    axes = drawing.add_subplot()
    at, places = 0.0, []
    for k, (row, height) in enumerate(zip(rows, heights, strict=True)):
        _band(axes, k, at, height)
        _lines(axes, board, k, at, height)
        for place, line in enumerate(row):
            number = board.lines.index(line)
            _point(axes, line.figures[k], at + 0.11 + 0.16 * (place + 0.5), number, with_bar=with_bars)
        places.append(at + height / 2)
        at += height
    _scales(axes, at, places, list(board.columns))
    names = shortened([line.label for line in board.lines], at_most=36)
    handles = [_handle(number, name) for number, name in enumerate(names)] + _line_handles(board)
    drawing.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=2.2, columnspacing=2.0)
    return drawing


def _panels(board: ScoreTable) -> Any:
    from matplotlib.figure import Figure as Drawing

    rows, step = ceil(len(board.lines) / _PANELS_A_ROW), 0.21
    height = step * len(board.columns)
    drawing = Drawing(figsize=(_WIDTH_IN, rows * (height + 0.55) + 0.4), layout="constrained")
    grid = drawing.subplots(rows, _PANELS_A_ROW, sharex=True, sharey=True, squeeze=False)
    names = shortened([line.label for line in board.lines], at_most=30)
    for number, axes in enumerate(grid.flat):
        if number >= len(board.lines):
            axes.set_visible(False)
            continue
        for k in range(len(board.columns)):
            _band(axes, k, k * step, step)
            _lines(axes, board, k, k * step, step)
            _point(axes, board.lines[number].figures[k], (k + 0.5) * step, 0)
        _scales(axes, height, [(k + 0.5) * step for k in range(len(board.columns))], list(board.columns))
        axes.set_title(names[number], loc="left")
    drawing.legend(handles=[_handle(0, "the panel's model"), *_line_handles(board)], loc="outside upper left", ncols=3)
    return drawing


def _band(axes: Axes, k: int, at: float, height: float) -> None:
    if k % 2 == 0:
        axes.axhspan(at, at + height, color=BAND, linewidth=0, zorder=0)


def _lines(axes: Axes, board: ScoreTable, k: int, at: float, height: float) -> None:
    """Draw lines for chance and people across the row of a task."""
    if (chance := board.chance[k]) is not None and chance.value is not None:
        axes.vlines(chance.value, at + 0.02, at + height - 0.02, colors=MUTED, linestyles=(0, (2, 1.4)), linewidth=1.3)
    if (people := board.people[k]) is not None and people.value is not None:
        if people.ci is not None:
            low, high = people.ci
            axes.fill_betweenx([at + 0.02, at + height - 0.02], low, high, color=INK, alpha=0.12, linewidth=0)
        axes.vlines(people.value, at, at + height, colors=INK, linewidth=1.8)


def _point(axes: Axes, figure: Figure | None, y: float, number: int, *, with_bar: bool = False) -> None:
    if figure is None or figure.value is None:
        return
    color = SERIES[number % len(SERIES)]
    if with_bar:
        axes.barh(y, figure.value, height=0.12, color=color, alpha=0.35, linewidth=0, zorder=2)
    if figure.ci is not None:
        axes.hlines(y, *figure.ci, colors=color, linewidth=1.4, zorder=3)
    axes.plot(
        [figure.value],
        [y],
        marker=MARKERS[number % len(MARKERS)],
        color=color,
        markersize=5.6,
        markeredgecolor=PAPER,
        markeredgewidth=0.6,
        zorder=4,
        clip_on=False,
    )


def _scales(axes: Axes, bottom: float, places: list[float], names: list[str]) -> None:
    axes.set_ylim(bottom, 0)
    axes.set_yticks(places, shortened(names, at_most=32))
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.grid(axis="x", color=GRID, linewidth=0.7, zorder=1)
    axes.spines["left"].set_visible(False)
    axes.set_axisbelow(True)


def _handle(number: int, name: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        color=SERIES[number % len(SERIES)],
        marker=MARKERS[number % len(MARKERS)],
        linewidth=1.4,
        markersize=5.6,
        markeredgecolor=PAPER,
        markeredgewidth=0.6,
        label=name,
    )


def _line_handles(board: ScoreTable) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=MUTED, linestyle=(0, (2, 1.4)), linewidth=1.3, label="chance")]
    if board.who is not None:
        label = "people (simulated)" if board.who.simulated else "people"
        handles.append(Line2D([], [], color=INK, linewidth=1.8, label=label))
    return handles
