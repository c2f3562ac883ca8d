"""Chart of difficulty: the number of items that none, some or all of the models answer correctly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.pages import Chart, Column, Look, Scale, columns_chart
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_MODELS = 3
_BINS = 10
_TITLE = "Difficulty of the items"


def difficulty_chart(difficulty: NDArray[np.float64], models: int) -> Chart | None:
    """Return the chart, or None if there are fewer than three models, for which it would show too little.

    Args:
        difficulty: Proportion of models that answer each item correctly, 0 to 1; NaN if none was asked.
        models: Number of models.
    """
    import numpy as np

    known = difficulty[~np.isnan(difficulty)]
    if models < _LEAST_MODELS or not len(known):
        return None
    bins = min(models, _BINS)
    # With few models, each number of models that are right has its own column, with its share in the middle.
    counts, _ = np.histogram(known, bins=bins + 1, range=(-0.5 / bins, 1 + 0.5 / bins))
    places = [k / bins for k in range(bins + 1)]
    columns = [
        Column(place - 0.4 / bins, place + 0.4 / bins, n, Look("right"), f"{place:.0%}")
        for place, n in zip(places, counts.tolist(), strict=True)
    ]
    ticks = [(place, f"{place:.0%}") for place in places]
    nobody, everybody = int((known == 0).sum()), int((known == 1).sum())
    caption = (
        f"Items by the share of models that have them right. {counted(nobody, 'item is', 'items are')} right for no "
        f"model and {everybody:,} for all; neither kind tells models apart. An item that no model has right may be "
        "hard or have a wrong key: benchwright evaluate suspects ranks likely wrong keys."
    )
    return columns_chart(
        "difficulty",
        _TITLE,
        columns,
        Scale(-0.5 / bins, 1 + 0.5 / bins, ticks, "share of models that have the item right"),
        counted="items",
        measured="share of models right",
        caption=caption,
        has_counts=True,
    )
