"""MM-SAP's figures: a table, and a plane of known knowns against known unknowns (paper figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..content.cards import legible
from .chart_style import GRID, INK, MARKERS, MUTED, PAPER, SERIES, Plot, drawing_look, shortened, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...results.score import Figure
    from ..content.score_table import ScoreTable

_KK, _KU, _SA = (f"mm_sap/score_{name}" for name in ("kk", "ku", "sa"))
COLUMNS = (
    ("score_kk", _KK),
    ("score_ku", _KU),
    ("score_sa", _SA),
    ("answer rate", "mm_sap/answer_rate"),
    ("answer accuracy", "mm_sap/answer_accuracy"),
    ("unknown knowns", "mm_sap/unknown_knowns_rate"),
)
"""Name in the table, and metric."""
_TITLE = "What models know, and know that they do not"
_STEP = 0.2
"""Between lines of equal self-awareness."""


def knowledge_rows(board: ScoreTable) -> list[dict[str, Any]]:
    """Return a row for each model that has any of the figures; empty where the release has no option that declines."""
    rows = []
    for line in board.lines:
        figures = [_figure(line.score.metrics.get(metric)) for _, metric in COLUMNS]
        if any(figure is not None for figure in figures):
            n = next(figure.n for figure in figures if figure is not None)
            rows.append({"model": legible(line.model), "n": n, "figures": figures})
    return rows


def plane_plot(board: ScoreTable) -> Plot | None:
    """Return the plane; None where no model has both figures.

    score_kk is on the horizontal axis and score_ku on the vertical, so models of equal score_sa, their sum, lie on
    lines that fall to the right.
    """
    numbers = [k for k, line in enumerate(board.lines) if _both(line.score.metrics)]
    if not numbers:
        return None
    with drawing_look():
        svg = svg_of(_drawn(board, numbers), name="plane", title=_TITLE)
    caption = (
        "Share of items that are known and answered right (score_kk, across), and that are not and declined (score_ku, "
        "up), both of all items that offer an option that declines. Dashed lines join what has the same sum, score_sa, "
        "which is written on them. Bars are 95 % intervals. After MM-SAP, figure 5."
    )
    return Plot("plane", _TITLE, caption, svg)


def _drawn(board: ScoreTable, numbers: Sequence[int]) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(9.6, 5.4), layout="constrained")
    axes = drawing.add_subplot()
    points = [(board.lines[k].score.metrics[_KK], board.lines[k].score.metrics[_KU]) for k in numbers]
    right, top = (_end([pair[end] for pair in points]) for end in (0, 1))
    _iso_lines(axes, right, top)
    names = shortened([line.model for line in board.lines], at_most=34)
    for k, (kk, ku) in zip(numbers, points, strict=True):
        _point(axes, kk, ku, k, names[k])
    axes.set_xlim(0, right)
    axes.set_ylim(0, top)
    for axis in ("x", "y"):
        ticks = [tick / 10 for tick in range(0, 11, 2 if max(right, top) > 0.6 else 1) if tick / 10 <= max(right, top)]
        getattr(axes, f"set_{axis}ticks")(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_xlabel("score_kk: knows, and answers right")
    axes.set_ylabel("score_ku: does not know, and declines")
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(0, right)
    axes.set_ylim(0, top)
    drawing.legend(loc="outside right upper", handlelength=1.4)
    return drawing


def _iso_lines(axes: Axes, right: float, top: float) -> None:
    """Draw lines of equal sum, each labelled with its sum where it leaves the plane."""
    number = 1
    while (total := number * _STEP / 2) < min(right + top, 1.0 + _STEP / 4):
        axes.plot([total, 0], [0, total], color=MUTED, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1)
        at = (total - top, top) if total > top else (0.0, total)
        x, y = at[0] + 0.012 * right, at[1] - 0.012 * top
        if x < right * 0.97 and number % 2 == 0:
            axes.text(x, y, f"{total:.0%}", color=MUTED, fontsize=7.5, va="top", zorder=2)
        number += 1


def _point(axes: Axes, kk: Figure, ku: Figure, number: int, name: str) -> None:
    color = SERIES[number % len(SERIES)]
    assert kk.value is not None
    assert ku.value is not None
    if kk.ci is not None:
        axes.hlines(ku.value, *kk.ci, colors=color, linewidth=1.1, zorder=3)
    if ku.ci is not None:
        axes.vlines(kk.value, *ku.ci, colors=color, linewidth=1.1, zorder=3)
    axes.plot(
        [kk.value],
        [ku.value],
        marker=MARKERS[number % len(MARKERS)],
        color=color,
        markersize=8,
        linestyle="none",
        markeredgecolor=PAPER,
        markeredgewidth=0.8,
        label=name,
        zorder=4,
        clip_on=False,
    )
    axes.annotate(
        name, (kk.value, ku.value), xytext=(6, 5), textcoords="offset points", fontsize=7.5, color=INK, zorder=5
    )


def _end(figures: Sequence[Figure]) -> float:
    """Return the end of an axis: a tenth above the highest limit, at least 0.3 and at most 1."""
    highest = max((figure.ci[1] if figure.ci is not None else figure.value or 0.0) for figure in figures)
    return min(1.0, max(0.3, int(highest * 10 + 1.5) / 10))


def _both(metrics: Any) -> bool:
    return all(_figure(metrics.get(name)) is not None for name in (_KK, _KU))


def _figure(figure: Figure | None) -> Figure | None:
    return None if figure is None or figure.value is None else figure
