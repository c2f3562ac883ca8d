"""MM-SAP's figures: a table, and a plot of known knowns against known unknowns (paper, figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchwright.pages import Chart, PlanePoint, plane_chart, share_scale

from ..content.legible import legible

if TYPE_CHECKING:
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
"""Name in the table, and metric, of each figure."""
_TITLE = "What models know, and know that they do not know"


def knowledge_rows(board: ScoreTable) -> list[dict[str, Any]]:
    """Return a row for each model that has any of the figures; empty if the release has no option that declines."""
    rows = []
    for line in board.lines:
        figures = [_figure(line.score.metrics.get(metric)) for _, metric in COLUMNS]
        if any(figure is not None for figure in figures):
            n = next(figure.n for figure in figures if figure is not None)
            rows.append({"model": legible(line.model), "n": n, "figures": figures})
    return rows


def knowledge_chart(board: ScoreTable) -> Chart | None:
    """Return the plot, or None if no model has both figures.

    score_kk is on the horizontal axis and score_ku on the vertical, so models of equal score_sa, their sum, lie on
    lines that slope down to the right.
    """
    metrics = {k: line.score.metrics for k, line in enumerate(board.lines) if _both(line.score.metrics)}
    if not metrics:
        return None
    right, top = (_end([figures[name] for figures in metrics.values()]) for name in (_KK, _KU))
    points = [
        PlanePoint(board.lines[k].model, kk.value or 0.0, ku.value or 0.0, kk.ci, ku.ci, k)
        for k, (kk, ku) in ((k, (figures[_KK], figures[_KU])) for k, figures in metrics.items())
    ]
    caption = (
        "Share of items known and answered right (score_kk, horizontal), and of items unknown and declined "
        "(score_ku, vertical), both of all items with an option that declines. Dashed lines join points with the "
        "same sum, score_sa, their label. Lines through points are 95 % intervals. After MM-SAP, figure 5."
    )
    return plane_chart(
        "plane",
        _TITLE,
        points,
        share_scale(right, words="score_kk: knows, and answers right"),
        share_scale(top, words="score_ku: does not know, and declines"),
        caption=caption,
        sums=[(total / 10, f"{total * 10} %") for total in range(2, 11, 2) if total / 10 < right + top],
    )


def _end(figures: Sequence[Figure]) -> float:
    """Return the end of an axis: a tenth above the highest limit, at least 0.3 and at most 1."""
    highest = max((figure.ci[1] if figure.ci is not None else figure.value or 0.0) for figure in figures)
    return min(1.0, max(0.3, int(highest * 10 + 1.5) / 10))


def _both(metrics: Any) -> bool:
    return all(_figure(metrics.get(name)) is not None for name in (_KK, _KU))


def _figure(figure: Figure | None) -> Figure | None:
    return None if figure is None or figure.value is None else figure
