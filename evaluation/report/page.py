"""The page: a template filled with the collected items and figures, written in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.pages import Chart, page_pieces, spelled
from benchwright.statistics.proportions import METHODS
from benchwright.texts.hidden_characters import escaped

from ..analysis.difference_matrix import difference_matrix
from ..analysis.ranking import shortened_groups
from ..results.score import ENDINGS
from ..results.summary import endings_taken, endings_without_item, outcome_counts, unanswered_words
from .content.cards import OUTCOMES
from .content.head import head_of
from .content.legible import legible
from .content.pairs import pair_rows
from .content.score_table import cost_rows, methods_of, more_columns
from .gathering import script_json
from .plots.accuracy import accuracy_chart
from .plots.difficulty import difficulty_chart
from .plots.discrimination import discrimination_chart
from .plots.errors import error_chart, error_section
from .plots.knowledge import COLUMNS as KNOWLEDGE_COLUMNS
from .plots.knowledge import knowledge_chart, knowledge_rows
from .plots.labels import label_charts
from .plots.outcomes import outcome_chart
from .plots.profile import profile_chart

if TYPE_CHECKING:
    import numpy as np
    from markupsafe import Markup
    from numpy.typing import NDArray

    from benchwright.release import Release
    from benchwright.review_files.findings import Findings

    from ..analysis.comparison import Comparison
    from ..item_response.fitting import ItemResponses
    from ..results.score import Figure, Score
    from .content.label_sums import LabelSums
    from .content.pairs import PairLine
    from .content.people import PeopleTable
    from .content.reference_points import ReferencePoints
    from .content.score_table import ScoreTable
    from .gathering import GatheredItems, Spool

GENERATOR = "benchwright evaluate report"
_TEMPLATES = Path(__file__).parent / "templates"


_MOST_ON_PAPER = 10
"""Largest number of columns of figures in a printed table; further columns continue in additional tables."""


class PageContents(NamedTuple):
    """The contents of a page.

    Args:
        release: Release on which the models were scored.
        board: Table of scores.
        pairs: Comparisons of two models, item by item.
        comparison: Comparison over all tasks, from which the pairs are taken.
        people: Figures of individual people, and of models on the same items.
        reference_points: Chance, cheats, specialists and people by task; empty if there are no specialists or cheats.
        sums: Sums of chance and people by label.
        difficulty: Proportion of models that answer each item correctly; NaN if none was asked.
        fitted: Item response model of the models; None if there are too few models.
        findings: Findings of an error analysis; None if there is none.
        gathered: Items as gathered for the page.
        max_side_px: Longest side of a picture, in pixels.
    """

    release: Release
    board: ScoreTable
    pairs: Sequence[PairLine]
    comparison: Comparison
    people: Sequence[PeopleTable]
    reference_points: Sequence[ReferencePoints]
    sums: LabelSums
    difficulty: NDArray[np.float64]
    fitted: ItemResponses | None
    findings: Findings | None
    gathered: GatheredItems
    max_side_px: int


def write_page(path: Path, shown: PageContents, spool: Spool) -> None:
    """Write the page, copying pictures and cards from the spool without holding them in memory.

    Raises:
        OSError: The page cannot be written.
    """
    from markupsafe import Markup

    board = shown.board
    values = {
        "head": head_of(shown.release, board.lines[0].score),
        "board": board,
        "lines": [_line(board, k) for k in range(len(board.lines))],
        "endings": {name: ENDINGS[name] for name in endings_taken([line.score for line in board.lines])},
        "untaken": endings_without_item([line.score for line in board.lines]),
        "differences": difference_matrix(shown.comparison),
        "columns": [_column(board, k) for k in range(len(board.columns))],
        "more": more_columns([line.score for line in board.lines]),
        "below": [_below(board, k) for k in range(len(board.below))],
        "charts": _charts(shown),
        "knowledge": knowledge_rows(board),
        "knowledge_columns": [name for name, _ in KNOWLEDGE_COLUMNS],
        "costs": cost_rows(board),
        "people": shown.people,
        "reference_points": shown.reference_points,
        "pairs": pair_rows(shown.pairs),
        "all_pairs": len(shown.pairs),
        "errors": None if shown.findings is None else error_section(shown.findings),
        "gathered": shown.gathered,
        "outcomes": OUTCOMES,
        "methods": methods_of(board),
        "max_side_px": shown.max_side_px,
        "most_on_paper": _MOST_ON_PAPER,
        "settings": Markup(script_json(_settings(board))),  # noqa: S704 - escaped
        "cards": map(Markup, spool.read("cards")),
        "pictures": map(Markup, spool.read("pictures")),
        "defs": map(Markup, spool.read("defs")),
    }
    filters = {
        "two": lambda value: f"{value:.2f}",
        "signed": lambda value: f"{value:+.2f}".replace("-", "\u2212"),
        "breakable": _breakable,
        "groups": shortened_groups,
        "spelled_figure": lambda figure: "–" if figure is None else spelled(figure.value, figure.ci),
        "method": lambda method: METHODS.get(method, "as the metric states it"),
    }
    pieces = page_pieces(
        _TEMPLATES,
        "page.html",
        values,
        generator=GENERATOR,
        style="report.css",
        script="report.js",
        has_formulas=True,
        filters=filters,
    )
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as page:
        page.writelines(pieces)


def _charts(shown: PageContents) -> list[Chart]:
    board = shown.board
    charts = (
        accuracy_chart(board),
        profile_chart(board),
        outcome_chart(board),
        knowledge_chart(board),
        *label_charts(board, shown.sums),
        difficulty_chart(shown.difficulty, len(board.lines)),
        discrimination_chart(shown.fitted),
        None if shown.findings is None else error_chart(shown.findings),
    )
    return [chart for chart in charts if chart is not None]


def _line(board: ScoreTable, number: int) -> Mapping[str, Any]:
    line = board.lines[number]
    return {
        "model": legible(line.model),
        "rank": line.rank,
        "groups": line.groups,
        "cells": [
            {"figure": figure, "best": best, "n": _own_n(figure, board.chance[k])}
            for k, (figure, best) in enumerate(zip(line.figures, line.best, strict=True))
        ],
        "ended": line.score.ended,
        "counts_in_words": outcome_counts(line.score),
        "unfit": line.score.why_unfit() if line.score.unfit else None,
        "unanswered": unanswered_words(line.score),
        "remarks": list(_remarks(line.score)),
    }


def _breakable(name: str) -> Markup:
    """Return an escaped name with possible line breaks after its underscores."""
    from markupsafe import Markup

    return Markup("_<wbr>").join(escaped(name).split("_"))


def _remarks(score: Score) -> Iterator[str]:
    """Yield sentences on replies that gave no answer or could not be read."""
    if score.unfit:
        yield f"is unfit: {score.why_unfit()}."
    if score.causes:
        yield f"without an answer: {legible('; '.join(score.described_causes()))}."
    for words in score.described_reading():
        yield f"{words}."


def _own_n(figure: Figure | None, chance: Figure | None) -> int | None:
    """Return the number of items behind a figure, or None if it equals the number in the column's heading."""
    return figure.n if figure is not None and (chance is None or chance.n != figure.n) else None


def _column(board: ScoreTable, k: int) -> Mapping[str, Any]:
    chance = board.chance[k]
    return {"name": board.columns[k], "n": None if chance is None else chance.n, "chance": chance}


def _below(board: ScoreTable, number: int) -> Mapping[str, Any]:
    name, figures = board.below[number]
    cells = [
        {"figure": figure, "n": _own_n(figure, chance)} for figure, chance in zip(figures, board.chance, strict=True)
    ]
    return {"name": legible(name), "cells": cells}


def _settings(board: ScoreTable) -> Mapping[str, Any]:
    return {
        "models": [legible(line.model) for line in board.lines],
        "outcomes": {name: {"symbol": symbol, "words": words} for name, (symbol, words) in OUTCOMES.items()},
    }
