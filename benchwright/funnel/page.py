"""The HTML of a funnel page: one file that loads nothing else, generated piece by piece."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.funnel.cards import SAY_WHY, CardContext, card
from benchwright.funnel.charts import facts_of, flow_charts, spread_chart
from benchwright.funnel.counting import FunnelStep, number
from benchwright.funnel.examples import StageExample
from benchwright.funnel.thresholds import Spread
from benchwright.funnel.thumbnails import Showing, ShownRecord
from benchwright.pages import Chart, cut, page_pieces
from benchwright.pipeline.stages.overrides import OverrideStatus
from benchwright.source_files.refusal_lists import RowCounts
from benchwright.texts.normalization import printable

_TEMPLATES = Path(__file__).parent / "templates"
_STALE_SHOWN = 10


class RefusedFile(NamedTuple):
    """A file that ingest refused, with the reason."""

    uri: str
    reason: str
    detail: str


class Sheet(NamedTuple):
    """Examples for one reason, and the number of records with that reason."""

    place: CardContext
    total: int
    examples: Sequence[StageExample]
    known: Mapping[str, ShownRecord]


class FunnelSection(NamedTuple):
    """One step: its counts, its measurements, and examples by reason."""

    step: FunnelStep
    spreads: Sequence[Spread]
    sheets: Iterable[Sheet]


class FunnelHead(NamedTuple):
    """Facts at the top of the page.

    Args:
        recipe: Name of the recipe.
        is_done: Whether the run is complete; False while it waits for people.
        workspace: Path of the workspace in command lines.
        page: Page of the examples, from 1.
        per_reason: Number of examples of each reason.
    """

    recipe: str
    is_done: bool
    workspace: Path
    page: int
    per_reason: int


def pieces(
    head: FunnelHead,
    steps: Sequence[FunnelStep],
    sections: Iterable[FunnelSection],
    refused: Sequence[RefusedFile],
    rows: Mapping[str, RowCounts],
    stale: Sequence[OverrideStatus],
    showing: Showing,
) -> Iterator[str]:
    """Yield the page's HTML; each card's thumbnails are made only when the card is yielded."""
    values = {
        "head": head,
        "workspace": shlex.quote(str(head.workspace)),
        "why": shlex.quote(SAY_WHY),
        "facts": facts_of(steps),
        "steps": steps,
        "charts": flow_charts(steps),
        "sections": sections,
        "spread_charts": _spread_charts,
        "cards": lambda sheet: (card(sheet.place, example, sheet.known, showing) for example in sheet.examples),
        "refused": refused,
        "rows": rows,
        "stale": stale,
        "stale_shown": _STALE_SHOWN,
    }
    return page_pieces(
        _TEMPLATES,
        "funnel.html",
        values,
        generator="benchwright filter funnel",
        style="funnel.css",
        script="funnel.js",
        filters={"number": number, "cut": lambda text, at_most: cut(text, at_most=at_most)},
        finalize=_printable,
    )


def _spread_charts(section: FunnelSection) -> list[Chart]:
    place = section.step.place
    return [spread_chart(spread, name=f"spread-{place}-{number}") for number, spread in enumerate(section.spreads)]


def _printable(value: Any) -> Any:
    """Return a text with control characters as escapes; markup and other values are returned unchanged."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
