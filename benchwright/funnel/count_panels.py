"""The upper part of the page: the funnel as plots, and all its counts as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchwright.funnel.counting import FunnelStep
from benchwright.funnel.flow_plot import flow_plot
from benchwright.funnel.markup import number, safe

_LEGEND = (
    ("keep", "kept"), ("back", "kept: a curator reversed the verdict"), ("ask", "kept, and people are asked"),
    ("aside", "not used by a step that makes items; goes on"), ("drop", "dropped"), ("fail", "failed or refused"),
)  # fmt: skip
_COLUMNS = ("step", "in", "out", "dropped", "asked about", "failed", "reversed", "made")
_TEXTS = frozenset({"dropped", "asked about", "failed", "made"})


def facts_of(steps: Sequence[FunnelStep]) -> list[tuple[str, int]]:
    """Return what stands at the top of the page: name and count."""
    images, items = ([step for step in steps if step.flow == flow] for flow in ("images", "items"))
    found = [("files", steps[0].records), ("images taken in", steps[0].out)]
    if images:
        found.append(("images at the end", images[-1].out))
    if made := sum(step.made.get("items", 0) for step in images):
        found.append(("items made", made))
    if items:
        found.append(("items at the end", items[-1].out))
    found.append(("asked of people", sum(sum(step.asked.values()) for step in steps)))
    found.append(("reversed", sum(step.reversed for step in steps)))
    return found


def count_panels(steps: Sequence[FunnelStep]) -> Iterator[str]:
    """Yield the plots of images and items, then the table."""
    for title, flows in (("Images", ("files", "images")), ("Items", ("items",))):
        found = [step for step in steps if step.flow in flows]
        if found:
            told = ", ".join(f"{step.name} {step.records} in {step.out} out" for step in found)
            plot = flow_plot(found, title=f"{title}: {told}")
            yield f'<div class="panel"><h3>{title}</h3><div class="scroll">{plot}</div>{_legend(found)}</div>'
    head = "".join(f"<th{_as_text(name)}>{name}</th>" for name in _COLUMNS)
    rows = "".join(_row(step) for step in steps)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    yield f'<div class="panel scroll" tabindex="0">{table}</div>'


def _as_text(column: str) -> str:
    return ' class="text"' if column in _TEXTS else ""


def _legend(steps: Sequence[FunnelStep]) -> str:
    there = {
        "keep": True,
        "back": any(step.reversed for step in steps),
        "ask": any(step.asked for step in steps),
        "aside": any(step.left_aside and step.dropped for step in steps),
        "drop": any(step.dropped and not step.left_aside for step in steps),
        "fail": any(step.failed for step in steps),
    }
    entries = "".join(f'<li><i class="l-{look}"></i>{words}</li>' for look, words in _LEGEND if there[look])
    return f'<ul class="legend">{entries}</ul>'


def _row(step: FunnelStep) -> str:
    dropped = _reasons(step.dropped)
    if step.left_aside and dropped:
        dropped += " (not used here, goes on)"
    cells = {
        "step": safe(step.name), "in": number(step.records), "out": number(step.out), "dropped": dropped,
        "asked about": _reasons(step.asked), "failed": _reasons(step.failed),
        "reversed": number(step.reversed) if step.reversed else "", "made": _reasons(step.made),
    }  # fmt: skip
    return f"<tr>{''.join(f'<td{_as_text(name)}>{cells[name]}</td>' for name in _COLUMNS)}</tr>"


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f'<span class="whole">{safe(reason)} {number(n)}</span>' for reason, n in reasons.items())
