"""The page about a benchmark's health: one self-contained HTML file with light and dark modes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.pages import (
    SHARES,
    Chart,
    ChartRow,
    Column,
    Dot,
    Look,
    NumberTable,
    ReferenceLine,
    Scale,
    columns_chart,
    page_pieces,
    rows_chart,
    spelled,
)
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import replacing

from .actions import ACTIONS
from .scopes import STATES
from .signs import TITLES
from .summary import ceiling_words, discrimination_words, no_advice_words, tasks_words

if TYPE_CHECKING:
    from ..results.score import Figure
    from .health import Health

GENERATOR = "benchwright evaluate health"
_TEMPLATES = Path(__file__).parent / "templates"
_MOST_ADVICE, _MOST_SUSPECTS, _MOST_MODELS = 300, 30, 30
"""Largest numbers of lines in the page's tables; the JSON document and the `--out` file contain all lines."""


def write_health(health: Health, path: Path) -> None:
    """Write the page; equal health gives identical bytes.

    Raises:
        StorageError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft, draft.open("w", encoding="utf-8", errors="backslashreplace") as handle:
        handle.writelines(_pieces(health))


def _pieces(health: Health) -> Iterator[str]:
    values = {
        "health": health,
        "whole": health.whole,
        "ceiling": ceiling_words(health.whole),
        "discrimination": discrimination_words(health.whole),
        "tasks_words": tasks_words(health.tasks),
        "no_advice_words": no_advice_words(health.tasks),
        "states": STATES,
        "titles": TITLES,
        "actions": ACTIONS,
        "counts": health.items_by_action(),
        "charts": [chart for chart in (_tasks_chart(health), _difficulty_chart(health), _trend(health)) if chart],
        "advice_tasks": [each for each in health.advice if each.kind == "task"],
        "advice_items": [each for each in health.advice if each.kind == "item"],
        "most_advice": _MOST_ADVICE,
        "most_suspects": _MOST_SUSPECTS,
        "most_models": _MOST_MODELS,
    }
    filters: dict[str, Any] = {
        "task": lambda task: task.replace("_", " "),
        "figure": _figure,
        "two": lambda value: "–" if value is None else f"{value:.2f}",
        "share": lambda value: "–" if value is None else f"{value:.0%}",
        "whole_number": lambda value: "–" if value is None else f"{value:,.0f}",
    }
    return page_pieces(_TEMPLATES, "health.html", values, generator=GENERATOR, style="health.css", filters=filters)


def _figure(figure: Figure | None) -> str:
    return "–" if figure is None else spelled(figure.value, figure.ci)


def _tasks_chart(health: Health) -> Chart | None:
    """Return the chart of the better half of the systems on each task, together with chance and people."""
    rows, numbers = [], []
    for scope in health.tasks:
        figure = scope.better_half
        if figure is None:
            continue
        lines = [ReferenceLine("chance", scope.chance)]
        if scope.people is not None and scope.people.value is not None:
            lines.append(ReferenceLine("people", scope.people.value, scope.people.ci))
        name, note = printable(scope.task).replace("_", " "), STATES[scope.state]
        rows.append(ChartRow(name, dots=[Dot(figure.value, figure.ci)], lines=lines, note=note))
        numbers.append([name, _figure(figure), f"{scope.chance:.2f}", note])
    if not rows:
        return None
    return rows_chart(
        "tasks",
        "Room for improvement in each task",
        rows,
        SHARES,
        caption="Mean accuracy of the better half of the systems, with 95 % intervals over clusters of items; "
        "dashed lines show chance" + ("." if not health.whole.people else ", solid lines show people."),
        numbers=NumberTable(("task", "better half of the systems", "chance", "state"), numbers),
    )


def _difficulty_chart(health: Health) -> Chart | None:
    """Return the chart of items by the number of systems that answer them correctly."""
    import numpy as np

    sheet = health.runs.sheet.of_models(health.runs.systems)
    systems = len(sheet.scores)
    asked = sheet.asked.sum(axis=0)
    if systems < 2 or not (asked == systems).any():
        return None
    counts = np.bincount(sheet.right.sum(axis=0)[asked == systems], minlength=systems + 1)
    columns = [
        Column(k - 0.4, k + 0.4, int(n), Look("wrong" if k in (0, systems) else "right"), str(k))
        for k, n in enumerate(counts.tolist())
    ]
    step = max(1, systems // 12)
    ticks = [(float(k), str(k)) for k in range(0, systems + 1, step)]
    return columns_chart(
        "difficulty",
        "Items by how many systems are right",
        columns,
        Scale(-0.5, systems + 0.5, ticks, "systems that have the item right"),
        counted="items",
        measured="systems right",
        caption="Gray columns are items that all systems have right, or none: they tell no two systems apart.",
        has_counts=systems <= 20,
    )


def _trend(health: Health) -> Chart | None:
    """Return the chart of systems by date, or None if there are fewer than two dates."""
    if len({system.date for system in health.dated}) < 2:
        return None
    rows = [
        ChartRow(
            f"{system.date.isoformat()} {printable(system.system)}",
            dots=[Dot(system.accuracy, None, 0 if system.is_best else 7)],
            lines=[ReferenceLine("chance", health.whole.chance)],
            note="best so far" if system.is_best else "",
        )
        for system in health.dated
    ]
    numbers = [[row.name, spelled(row.dots[0].value, None), row.note] for row in rows]
    return rows_chart(
        "trend",
        "Systems by date",
        rows,
        SHARES,
        caption="Accuracy of each system by its stated date, the earliest first; the dashed line shows chance.",
        numbers=NumberTable(("system", "accuracy", ""), numbers),
    )
