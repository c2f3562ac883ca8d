"""Profile across tasks: a grid of accuracies with a row for each task and a column for each model.

It is not a radar chart, in which areas depend on the order of the tasks, a model with only two tasks cannot be shown,
and the polygons of more than a few models cannot be distinguished.
"""

from __future__ import annotations

from benchwright.pages import Chart, grid_chart

from ..content.score_table import ScoreTable
from .accuracy import MOST_DRAWN, drawn_models, people_words

_FEWEST_TASKS = 3
_TITLE = "Profile over tasks"


def profile_chart(board: ScoreTable) -> Chart | None:
    """Return the chart, or None for fewer than three tasks, which the chart of accuracy shows just as well."""
    if len(board.tasks) < _FEWEST_TASKS:
        return None
    people = [] if board.who is None else [(people_words(board), board.people)]
    profiles = [(line.label, line.figures) for line in board.lines[:MOST_DRAWN]] + [("chance", board.chance), *people]
    rows = [
        (task, [None if (figure := figures[k]) is None else figure.value for _, figures in profiles])
        for k, task in enumerate(board.tasks, start=1)
    ]
    caption = (
        f"Accuracy on each task, a column for each {drawn_models(board)}; darker is higher. A dash marks a task that "
        "the model cannot take. The chart above has the intervals: with few items, a weak cell may be chance."
    )
    return grid_chart("profile", _TITLE, [name for name, _ in profiles], rows, caption=caption, corner="task")
