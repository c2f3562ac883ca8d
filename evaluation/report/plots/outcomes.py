"""Outcomes of the questions, one bar per model: right, wrong, and the four outcomes without a letter."""

from __future__ import annotations

from typing import Any

from ..content.score_table import ScoreTable, outcomes_of
from .chart_style import GRID, INK, MUTED, PAPER, RIGHT, SERIES, WRONG, Plot, drawing_look, shortened, svg_of

_TITLE = "What became of the questions"
_LOOKS: tuple[tuple[str, str, str], ...] = (
    ("right", RIGHT, ""),
    ("wrong letter", WRONG, ""),
    ("no single letter", SERIES[1], "////"),
    ("refusal", SERIES[3], "||||"),
    ("cut off", SERIES[4], "----"),
    ("error", SERIES[7], "xxxx"),
)
"""Name, color and hatch."""


def outcome_plot(board: ScoreTable) -> Plot:
    """Return the plot."""
    with drawing_look():
        svg = svg_of(_drawn(board), name="outcomes", title=_TITLE)
    caption = (
        "Every asked item of each model, as a share. All but the first count as wrong in the accuracies: a reply that "
        "names no single letter, a refusal in the model's own words, a reply that was cut off at the longest length "
        "before it came to an answer, and an item without any reply. Shares here have no intervals; the numbers on the "
        "bars are items."
    )
    return Plot("outcomes", _TITLE, caption, svg)


def _drawn(board: ScoreTable) -> Any:
    from matplotlib.figure import Figure as Drawing

    counts = outcomes_of(board)
    drawing = Drawing(figsize=(9.6, 0.34 * len(counts) + 0.85), layout="constrained")
    axes = drawing.add_subplot()
    for y, row in enumerate(counts):
        left, total = 0.0, max(1, sum(row))
        for (_, color, hatch), n in zip(_LOOKS, row, strict=True):
            share = n / total
            axes.barh(y, share, left=left, height=0.62, color=color, hatch=hatch, edgecolor=PAPER, linewidth=0.8)
            if share > 0.045:
                plate = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.18"}
                axes.text(left + share / 2, y, f"{n:,}", ha="center", va="center", fontsize=7.5, color=INK, bbox=plate)
            left += share
        axes.text(1.012, y, f"{sum(row):,} asked", va="center", fontsize=7.5, color=MUTED)
    axes.set_yticks(range(len(counts)), shortened([line.label for line in board.lines], at_most=32))
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_color(GRID)
    drawing.legend(handles=_handles(), loc="outside upper left", ncols=6, handlelength=1.8)
    return drawing


def _handles() -> list[Any]:
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=color, hatch=hatch, edgecolor=PAPER, linewidth=0.8, label=name) for name, color, hatch in _LOOKS
    ]
