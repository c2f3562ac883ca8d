"""The charts of the calibration page: the number of files by ratio, and the proportion that each threshold
would drop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from benchwright.pages import Chart, Column, Look, MarkedValue, NumberTable, Scale, columns_chart, steps_chart

_BINS_A_TENTH = 5


def ratio_chart(ratios: Sequence[float], thresholds: Sequence[float]) -> Chart:
    """Return a histogram of the ratios above 0.

    Args:
        ratios: Ratio of each file, 0-1; at least one.
        thresholds: Thresholds, ascending, drawn as lines.
    """
    end = _end(ratios, thresholds)
    above = [ratio for ratio in ratios if ratio > 0]
    counts, edges = np.histogram(above, bins=round(end * 10 * _BINS_A_TENTH), range=(0, end))
    columns = [
        Column(low, high, count, Look("right"), f"{low:.2f} to {high:.2f}")
        for count, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    return columns_chart(
        "ratios",
        "Files by ratio",
        columns,
        _scale(end),
        counted="files with text",
        measured="ratio",
        caption=(
            f"Number of files by ratio; the {len(ratios) - len(above):,} without any text are not drawn. Dashed "
            "lines are the thresholds of the table."
        ),
        marks=_marks(thresholds),
    )


def dropped_chart(ratios: Sequence[float], thresholds: Sequence[float]) -> Chart:
    """Return a step curve of the proportion of files above each threshold.

    Args:
        ratios: Ratio of each file, 0-1; at least one.
        thresholds: Thresholds, ascending, drawn as lines.
    """
    end, ordered = _end(ratios, thresholds), sorted(ratios)
    steps: list[tuple[float, float]] = []
    for place in sorted({0.0, end, *(ratio for ratio in ordered if ratio <= end)}):
        share = _dropped(ordered, place)
        steps += [(place, steps[-1][1]), (place, share)] if steps else [(place, share)]
    most = max(0.05, float(np.ceil(steps[0][1] * 20 - 1e-9)) / 20)
    upward = Scale(0, most, [(most * k / 5, f"{most * k / 5:.0%}") for k in range(6)], "share of all files dropped")
    rows = [(f"{threshold:g}", f"{_dropped(ordered, threshold):.1%}") for threshold in thresholds]
    return steps_chart(
        "dropped",
        "Share dropped by threshold",
        steps,
        _scale(end),
        upward=upward,
        caption="The share of all files that a threshold drops.",
        marks=_marks(thresholds),
        numbers=NumberTable(("threshold", "share dropped"), rows),
    )


def _dropped(ordered: Sequence[float], threshold: float) -> float:
    return 1 - bisect_right(ordered, threshold) / len(ordered)


def _end(ratios: Sequence[float], thresholds: Sequence[float]) -> float:
    """Return the upper end of the scale, a multiple of one tenth."""
    return float(min(1.0, np.ceil(max([*ratios, *thresholds, 0.1]) * 10 - 1e-9) / 10))


def _scale(end: float) -> Scale:
    return Scale(0, end, [(tenth / 10, f"{tenth / 10:g}") for tenth in range(round(end * 10) + 1)], "text-area ratio")


def _marks(thresholds: Sequence[float]) -> list[MarkedValue]:
    return [MarkedValue(threshold, f"{threshold:g}") for threshold in thresholds]
