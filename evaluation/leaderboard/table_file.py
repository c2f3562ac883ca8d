"""A leaderboard as tables for a paper or a README: LaTeX with booktabs, or Markdown.

The first table has a row for each system: rank, groups, accuracy with its 95 % interval, and number of items. The
second has the accuracy on each task, with a column for each system or each task, whichever are fewer. Every figure that
no other figure significantly exceeds is bold. This is more informative than marking the largest figure: several figures
are bold if the items cannot distinguish them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.pages import spelled
from benchwright.release.card.markdown import cell, table
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import replacing

from ..analysis.comparison_output import RULE
from ..analysis.ranking import Rank
from ..results.score import Figure
from .board import BoardRow, Leaderboard

SUFFIXES = (".tex", ".md")
_BOLD = "Bold: no system is found to be better."
_COLUMNS = 6
"""Largest number of columns of figures in a table by task; further columns continue in additional tables."""


class _PaperCell(NamedTuple):
    """The text of a table cell, and whether it is bold."""

    text: str
    is_bold: bool = False


class _PaperTable(NamedTuple):
    """A table: caption, headings, rows of cells, and the number of leading columns that contain text."""

    caption: str
    heads: Sequence[str]
    lines: Sequence[Sequence[_PaperCell]]
    texts: int


def write_table(board: Leaderboard, path: Path) -> None:
    """Write a leaderboard as LaTeX (`.tex`) or Markdown (`.md`), depending on the path's suffix; replaces the file.

    Raises:
        BenchwrightError: The path has another suffix.
        StorageError: The file cannot be written.
    """
    drawings: dict[str, Callable[[_PaperTable], str]] = {".tex": _latex, ".md": _markdown}
    if path.suffix.lower() not in drawings:
        raise BenchwrightError(
            f"{path.name} ends neither in {' nor in '.join(SUFFIXES)}; choose the format by one of these suffixes"
        )
    drawn = drawings[path.suffix.lower()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft:
        draft.write_text("\n\n".join(map(drawn, _tables(board))) + "\n", encoding="utf-8")


def _tables(board: Leaderboard) -> list[_PaperTable]:
    of = f"{board.release}" + (f", split {board.split}" if board.split else "")
    chance = "" if board.chance is None else f" Chance: {board.chance:.2f}."
    why = RULE if board.why_no_ranks is None else f"No ranks: {board.why_no_ranks}."
    lines = [
        [
            _PaperCell("unfit" if row.score.unfit else str(row.ranked.rank or "–")),
            _PaperCell(printable(row.score.title)),
            _PaperCell(row.ranked.groups or "–"),
            _figure(row.ranked.figure, row.ranked.rank),
            _PaperCell(f"{row.ranked.figure.n:,}"),
        ]
        for row in board.rows
    ]
    heads = ("rank", "system", "groups", "accuracy", "items")
    first = _PaperTable(f"Accuracy [95 % interval] on {of}.{chance} {_BOLD} {why}", heads, lines, 3)
    return [first, *_by_task(board, of)] if len(board.tasks) > 1 else [first]


def _by_task(board: Leaderboard, of: str) -> list[_PaperTable]:
    """Return the accuracies on each task, in as many tables as needed for their columns."""
    names = [printable(row.score.title) for row in board.rows]
    tasks = [task.replace("_", " ") for task in board.tasks]
    figures = [[_of_task(row, task) for task in board.tasks] for row in board.rows]
    if len(tasks) <= len(names):
        first, columns, lines, body = "system", tasks, names, figures
    else:
        first, columns, lines = "task", names, tasks
        body = [list(column) for column in zip(*figures, strict=True)]
    return [
        _PaperTable(
            f"Accuracy by task [95 % interval] on {of}. {_BOLD}",
            (first, *columns[start : start + _COLUMNS]),
            [[_PaperCell(name), *cells[start : start + _COLUMNS]] for name, cells in zip(lines, body, strict=True)],
            1,
        )
        for start in range(0, len(columns), _COLUMNS)
    ]


def _of_task(row: BoardRow, task: str) -> _PaperCell:
    figure = row.tasks.get(task)
    return _PaperCell("–") if figure is None else _figure(figure, row.task_ranks[task])


def _figure(figure: Figure, rank: Rank | None) -> _PaperCell:
    return _PaperCell(spelled(figure.value, figure.ci), rank is not None and rank.best == 1)


def _markdown(drawn: _PaperTable) -> str:
    def marked(of: _PaperCell) -> str:
        return f"**{cell(of.text)}**" if of.is_bold else cell(of.text)

    return (
        f"{cell(drawn.caption)}\n\n{table([*map(cell, drawn.heads)], [[*map(marked, line)] for line in drawn.lines])}"
    )


def _latex(drawn: _PaperTable) -> str:
    def marked(of: _PaperCell) -> str:
        return rf"\textbf{{{_escaped(of.text)}}}" if of.is_bold else _escaped(of.text)

    columns = "l" * drawn.texts + "r" * (len(drawn.heads) - drawn.texts)
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escaped(drawn.caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(_escaped, drawn.heads)) + r" \\",
        r"\midrule",
        *(" & ".join(map(marked, line)) + r" \\" for line in drawn.lines),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "[": "{[}",  # after \\ a bracket would be its argument
    "]": "{]}",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def _escaped(text: str) -> str:
    """Return a text escaped for LaTeX."""
    return re.sub(r"[\\~^–\[\]&%$#_{}]", lambda match: _SPECIAL[match[0]], " ".join(text.split()))
