"""Radar plot over tasks: a polygon for each model, with those of chance and people."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, pi
from typing import TYPE_CHECKING, Any

from ..content.score_table import ScoreRow, ScoreTable
from .accuracy import MOST_IN_ONE_PANEL
from .chart_style import GRID, INK, MARKERS, MUTED, PAPER, SERIES, Plot, drawing_look, shortened, svg_of

if TYPE_CHECKING:
    from ...results.score import Figure

FEWEST_TASKS = 3
_MOST_LABELS = 16
_TITLE = "Profile over tasks"


def radar_plot(board: ScoreTable) -> Plot | None:
    """Return the plot; None where there are fewer than three tasks, or no model took three of them."""
    drawn = [line for line in board.lines if sum(figure is not None for figure in line.figures[1:]) >= FEWEST_TASKS]
    if len(board.tasks) < FEWEST_TASKS or not drawn:
        return None
    numbered = len(drawn) > MOST_IN_ONE_PANEL or len(board.tasks) > _MOST_LABELS
    with drawing_look():
        drawing = _one(board, drawn, numbered) if len(drawn) <= MOST_IN_ONE_PANEL else _many(board, drawn)
        svg = svg_of(drawing, name="radar", title=_TITLE)
    return Plot("radar", _TITLE, _caption(board, len(drawn), numbered), svg)


def _caption(board: ScoreTable, drawn: int, numbered: bool) -> str:
    people = ", the solid thick polygon what people reach" if board.who is not None else ""
    caption = (
        "Accuracy on each task, from 0 in the middle to 100 % at the rim. The dashed polygon is what an even draw gives"
        f"{people}. Intervals are in the plot above: on few items a dent in a profile may be luck."
    )
    if left_out := len(board.lines) - drawn:
        caption += f" Left out: {left_out} of {len(board.lines)} models, which took fewer than three tasks."
    if numbered:
        caption += " Tasks by number: " + ", ".join(f"{k} {task}" for k, task in enumerate(board.tasks, start=1)) + "."
    return caption


def _one(board: ScoreTable, drawn: Sequence[ScoreRow], numbered: bool) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(9.6, 5.6), layout="constrained")
    axes = drawing.add_subplot(projection="polar")
    _frame(axes, board, numbered)
    names = shortened([line.model for line in drawn], at_most=36)
    for line, name in zip(drawn, names, strict=True):
        number = board.lines.index(line)
        _polygon(
            axes,
            line.figures[1:],
            color=SERIES[number % len(SERIES)],
            marker=MARKERS[number % len(MARKERS)],
            label=name,
        )
    _references(axes, board)
    drawing.legend(*axes.get_legend_handles_labels(), loc="outside right upper", handlelength=2.6)
    return drawing


def _many(board: ScoreTable, drawn: Sequence[ScoreRow]) -> Any:
    from matplotlib.figure import Figure as Drawing

    rows = ceil(len(drawn) / 4)
    drawing = Drawing(figsize=(9.6, rows * 2.75 + 0.4), layout="constrained")
    grid = drawing.subplots(rows, 4, squeeze=False, subplot_kw={"projection": "polar"})
    names = shortened([line.model for line in drawn], at_most=24)
    for number, axes in enumerate(grid.flat):
        if number >= len(drawn):
            axes.set_visible(False)
            continue
        _frame(axes, board, True)
        _polygon(axes, drawn[number].figures[1:], color=SERIES[0], marker=MARKERS[0], label="the panel's model")
        _references(axes, board)
        axes.set_title(names[number])
    drawing.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside upper left", ncols=3, handlelength=2.6)
    return drawing


def _frame(axes: Any, board: ScoreTable, numbered: bool) -> None:
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks(
        [0.25, 0.5, 0.75, 1], ["", "50 %", "", "100 %"] if not numbered else ["", "50", "", ""], color=MUTED
    )
    tasks = list(board.tasks)
    labels = [str(k) for k in range(1, len(tasks) + 1)] if numbered else shortened(tasks, at_most=26)
    axes.set_xticks(_angles(len(tasks)), labels, color=INK)
    axes.grid(color=GRID, linewidth=0.7)
    axes.spines["polar"].set_color(GRID)
    axes.set_rlabel_position(180 / len(tasks))
    if not numbered:
        for label, angle in zip(axes.get_xticklabels(), _angles(len(tasks)), strict=True):
            label.set_horizontalalignment("center" if angle % pi < 0.1 else "left" if angle < pi else "right")


def _references(axes: Any, board: ScoreTable) -> None:
    _polygon(axes, board.chance[1:], color=MUTED, linestyle=(0, (2, 1.4)), linewidth=1.3, label="chance")
    if board.who is not None:
        label = "people (simulated)" if board.who.simulated else "people"
        _polygon(axes, board.people[1:], color=INK, linewidth=2.2, label=label)


def _polygon(axes: Any, figures: Sequence[Figure | None], **look: Any) -> None:
    """Draw a closed line; it is interrupted at missing tasks, so that no line crosses a task that was not asked."""
    values = [float("nan") if figure is None or figure.value is None else figure.value for figure in figures]
    settings = {"linewidth": 1.6, "markersize": 5.2, "markeredgecolor": PAPER, "markeredgewidth": 0.6, **look}
    axes.plot([*_angles(len(values)), 2 * pi], [*values, values[0]], clip_on=False, **settings)


def _angles(n: int) -> list[float]:
    return [2 * pi * k / n for k in range(n)]
