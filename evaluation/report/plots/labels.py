"""Accuracy by the labels of items: a bar chart for each label, such as level or domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ...results.score import Figure
from ..content.score_table import ScoreRow, ScoreTable
from .accuracy import MOST_IN_ONE_PANEL, bars_chart

if TYPE_CHECKING:
    from benchwright.pages import Chart

    from ..content.label_sums import LabelSums, Sums

_PREFIX = "accuracy_by/"
_MOST_LABELS, _MOST_VALUES, _MOST_MODELS = 8, 24, MOST_IN_ONE_PANEL
"""Largest numbers of labels, values and models in charts; the data next to the page include all of them."""


def label_charts(board: ScoreTable, sums: LabelSums) -> Iterator[Chart]:
    """Yield a chart for each of the first labels that have few enough values."""
    values_by_label = labels_of(board)
    drawn = [label for label, values in values_by_label.items() if len(values) <= _MOST_VALUES][:_MOST_LABELS]
    for number, label in enumerate(drawn):
        values = values_by_label[label]
        left = len(board.lines) - _MOST_MODELS
        more = f" The plot shows the {_MOST_MODELS} best models; the data next to the page has all." if left > 0 else ""
        yield bars_chart(
            _board_of(board, label, values, sums.of(label)),
            name=f"label-{number}",
            title=f"Accuracy by {label}",
            more=more,
        )


def labels_of(board: ScoreTable) -> dict[str, list[str]]:
    """Return the labels for which any score has accuracies, each with its values, both sorted."""
    values_by_label: dict[str, set[str]] = {}
    for line in board.lines:
        for name in line.score.metrics:
            if name.startswith(_PREFIX):
                label, _, value = name.removeprefix(_PREFIX).partition("/")
                values_by_label.setdefault(label, set()).add(value)
    return {label: sorted(values) for label, values in sorted(values_by_label.items())}


def _board_of(board: ScoreTable, label: str, values: Sequence[str], sums: Mapping[str, Sums]) -> ScoreTable:
    """Return a table whose columns are the values of a label, with the best models as rows."""
    best = sorted(board.lines, key=lambda line: -(_value(line) or 0.0))[:_MOST_MODELS]
    lines = tuple(
        line._replace(
            figures=(line.figures[0], *(line.score.metrics.get(f"{_PREFIX}{label}/{value}") for value in values))
        )
        for line in board.lines
        if line in best
    )
    label_sums = [sums.get(value) for value in values]
    chance = [
        None
        if sums_of_value is None
        else Figure(value=sums_of_value.chance / sums_of_value.items, ci=None, n=sums_of_value.items)
        for sums_of_value in label_sums
    ]
    people = [
        None
        if sums_of_value is None or not sums_of_value.asked
        else Figure(value=sums_of_value.right / sums_of_value.asked, ci=None, n=sums_of_value.asked)
        for sums_of_value in label_sums
    ]
    return board._replace(
        tasks=tuple(values), lines=lines, chance=(board.chance[0], *chance), people=(board.people[0], *people)
    )


def _value(line: ScoreRow) -> float | None:
    return None if line.figures[0] is None else line.figures[0].value
