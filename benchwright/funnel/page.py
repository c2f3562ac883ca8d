"""The HTML of a funnel page: one file that loads nothing else, yielded piece by piece."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from benchwright.funnel.cards import SAY_WHY, CardContext, card
from benchwright.funnel.charts import HATCH, count_panels, facts_of
from benchwright.funnel.counting import FunnelStep
from benchwright.funnel.examples import StageExample
from benchwright.funnel.markup import number, safe
from benchwright.funnel.spread_plot import spread_plot
from benchwright.funnel.thresholds import Spread
from benchwright.funnel.thumbnails import Showing, ShownRecord
from benchwright.pipeline.overrides import OverrideStatus

_STALE_SHOWN = 10


class Refused(NamedTuple):
    """A file that ingest refused, with the reason."""

    uri: str
    reason: str
    detail: str


class Sheet(NamedTuple):
    """Examples of one reason, and the number of records with that reason."""

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
    refused: Sequence[Refused],
    stale: Sequence[OverrideStatus],
    showing: Showing,
) -> Iterator[str]:
    """Yield the page's HTML; thumbnails are made when their cards are yielded."""
    yield _head(head, steps, stale)
    yield '<section id="funnel" aria-labelledby="funnel-title"><h2 id="funnel-title">What came in, what went on</h2>'
    yield from count_panels(steps)
    yield '</section><section id="examples" aria-labelledby="why"><h2 id="why">What did not, and why</h2>'
    page = "" if head.page == 1 else f", page {head.page}"
    yield (
        f'<p class="lead">Up to {number(head.per_reason)} of each reason{page}, each beside what it was dropped for. '
        "Nothing is deleted: the line below a card reverses it, and the next run takes that in. "
        "Choose several to get one line for all.</p>"
    )
    yield from _refused(refused, steps[0])
    for section in sections:
        yield from _section(section, showing)
    yield _foot(head)


def _asset(name: str) -> str:
    return files("benchwright.funnel").joinpath("assets", name).read_text(encoding="utf-8")


def _head(head: FunnelHead, steps: Sequence[FunnelStep], stale: Sequence[OverrideStatus]) -> str:
    script = base64.b64encode(hashlib.sha256(_asset("funnel.js").encode()).digest()).decode("ascii")
    return Template(_asset("head.html")).substitute(
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'",
        recipe=safe(head.recipe),
        style=_asset("funnel.css"),
        hatch=HATCH,
        waits="" if head.is_done else '<p class="note">So far: the run waits for people.</p>',
        facts="".join(f"<div><dt>{safe(name)}</dt><dd>{number(n)}</dd></div>" for name, n in facts_of(steps)),
        stale="".join(_stale(stale, head)),
        links="".join(f' · <a href="#step-{place}">{safe(step.name)}</a>' for place, step in enumerate(steps) if place),
    )


def _stale(stale: Sequence[OverrideStatus], head: FunnelHead) -> Iterator[str]:
    if not stale:
        return
    lead = f"{len(stale)} decisions of curators change nothing as things are now."
    yield f'<div class="banner" role="note"><b>{lead}</b><ul>'
    for status in stale[:_STALE_SHOWN]:
        record = f"<code>{safe(status.override.record_id[:16])}</code>"
        yield f"<li>{status.override.action} {record} at {safe(status.override.stage)}: {safe(status.because)}</li>"
    listing = f"benchwright filter overrides {shlex.quote(str(head.workspace))}"
    yield f"</ul><code>{safe(listing)}</code> lists them all.</div>"


def _refused(refused: Sequence[Refused], ingest: FunnelStep) -> Iterator[str]:
    if not refused:
        return
    total = sum(ingest.failed.values())
    yield (
        '<section class="panel"><div class="step-head"><h3>Files that were refused</h3>'
        f'<span>{_how_many(len(refused), total)}</span></div><div class="scroll" tabindex="0"><table><thead><tr>'
        '<th class="text">file</th><th class="text">reason</th><th class="text">detail</th></tr></thead><tbody>'
    )
    for refusal in refused:
        cells = (f'<td class="text"><bdi>{safe(text)}</bdi></td>' for text in refusal)
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div></section>"


def _section(section: FunnelSection, showing: Showing) -> Iterator[str]:
    step, place = section.step, section.step.place
    yield (
        f'<section class="panel" id="step-{place}"><div class="step-head"><h3>{safe(step.name)}</h3>'
        f"<span>{number(step.records)} in, {number(step.out)} out</span></div>"
    )
    if section.spreads:
        yield f'<div class="spreads">{"".join(_spread(spread) for spread in section.spreads)}</div>'
    for sheet in section.sheets:
        tag = f'<span class="tag {safe(sheet.place.look)}">{safe(sheet.place.verb)}</span>'
        count = _how_many(len(sheet.examples), sheet.total)
        yield f'<h4>{tag} {safe(sheet.place.reason)} <small>{count}</small></h4><ul class="grid">'
        for example in sheet.examples:
            yield card(sheet.place, example, sheet.known, showing)
        yield "</ul>"
    yield "</section>"


def _how_many(shown: int, total: int) -> str:
    return f"all {number(total)}" if shown == total else f"{number(shown)} of {number(total)} here"


def _spread(spread: Spread) -> str:
    total = number(sum(spread.counts))
    plot = spread_plot(spread, title=f"{spread.value} of {total} records")
    caption = f"<b>{safe(spread.value)}</b> of {total} records; heights are square roots of counts"
    return f"<figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _foot(head: FunnelHead) -> str:
    return Template(_asset("foot.html")).substitute(
        workspace=safe(shlex.quote(str(head.workspace))), why=safe(shlex.quote(SAY_WHY)), script=_asset("funnel.js")
    )
