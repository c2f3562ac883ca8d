"""The distribution of a filter's measurements, and its thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np

from benchwright.steps import Filter
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

_BINS = 48
_NUMBERS = {"int64", "float64", "uint64"}
_SIDES: tuple[tuple[str, Literal["above", "below"]], ...] = (("max_", "above"), ("min_", "below"))


class Threshold(NamedTuple):
    """A threshold of a filter: records on `side` of `at` are dropped or sent to people for a decision."""

    setting: str
    value: str
    at: float
    side: Literal["above", "below"]


class Spread(NamedTuple):
    """A histogram of one measured value.

    Args:
        value: Name of the value.
        low: Left edge of the first bin.
        high: Right edge of the last bin.
        counts: Number of records in each of the bins, which have equal width.
        threshold: Threshold of the filter, if it has one for this value.
    """

    value: str
    low: float
    high: float
    counts: tuple[int, ...]
    threshold: Threshold | None


def thresholds_of(stage: Stage) -> list[Threshold]:
    """Return a filter's thresholds, matched to values by `bounds` or by name: `max_ratio` bounds `ratio`."""
    step = stage.step
    if not isinstance(step, Filter):
        return []
    thresholds: list[Threshold] = []
    for setting in sorted(step.thresholds):
        at = getattr(step, setting, None)
        for beginning, side in _SIDES:
            value = step.bounds.get(setting, setting.removeprefix(beginning))
            if setting.startswith(beginning) and value in step.values and isinstance(at, int | float):
                thresholds.append(Threshold(setting, value, float(at), side))
    return thresholds


def spreads_of(space: Workspace, measure: Stage) -> list[Spread]:
    """Return the histograms of the filter's values with thresholds; if there are none, that of its first number."""
    thresholds = thresholds_of(measure)
    numbers = [name for name, kind in measure.values.items() if kind in _NUMBERS]
    wanted = dict.fromkeys([threshold.value for threshold in thresholds if threshold.value in numbers] or numbers[:1])
    spreads: list[Spread] = []
    for value in wanted:
        limit = next((threshold for threshold in thresholds if threshold.value == value), None)
        if (spread := _spread(space, measure, value, limit)) is not None:
            spreads.append(spread)
    return spreads


def _spread(space: Workspace, measure: Stage, value: str, threshold: Threshold | None) -> Spread | None:
    """Return one histogram, or None if there are no measurements; the column is read shard by shard, twice."""
    low, high = np.inf, -np.inf
    for column in _columns(space, measure, value):
        if column.size:
            low, high = min(low, float(column.min())), max(high, float(column.max()))
    if low > high:
        return None
    if threshold is not None:
        low, high = min(low, threshold.at), max(high, threshold.at)
    if low == high:
        high = low + 1
    counts = np.zeros(_BINS, np.int64)
    for column in _columns(space, measure, value):
        counts += np.histogram(column, _BINS, (low, high))[0]
    return Spread(value, low, high, tuple(counts.tolist()), threshold)


def _columns(space: Workspace, measure: Stage, value: str) -> Iterator[np.ndarray]:
    table = StageTable(space, measure.id)
    for marker in table.current():
        rows = table.read(marker, "outcomes", [value])
        if rows is not None:
            column = rows.column(value).drop_null().cast("float64").to_numpy()
            yield column[np.isfinite(column)]
