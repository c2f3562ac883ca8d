"""The upper part of the page: the funnel as a plot, and all its counts as a table.

The plot has one bar per step, as wide as the step's input, and between the bars the records that were kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from benchwright.funnel.counting import FunnelStep
from benchwright.funnel.markup import cut, number, safe
from benchwright.workspace.stage_input import INGEST

_WIDTH, _LEFT, _BAR_W = 1040.0, 210.0, 600.0
_BAR_H, _GAP = 30.0, 24.0
_LEAST_W = 2.5
"""Smallest width of a bar, in pixels, so that one record of a million is visible."""
_ROOM_FOR_COUNT = 42.0

HATCH = (
    '<svg width="0" height="0" aria-hidden="true"><defs><pattern id="hatch" width="7" height="7" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="7" height="7" class="f-ask"/>'
    '<rect width="2" height="7" class="f-stripe"/></pattern></defs></svg>'
)
"""Pattern for records that were asked about; once per page."""


class _Part(NamedTuple):
    look: str
    told: str
    n: int


def flow_plot(steps: Sequence[FunnelStep], *, title: str) -> str:
    """Return an SVG of the steps of one flow, in order."""
    most = max((step.records for step in steps), default=0)
    height = len(steps) * (_BAR_H + _GAP) - _GAP + 8 if steps else 0
    pieces = [f'<svg class="flow" viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{safe(title)}">']
    for row, step in enumerate(steps):
        top = 4 + row * (_BAR_H + _GAP)
        if row + 1 < len(steps):
            pieces.append(_between(step, steps[row + 1], top + _BAR_H, most))
        pieces += _row(step, top, most)
    return "".join([*pieces, "</svg>"])


def _scaled(n: int, most: int) -> float:
    return max(_LEAST_W, n / max(1, most) * _BAR_W) if n else 0.0


def _between(step: FunnelStep, after: FunnelStep, top: float, most: int) -> str:
    above, below = _scaled(step.out, most), _scaled(after.records, most)
    points = [(_LEFT, top), (_LEFT + above, top), (_LEFT + below, top + _GAP), (_LEFT, top + _GAP)]
    return f'<polygon class="f-between" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def _row(step: FunnelStep, top: float, most: int) -> Iterator[str]:
    middle = top + _BAR_H / 2
    name = "taken in" if step.name == INGEST else step.name
    yield f'<text class="f-name" x="0" y="{middle:.1f}" dy="0.35em">{safe(cut(name, at_most=27))}</text>'
    x = _LEFT
    for part in _parts(step):
        width = _scaled(part.n, most)
        yield (
            f'<rect class="{part.look}" x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_BAR_H:g}">'
            f"<title>{safe(step.name)}: {safe(part.told)} {number(part.n)}</title></rect>"
        )
        if width >= _ROOM_FOR_COUNT:
            yield (
                f'<text class="t-{part.look}" x="{x + width / 2:.1f}" y="{middle:.1f}" dy="0.35em" '
                f'text-anchor="middle">{number(part.n)}</text>'
            )
        x += width
    yield f'<text class="f-told" x="{_LEFT + _BAR_W + 16:g}" y="{middle:.1f}" dy="0.35em">{_told(step)}</text>'


def _parts(step: FunnelStep) -> list[_Part]:
    total = sum(step.asked.values())
    aside = sum(step.dropped.values()) if step.left_aside else 0
    parts = [
        _Part("f-keep", "kept", step.out - total - step.reversed - aside),
        _Part("f-back", "reversed by a curator", step.reversed),
        _Part("f-ask", "asked about", total),
        _Part("f-aside", "not used here", aside),
        _Part("f-drop", "dropped", 0 if step.left_aside else sum(step.dropped.values())),
        _Part("f-fail", "failed", sum(step.failed.values())),
    ]
    return [part for part in parts if part.n > 0]


def _told(step: FunnelStep) -> str:
    items = step.made.get("items", 0)
    made = f" · {number(items)} items made" if items else ""
    out = f" · {number(step.out)} out" if step.out != step.records else ""
    return f"{number(step.records)} in{out}{made}"


_LEGEND = (
    ("keep", "kept"),
    ("back", "kept: a curator reversed the verdict"),
    ("ask", "kept, and people are asked"),
    ("aside", "not used by a step that makes items; goes on"),
    ("drop", "dropped"),
    ("fail", "failed or refused"),
)
_COLUMNS = ("step", "in", "out", "dropped", "asked about", "failed", "reversed", "made")
_TEXTS = frozenset({"dropped", "asked about", "failed", "made"})


def facts_of(steps: Sequence[FunnelStep]) -> list[tuple[str, int]]:
    """Return the facts at the top of the page: name and count of each."""
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


def count_panels(steps: Sequence[FunnelStep]) -> Iterator[str]:
    """Yield the plots of images and items, then the table."""
    for title, flows in (("Images", ("files", "images")), ("Items", ("items",))):
        chosen = [step for step in steps if step.flow in flows]
        if chosen:
            description = ", ".join(f"{step.name} {step.records} in {step.out} out" for step in chosen)
            plot = flow_plot(chosen, title=f"{title}: {description}")
            yield f'<div class="panel"><h3>{title}</h3><div class="scroll">{plot}</div>{_legend(chosen)}</div>'
    head = "".join(f"<th{_as_text(name)}>{name}</th>" for name in _COLUMNS)
    rows = "".join(_count_row(step) for step in steps)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    yield f'<div class="panel scroll" tabindex="0">{table}</div>'


def _as_text(column: str) -> str:
    return ' class="text"' if column in _TEXTS else ""


def _legend(steps: Sequence[FunnelStep]) -> str:
    present = {
        "keep": True,
        "back": any(step.reversed for step in steps),
        "ask": any(step.asked for step in steps),
        "aside": any(step.left_aside and step.dropped for step in steps),
        "drop": any(step.dropped and not step.left_aside for step in steps),
        "fail": any(step.failed for step in steps),
    }
    entries = "".join(f'<li><i class="l-{look}"></i>{words}</li>' for look, words in _LEGEND if present[look])
    return f'<ul class="legend">{entries}</ul>'


def _count_row(step: FunnelStep) -> str:
    dropped = _reasons(step.dropped)
    if step.left_aside and dropped:
        dropped += " (not used here, goes on)"
    cells = {
        "step": safe(step.name),
        "in": number(step.records),
        "out": number(step.out),
        "dropped": dropped,
        "asked about": _reasons(step.asked),
        "failed": _reasons(step.failed),
        "reversed": number(step.reversed) if step.reversed else "",
        "made": _reasons(step.made),
    }
    return f"<tr>{''.join(f'<td{_as_text(name)}>{cells[name]}</td>' for name in _COLUMNS)}</tr>"


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f'<span class="whole">{safe(reason)} {number(n)}</span>' for reason, n in reasons.items())
