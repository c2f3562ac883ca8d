"""The page: a template filled with what was gathered, written piece by piece."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..statistics import METHODS
from .accuracy_plot import accuracy_plot
from .board import board_of, methods_of, outcomes_of
from .cards import OUTCOMES, legible
from .gathering import script_json
from .head import head_of
from .outcome_plot import outcome_plot
from .radar_plot import radar_plot

if TYPE_CHECKING:
    from benchwright.release import Release

    from ..comparison.comparing import Ranked
    from ..score import Figure, Score
    from .board import Board, People
    from .gathering import Gathered, Spool

GENERATOR = "benchwright evaluate report"
_TEMPLATES = Path(__file__).parent / "templates"


def write_page(
    path: Path,
    release: Release,
    scores: Sequence[Score],
    who: People | None,
    ranking: Sequence[Ranked],
    gathered: Gathered,
    spool: Spool,
    *,
    max_side_px: int,
) -> None:
    """Write the page; pictures and cards pass from the spool into it without being held in memory.

    Raises:
        OSError: It cannot be written.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    board = board_of(scores, who, ranking)
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["two"] = lambda value: f"{value:.2f}"
    environment.filters["method"] = lambda method: METHODS.get(method, "as the metric states it")
    script, style = ((_TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.js", "report.css"))
    plots = [plot for plot in (accuracy_plot(board), radar_plot(board), outcome_plot(board)) if plot is not None]
    context = {
        "generator": GENERATOR,
        "policy": _policy(script),
        "style": Markup(style),  # noqa: S704 - ours
        "script": Markup(script),  # noqa: S704 - ours
        "head": head_of(release, scores[0]),
        "board": board,
        "lines": [_line(board, k) for k in range(len(board.lines))],
        "columns": [_column(board, k) for k in range(len(board.columns))],
        "below": [_below(board, k) for k in range(len(board.below))],
        "plots": [plot._replace(svg=Markup(plot.svg)) for plot in plots],  # noqa: S704 - user's text is escaped in it
        "gathered": gathered,
        "outcomes": OUTCOMES,
        "methods": methods_of(board),
        "max_side_px": max_side_px,
        "settings": Markup(script_json(_settings(board))),  # noqa: S704 - escaped
        "cards": map(Markup, spool.read("cards")),
        "pictures": map(Markup, spool.read("pictures")),
        "defs": map(Markup, spool.read("defs")),
    }
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as page:
        for piece in environment.get_template("page.html").generate(context):
            page.write(piece)


def _policy(script: str) -> str:
    """Return a policy under which the page can fetch nothing, and nothing but our script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _line(board: Board, number: int) -> Mapping[str, Any]:
    line = board.lines[number]
    right, wrong, miss, refusal, error = outcomes_of(board)[number]
    return {
        "model": legible(line.model),
        "rank": line.rank,
        "cells": [
            {"figure": figure, "best": best, "n": _own_n(figure, board.chance[k])}
            for k, (figure, best) in enumerate(zip(line.figures, line.best, strict=True))
        ],
        "counts": {"right": right, "wrong": wrong, "miss": miss, "refusal": refusal, "error": error},
    }


def _own_n(figure: Figure | None, chance: Figure | None) -> int | None:
    """Return the number of items that a figure stands on, where it is not the one in the column's head."""
    return figure.n if figure is not None and (chance is None or chance.n != figure.n) else None


def _column(board: Board, k: int) -> Mapping[str, Any]:
    chance = board.chance[k]
    return {"name": board.columns[k], "n": None if chance is None else chance.n, "chance": chance}


def _below(board: Board, number: int) -> Mapping[str, Any]:
    name, figures = board.below[number]
    cells = [
        {"figure": figure, "n": _own_n(figure, chance)} for figure, chance in zip(figures, board.chance, strict=True)
    ]
    return {"name": legible(name), "cells": cells}


def _settings(board: Board) -> Mapping[str, Any]:
    return {
        "models": [legible(line.model) for line in board.lines],
        "outcomes": {name: {"symbol": symbol, "words": words} for name, (symbol, words) in OUTCOMES.items()},
    }
