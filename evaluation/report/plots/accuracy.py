"""Charts of accuracy by task, with intervals: one chart with all models, or a panel per model if there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchwright.pages import (
    SHARES,
    Chart,
    ChartRow,
    Dot,
    LegendEntry,
    NumberTable,
    Panel,
    ReferenceLine,
    panels_chart,
    rows_chart,
    shortened,
    spelled,
)

from ..content.score_table import ScoreTable

if TYPE_CHECKING:
    from ...results.score import Figure

MOST_IN_ONE_PANEL = 6
MOST_DRAWN = 12
"""Largest number of models in charts by task, taken from the top of the table, which contains all figures."""
_PANELS_A_ROW = 3
_TITLE = "Accuracy by task"


def accuracy_chart(board: ScoreTable) -> Chart:
    """Return the chart of accuracy by task; its intervals are the scores' 95 % intervals."""
    people = " Solid lines show people, gray bands their intervals." if board.who is not None else ""
    caption = (
        "Share of asked items answered right. Bars are 95 % intervals: they cover the error from the choice of "
        "items, not from the wording of questions or the reading of replies. Dashed lines show an even draw among "
        f"the options.{people} A model appears only at tasks that it can take."
    )
    if len(board.lines) <= MOST_IN_ONE_PANEL:
        return rows_chart(
            "accuracy", _TITLE, _rows(board), SHARES, caption=caption, legend=_legend(board), numbers=_numbers(board)
        )
    panels = [
        Panel(line.label, [_row(board, k, [Dot(*_value(line.figures[k]))]) for k in range(len(board.columns))])
        for line in board.lines[:MOST_DRAWN]
    ]
    return panels_chart(
        "accuracy",
        _TITLE,
        panels,
        SHARES,
        per_row=_PANELS_A_ROW,
        caption=f"{caption} One panel for each {drawn_models(board)}.",
        legend=[LegendEntry("the panel's model", 0), *_references(board)],
        numbers=_numbers(board),
    )


def drawn_models(board: ScoreTable) -> str:
    """Return text about the models that the charts by task show, after a word such as `each`."""
    count = len(board.lines)
    return "model" if count <= MOST_DRAWN else f"of the first {MOST_DRAWN} of {count} models in the table"


def bars_chart(board: ScoreTable, *, name: str, title: str, more: str = "") -> Chart:
    """Return a bar chart, with values, of a table whose columns are not tasks but, for example, levels.

    Args:
        board: Table with no more models than fit into one panel.
        name: Name of the chart, unique on the page.
        title: Title of the chart, in one line.
        more: Text at the end of the caption; default empty.
    """
    people = " Solid lines show people." if any(figure is not None for figure in board.people) else ""
    caption = (
        "Share of the items with each label answered right, with 95 % intervals; the first row covers all asked "
        f"items. Dashed lines show an even draw among the options.{people}{more}"
    )
    rows = _rows(board, with_bars=True)
    return rows_chart(name, title, rows, SHARES, caption=caption, legend=_legend(board), numbers=_numbers(board))


def _rows(board: ScoreTable, *, with_bars: bool = False) -> list[ChartRow]:
    return [
        _row(
            board,
            k,
            [
                Dot(*_value(line.figures[k]), series, with_bars)
                for series, line in enumerate(board.lines)
                if line.figures[k] is not None
            ],
        )
        for k in range(len(board.columns))
    ]


def _row(board: ScoreTable, k: int, dots: Sequence[Dot]) -> ChartRow:
    return ChartRow(board.columns[k], dots=dots, lines=list(_lines(board, k)))


def _lines(board: ScoreTable, k: int) -> Iterator[ReferenceLine]:
    """Yield lines for chance and people in the row of a column."""
    if (chance := board.chance[k]) is not None and chance.value is not None:
        yield ReferenceLine("chance", chance.value)
    if (people := board.people[k]) is not None and people.value is not None:
        yield ReferenceLine("people", people.value, people.ci)


def _value(figure: Figure | None) -> tuple[float | None, tuple[float, float] | None]:
    return (None, None) if figure is None else (figure.value, figure.ci)


def _legend(board: ScoreTable) -> list[LegendEntry]:
    names = shortened([line.label for line in board.lines], at_most=36)
    return [LegendEntry(name, series) for series, name in enumerate(names)] + _references(board)


def _references(board: ScoreTable) -> list[LegendEntry]:
    return [LegendEntry("chance", "chance")] + (
        [] if board.who is None else [LegendEntry(people_words(board), "people")]
    )


def people_words(board: ScoreTable) -> str:
    """Return the name for people in charts, marked if they are simulated."""
    return "people (simulated)" if board.who is not None and board.who.simulated else "people"


def _numbers(board: ScoreTable) -> NumberTable:
    """Return one row per column of the table, with the figure of each model, of chance and of people."""
    people = [] if board.who is None else [people_words(board)]
    head = ("", *(line.label for line in board.lines), "chance", *people)
    rows = [
        (
            column,
            *(_spelled(line.figures[k]) for line in board.lines),
            _spelled(board.chance[k]),
            *(_spelled(board.people[k]) for _ in people),
        )
        for k, column in enumerate(board.columns)
    ]
    return NumberTable(head, rows)


def _spelled(figure: Figure | None) -> str:
    return spelled(*_value(figure))
