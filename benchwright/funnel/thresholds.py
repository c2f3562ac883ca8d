"""How what a filter measured is spread, and where its threshold lies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import pyarrow.compute as pc

from benchwright.funnel.markup import number, safe
from benchwright.steps import Filter
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

BINS = 48
_NUMBERS = {"int64", "float64", "uint64"}
_SIDES: tuple[tuple[str, Literal["above", "below"]], ...] = (("max_", "above"), ("min_", "below"))


class Threshold(NamedTuple):
    """Where a filter draws the line: records on `side` of `at` are dropped or asked about."""

    setting: str
    value: str
    at: float
    side: Literal["above", "below"]


class Spread(NamedTuple):
    """A histogram of one measured value.

    Args:
        value: Its name.
        low: Left edge of the first bin.
        high: Right edge of the last one.
        counts: Records in each of the equal bins.
        threshold: Where the filter draws the line, if it does by this value.
    """

    value: str
    low: float
    high: float
    counts: tuple[int, ...]
    threshold: Threshold | None


def thresholds_of(stage: Stage) -> list[Threshold]:
    """Return a filter's thresholds that belong to a value by name: `max_ratio` or `min_ratio` to `ratio`."""
    step = stage.step
    if not isinstance(step, Filter):
        return []
    found: list[Threshold] = []
    for setting in sorted(step.thresholds):
        at = getattr(step, setting, None)
        for beginning, side in _SIDES:
            value = setting.removeprefix(beginning)
            if setting.startswith(beginning) and value in step.values and isinstance(at, int | float):
                found.append(Threshold(setting, value, float(at), side))
    return found


def spreads_of(space: Workspace, measure: Stage) -> list[Spread]:
    """Return the histograms of a filter's values that it has thresholds for; else of its first number."""
    thresholds = thresholds_of(measure)
    numbers = [name for name, kind in measure.values.items() if kind in _NUMBERS]
    wanted = dict.fromkeys([one.value for one in thresholds if one.value in numbers] or numbers[:1])
    found: list[Spread] = []
    for value in wanted:
        limit = next((one for one in thresholds if one.value == value), None)
        if (spread := _spread(space, measure, value, limit)) is not None:
            found.append(spread)
    return found


def _spread(space: Workspace, measure: Stage, value: str, threshold: Threshold | None) -> Spread | None:
    """Return one histogram, or None where nothing was measured; reads one shard's column at a time, twice."""
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
    counts = np.zeros(BINS, np.int64)
    for column in _columns(space, measure, value):
        counts += np.histogram(column, BINS, (low, high))[0]
    return Spread(value, low, high, tuple(counts.tolist()), threshold)


def _columns(space: Workspace, measure: Stage, value: str) -> Iterator[np.ndarray]:
    table = StageTable(space, measure.id)
    for marker in table.current():
        rows = table.read(marker, "outcomes", [value])
        if rows is not None:
            column = pc.cast(rows.column(value).drop_null(), "float64").to_numpy()
            yield column[np.isfinite(column)]


_WIDTH, _HEIGHT, _BOTTOM = 620.0, 170.0, 30.0
_TOP = 22.0


def spread_plot(spread: Spread, *, title: str) -> str:
    """Return an SVG histogram; heights are square roots of counts, so that single records show beside thousands."""
    return "".join(
        [
            f'<svg class="spread" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{safe(title)}">',
            *_bars(spread),
            f'<line class="s-axis" x1="0" x2="{_WIDTH:g}" y1="{_HEIGHT - _BOTTOM:g}" y2="{_HEIGHT - _BOTTOM:g}"/>',
            _tick(spread.low, 0, "start"),
            _tick(spread.high, _WIDTH, "end"),
            *_line(spread),
            "</svg>",
        ]
    )


def _bars(spread: Spread) -> Iterator[str]:
    most = math.sqrt(max(spread.counts) or 1)
    step = _WIDTH / len(spread.counts)
    size = (spread.high - spread.low) / len(spread.counts)
    for place, n in enumerate(spread.counts):
        if not n:
            continue
        low = spread.low + place * size
        height = max(1.5, math.sqrt(n) / most * (_HEIGHT - _BOTTOM - _TOP))
        yield (
            f'<rect class="{_look(spread, low + size / 2)}" x="{place * step + 0.5:.1f}" width="{step - 1:.1f}" '
            f'y="{_HEIGHT - _BOTTOM - height:.1f}" height="{height:.1f}">'
            f"<title>{number(low)} to {number(low + size)}: {number(n)}</title></rect>"
        )


def _look(spread: Spread, middle: float) -> str:
    limit = spread.threshold
    if limit is None:
        return "f-keep"
    beyond = middle > limit.at if limit.side == "above" else middle < limit.at
    return "f-drop" if beyond else "f-keep"


def _x(spread: Spread, value: float) -> float:
    return (value - spread.low) / (spread.high - spread.low) * _WIDTH


def _tick(value: float, x: float, anchor: str) -> str:
    return f'<text class="s-tick" x="{x:g}" y="{_HEIGHT - 10:g}" text-anchor="{anchor}">{number(float(value))}</text>'


def _line(spread: Spread) -> Iterator[str]:
    limit = spread.threshold
    if limit is None:
        return
    x = _x(spread, limit.at)
    anchor = "end" if x > _WIDTH / 2 else "start"
    yield f'<line class="s-line" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{_HEIGHT - _BOTTOM:g}"/>'
    yield (
        f'<text class="s-limit" x="{x + (-6 if anchor == "end" else 6):.1f}" y="14" text-anchor="{anchor}">'
        f"{safe(limit.setting)} {number(limit.at)}</text>"
    )
