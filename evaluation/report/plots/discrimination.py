"""Chart of discrimination: the number of items that separate capable models from weak ones, in the right or wrong
direction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.pages import Chart, Column, Look, MarkedValue, Scale, columns_chart
from benchwright.statistics.score_interval import Z_95
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from ...item_response.fitting import ItemResponses

_STEP = 0.25
_WIDEST = 12
"""Number of columns on each side of 0; the outermost columns include everything beyond them."""


def discrimination_chart(fitted: ItemResponses | None) -> Chart | None:
    """Return the chart, or None if there are too few models to fit an item response model."""
    import numpy as np

    if fitted is None:
        return None
    places = np.clip(np.floor(fitted.discrimination / _STEP).astype(int), -_WIDEST, _WIDEST - 1)
    low, high = min(int(places.min()), -1), max(int(places.max()), 3)
    columns = [
        Column(
            place * _STEP,
            (place + 1) * _STEP,
            int((places == place).sum()),
            Look("wrong" if place < 0 else "right"),
            f"{place * _STEP:.2f} to {(place + 1) * _STEP:.2f}",
        )
        for place in range(low, high + 1)
    ]
    ticks = [(float(value), f"{value}") for value in range(-3, 4) if low * _STEP <= value <= (high + 1) * _STEP]
    upper = fitted.discrimination + Z_95 * fitted.discrimination_error
    backwards = int((upper < 0).sum())
    flat = int(((upper >= 0) & (fitted.discrimination < 0.2)).sum())
    caption = (
        "Items by discrimination, the growth of the logit of a right reply per standard deviation of ability, from "
        f"an item response model of {counted(len(fitted.ability), 'model')}. "
        f"{counted(backwards, 'item lies', 'items lie')} below 0 with the whole 95 % interval: weak models answer "
        f"them right and able ones wrong. {flat:,} more lie below 0.2 and barely tell models apart. benchwright "
        "evaluate items lists all items, evaluate suspects those with a likely wrong key."
    )
    return columns_chart(
        "discrimination",
        "How well items tell models apart",
        columns,
        Scale(low * _STEP, (high + 1) * _STEP, ticks, "discrimination"),
        counted="items",
        measured="discrimination",
        caption=caption,
        marks=[MarkedValue(0.0, "none")],
    )
