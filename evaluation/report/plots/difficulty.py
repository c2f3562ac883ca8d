"""Plot of difficulty: how many items none, some or all of the models have right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .chart_style import GRID, INK, PAPER, RIGHT, Plot, drawing_look, svg_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_MODELS = 3
_BINS = 10
_TITLE = "How hard the items are"


def difficulty_plot(difficulty: NDArray[np.float64], models: int) -> Plot | None:
    """Return the plot; None for fewer than three models, because they say too little.

    Args:
        difficulty: Share of models that have each item right; NaN where none was asked.
        models: Number of models.
    """
    import numpy as np

    known = difficulty[~np.isnan(difficulty)]
    if models < LEAST_MODELS or not len(known):
        return None
    bins = min(models, _BINS)
    # With few models, every number of models that are right has its own bar; shares lie in the middle of their bars.
    counts, _ = np.histogram(known, bins=bins + 1, range=(-0.5 / bins, 1 + 0.5 / bins))
    with drawing_look():
        svg = svg_of(_drawn(counts.tolist(), bins), name="difficulty", title=_TITLE)
    nobody, everybody = int((known == 0).sum()), int((known == 1).sum())
    caption = (
        f"Items by the share of models that have them right. {nobody:,} items are right with no model and "
        f"{everybody:,} with all; both tell models apart no further. What no model has right may be hard, or keyed "
        "wrong: benchwright evaluate suspects ranks the latter."
    )
    return Plot("difficulty", _TITLE, caption, svg)


def _drawn(counts: list[int], bins: int) -> Any:
    from matplotlib.figure import Figure as Drawing

    drawing = Drawing(figsize=(9.6, 2.6), layout="constrained")
    axes = drawing.add_subplot()
    places = [k / bins for k in range(len(counts))]
    axes.bar(places, counts, width=0.8 / bins, color=RIGHT, edgecolor=PAPER, linewidth=0.8, zorder=2)
    for place, n in zip(places, counts, strict=True):
        if n:
            axes.annotate(
                f"{n:,}", (place, n), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=7.5, color=INK
            )
    axes.set_xticks(places, [f"{place:.0%}" for place in places])
    axes.set_xlabel("share of models that have the item right")
    axes.set_ylabel("items")
    axes.grid(axis="y", color=GRID, linewidth=0.6, zorder=0)
    axes.margins(y=0.15)
    return drawing
