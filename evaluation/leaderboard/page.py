"""The page of a leaderboard: one self-contained HTML file with light and dark modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchwright.pages import SHARES, Chart, ChartRow, Dot, NumberTable, ReferenceLine, page_pieces, rows_chart, spelled
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import replacing

from ..analysis.comparison import ALPHA
from ..analysis.ranking import shortened_groups
from ..results.score import ENDINGS, Figure, Score
from ..results.summary import endings_taken, endings_without_item, outcome_counts, unanswered_words
from .board import Leaderboard

_GENERATOR = "benchwright evaluate leaderboard"
TEMPLATES = Path(__file__).parent / "templates"


def write_leaderboard(board: Leaderboard, path: Path) -> None:
    """Write the page of a leaderboard; equal leaderboards give identical bytes.

    Raises:
        StorageError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft, draft.open("w", encoding="utf-8") as handle:
        handle.writelines(_leaderboard_html(board))


def _leaderboard_html(board: Leaderboard) -> Iterator[str]:
    """Yield the HTML of a leaderboard in pieces."""
    remarks = [(row.score.title, words) for row in board.rows for words in _remarks(row.score)]
    scores = [row.score for row in board.rows]
    values = {
        "board": board,
        "chart": _accuracy_chart(board),
        "alpha": ALPHA,
        "endings": {name: ENDINGS[name] for name in endings_taken(scores)},
        "untaken": endings_without_item(scores),
        "remarks": remarks,
    }
    return page_pieces(
        TEMPLATES, "leaderboard.html", values, generator=_GENERATOR, style="leaderboard.css", filters=board_filters()
    )


def board_filters() -> dict[str, Callable[..., Any]]:
    """Return the filters needed by templates that contain a leaderboard's table."""
    return {
        "task": lambda task: task.replace("_", " "),
        "figure": _figure,
        "outcomes": outcome_counts,
        "unanswered": unanswered_words,
        "groups": shortened_groups,
        "place": lambda row: "unfit" if row.score.unfit else str(row.ranked.rank or "–"),
    }


def _remarks(score: Score) -> Iterator[str]:
    """Yield remarks on replies that gave no answer or could not be read."""
    if score.causes:
        yield f"without an answer: {'; '.join(score.described_causes())}"
    yield from score.described_reading()


def _accuracy_chart(board: Leaderboard) -> Chart:
    """Return the chart of accuracies, with chance and a row per system, best first, with its 95 % interval."""
    chance = [] if board.chance is None else [ReferenceLine("chance", board.chance)]
    rows = [
        ChartRow(printable(row.score.title), dots=[Dot(row.ranked.figure.value, row.ranked.figure.ci)], lines=chance)
        for row in board.rows
    ]
    numbers = [[printable(row.score.title), _figure(row.ranked.figure), str(row.ranked.figure.n)] for row in board.rows]
    return rows_chart(
        "accuracy",
        "Accuracy",
        rows,
        SHARES,
        caption="Accuracy over all asked items, with 95 % intervals; the dashed line shows chance.",
        numbers=NumberTable(("system", "accuracy", "items"), numbers),
    )


def _figure(figure: Figure) -> str:
    return spelled(figure.value, figure.ci)
