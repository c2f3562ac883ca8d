"""The command `evaluate leaderboard`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import printable

from .arguments import results_argument

if TYPE_CHECKING:
    from rich.table import Table

    from ..leaderboard.board import Leaderboard


BOARD_FILE = "leaderboard.txt"


@click.command("leaderboard")
@results_argument
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Page to write, one self-contained HTML file.",
)
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Tables for a paper: .tex (LaTeX with booktabs) or .md (Markdown).",
)
@json_option(
    """
    `{"format", "version", "release", "release_id", "split", "settings": {"level", "alpha", "correction", "rule"},
    "chance", "blind_strategy": {"strategy", "accuracy", "ci", "chance", "items", "tried", "beats_chance"},
    "why_no_ranks", "pairs", "pairs_told_apart", "systems": [{"system", "model", "protocol", "rank": [best, worst],
    "groups", "unfit", "outcomes": {"asked", "miss", "refusal", "cut_off", "error", "cut_off_answered",
    "cut_off_empty", "filtered", "empty", "tool_call", "ended": {way: n}, "limit", "limit_of", "subset",
    "causes": [{"state", "cause", "n"}],
    "unfit", "unread", "reading", "judge"}, "accuracy": {"value", "ci", "n", "method"}, "tasks": {task:
    {"rank", "groups", "value", "ci", "n", "method"}}}]}`; systems stand best first, `unread`, `reading` and `judge`
    are as in `evaluate summary`, `rank` is null where `why_no_ranks` says why, and `blind_strategy` where the release
    states none
    """
)
def leaderboard(results: Path, *, out: Path | None, table: Path | None, as_json: bool) -> None:
    """Rank the systems in a folder of results, each with the best and worst rank that paired tests leave possible.

    Tables longer than a screen go to the file leaderboard.txt in the folder of results; the command prints their
    beginning.
    """
    from ..analysis.comparison_output import screenful
    from ..leaderboard.board import leaderboard_of
    from ..leaderboard.page import write_leaderboard
    from ..leaderboard.table_file import write_table
    from ..results.summary import drawn, reading_lines

    board = leaderboard_of(results)
    if out is not None:
        write_leaderboard(board, out)
        note(f"written to {out}")
    if table is not None:
        write_table(board, table)
        note(f"written to {table}")
    if board.why_no_ranks is not None:
        note(board.why_no_ranks)

    def text() -> str:
        lines = reading_lines([row.score for row in board.rows])
        return screenful("\n".join([drawn(board_table(board), names=2), *lines]), results / BOARD_FILE)

    emit(board.document(), as_json=as_json, text=text)


def board_table(board: Leaderboard) -> Table:
    """Return a leaderboard as a table with one line per system, best first.

    Endings that no item has are omitted.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from benchwright.pages import spelled

    from ..results.score import ENDINGS
    from ..results.summary import endings_taken, outcome_counts

    counts = [outcome_counts(row.score) for row in board.rows]
    endings = endings_taken([row.score for row in board.rows])
    table = Table(box=box.SIMPLE_HEAD, title=Text(f"{board.release}: accuracy [95 % interval]"), title_justify="left")
    heads = ("rank", "system", "groups", "accuracy", "items", *(ENDINGS[name] for name in endings), *board.tasks)
    for name in heads:
        table.add_column(Text(name), justify="left" if name == "system" else "right", no_wrap=True)
    for row, ended in zip(board.rows, counts, strict=True):
        tasks = [row.tasks.get(task) for task in board.tasks]
        figure = row.ranked.figure
        cells = (
            "unfit" if row.score.unfit else str(row.ranked.rank or "-"),
            printable(row.score.title),
            row.ranked.groups or "-",
            spelled(figure.value, figure.ci),
            str(figure.n),
            *(ended[name] for name in endings),
            *("-" if figure is None else spelled(figure.value, figure.ci) for figure in tasks),
        )
        table.add_row(*map(Text, cells))
    return table
