"""The charts of a funnel page: the flow of records through the steps, and the distribution of measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchwright.funnel.counting import FunnelStep, number
from benchwright.funnel.thresholds import Spread
from benchwright.pages import (
    Chart,
    ChartRow,
    Column,
    LegendEntry,
    Look,
    MarkedValue,
    Part,
    Scale,
    columns_chart,
    rows_chart,
)
from benchwright.pages.rows import row_numbers
from benchwright.workspace.stage_input import INGEST

_KEPT, _REVERSED, _ASKED, _ASIDE, _DROPPED, _FAILED = (
    LegendEntry("kept", Look("keep")),
    LegendEntry("kept: a curator reversed the verdict", Look("back", "dots")),
    LegendEntry("kept, and people are asked", Look("ask", "rising")),
    LegendEntry("not used by a step that makes items; goes on", Look("aside")),
    LegendEntry("dropped", Look("drop")),
    LegendEntry("failed or refused", Look("fail", "checks")),
)


TEXTS = (
    "kept", "kept: a curator reversed the verdict", "kept, and people are asked",
    "not used by a step that makes items; goes on", "dropped", "failed or refused", "Images", "Items", "taken in",
    "note", "{count} in", "{count} out", "1 item made", "{count} items made", "{low} to {high}",
    "{value} of {count} records", "records", "{value} of {count} records; heights are square roots of counts",
)  # fmt: skip
"""Texts of these charts, for translation, with placeholders for values."""
Translate = Callable[[str], str]


def flow_charts(steps: Sequence[FunnelStep], *, translate: Translate = str) -> Iterator[Chart]:
    """Yield the charts of images and of items, with one bar per step whose width is the step's input.

    Args:
        steps: The steps.
        translate: Function from one of `TEXTS` to that text in another language; default English.
    """
    for title, flows in (("Images", ("files", "images")), ("Items", ("items",))):
        chosen = [step for step in steps if step.flow in flows]
        if not chosen:
            continue
        rows = [_row(step, translate) for step in chosen]
        drawn = {part.look for row in rows for part in row.parts}
        entries = (_KEPT, _REVERSED, _ASKED, _ASIDE, _DROPPED, _FAILED)
        legend = [entry._replace(words=translate(entry.words)) for entry in entries if entry.sign in drawn]
        scale = Scale(0, max(1, *(step.records for step in chosen)))
        numbers = row_numbers(rows, legend, note=translate("note"))
        yield rows_chart(f"flow-{title.lower()}", translate(title), rows, scale, legend=legend, numbers=numbers)


def _row(step: FunnelStep, translate: Translate) -> ChartRow:
    asked, dropped = sum(step.asked.values()), sum(step.dropped.values())
    aside = dropped if step.left_aside else 0
    counts = (
        (_KEPT, step.out - asked - step.reversed - aside),
        (_REVERSED, step.reversed),
        (_ASKED, asked),
        (_ASIDE, aside),
        (_DROPPED, dropped - aside),
        (_FAILED, sum(step.failed.values())),
    )
    parts = [
        Part(translate(entry.words), n, entry.sign) for entry, n in counts if n > 0 and isinstance(entry.sign, Look)
    ]
    notes = [translate("{count} in").format(count=number(step.records))]
    if step.out != step.records:
        notes.append(translate("{count} out").format(count=number(step.out)))
    if items := step.made.get("items", 0):
        notes.append(translate("1 item made" if items == 1 else "{count} items made").format(count=number(items)))
    name = translate("taken in") if step.name == INGEST else step.name
    return ChartRow(name, parts, note=" · ".join(notes), goes_on=step.out)


def spread_chart(spread: Spread, *, name: str, translate: Translate = str) -> Chart:
    """Return a histogram of measurements with the filter's threshold, beyond which columns have another appearance.

    Args:
        spread: The measurements.
        name: Name of the chart, unique on the page.
        translate: Function from one of `TEXTS` to that text in another language; default English.
    """
    size = (spread.high - spread.low) / len(spread.counts)
    columns = []
    for place, n in enumerate(spread.counts):
        low = spread.low + place * size
        words = translate("{low} to {high}").format(low=number(low), high=number(low + size))
        columns.append(Column(low, low + size, n, _look(spread, low + size / 2), words))
    limit = spread.threshold
    marks = [] if limit is None else [MarkedValue(limit.at, f"{limit.setting} {number(limit.at)}")]
    middle = (spread.low + spread.high) / 2
    ticks = [(value, number(float(value))) for value in (spread.low, middle, spread.high)]
    about = {"value": spread.value, "count": number(sum(spread.counts))}
    return columns_chart(
        name,
        translate("{value} of {count} records").format(**about),
        columns,
        Scale(spread.low, spread.high, ticks),
        counted=translate("records"),
        measured=spread.value,
        caption=translate("{value} of {count} records; heights are square roots of counts").format(**about),
        marks=marks,
        has_roots=True,
        width=620,
    )


def _look(spread: Spread, middle: float) -> Look:
    limit = spread.threshold
    is_beyond = limit is not None and (middle > limit.at if limit.side == "above" else middle < limit.at)
    return Look("drop") if is_beyond else Look("keep")


def facts_of(steps: Sequence[FunnelStep]) -> list[tuple[str, int]]:
    """Return the facts for the top of the page, each as a name and a count."""
    images, items = ([step for step in steps if step.flow == flow] for flow in ("images", "items"))
    facts = [("files", steps[0].records), ("images taken in", steps[0].out)]
    if images:
        facts.append(("images at the end", images[-1].out))
    if made := sum(step.made.get("items", 0) for step in images):
        facts.append(("items made", made))
    if items:
        facts.append(("items at the end", items[-1].out))
    facts.append(("asked of people", sum(sum(step.asked.values()) for step in steps)))
    facts.append(("reversed", sum(step.reversed for step in steps)))
    return facts
