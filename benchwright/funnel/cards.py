"""A card: a record, the evidence for its verdict, and the command line that reverses the verdict."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.funnel.examples import StageExample
from benchwright.funnel.markup import cut, number, safe
from benchwright.funnel.thumbnails import Showing, ShownRecord, partners_in
from benchwright.overrides import BY_HAND, REVERSED, Override

MOST_PARTNERS = 2
_MOST_TOLD = 8
_HIDDEN = {"of", "like", "partners", "regions", "left_out"}
"""Keys of evidence that a card shows as pictures."""
SAY_WHY = "..."
"""Placeholder in a command line for the curator's reason."""


class CardContext(NamedTuple):
    """Settings that all cards of one reason share.

    Args:
        workspace: Path of the workspace in command lines.
        stage: Id of the stage.
        verdict: Effective verdict.
        reason: Effective reason.
        can_reverse: Whether a curator's decision can replace the verdict.
        left_aside: Whether a drop only means that nothing was made of the record.
        decisions: Curators' decisions at this stage, by record.
    """

    workspace: Path
    stage: str
    verdict: str
    reason: str
    can_reverse: bool
    left_aside: bool
    decisions: Mapping[str, Override]

    @property
    def look(self) -> str:
        """Return the CSS class of cards of this reason."""
        return "aside" if self.left_aside and self.verdict == "drop" else self.verdict

    @property
    def verb(self) -> str:
        """Return the verb that says what happened to the records."""
        verbs = {"drop": "dropped", "ask": "asked about", "failed": "failed", "aside": "not used", "keep": "kept"}
        return verbs[self.look]

    @property
    def is_decided(self) -> bool:
        """Return whether a curator's decision gave these records their verdict."""
        return self.reason in {REVERSED, BY_HAND}


def command_lines(place: CardContext, record_id: str) -> list[tuple[str, str]]:
    """Return the actions that a curator can take on a record: name and command line of each."""
    if not place.can_reverse or place.verdict == "failed":
        return []
    record = f"{shlex.quote(str(place.workspace))} {record_id} --step {shlex.quote(place.stage)}"
    if place.is_decided:
        return [("undo", f"benchwright filter undo {record}")]
    why = f"--why {shlex.quote(SAY_WHY)}"
    lines = [("keep", f"benchwright filter restore {record} {why}")]
    if place.verdict == "ask":
        lines.append(("drop", f"benchwright filter drop {record} {why}"))
    return lines


def card(place: CardContext, example: StageExample, known: Mapping[str, ShownRecord], showing: Showing) -> str:
    """Return the HTML of one card."""
    partners = partners_in(example.evidence)
    shown = [known[partner_id] for partner_id in partners if partner_id in known][:MOST_PARTNERS]
    more = len(partners) - len(shown)
    record = known.get(example.record_id) or ShownRecord(example.record_id, example.record_id, None, None)
    pictures = [_picture(record, place.verb, showing, regions=example.measured)]
    pictures += [
        _picture(partner, "kept" if example.evidence.get("of") == partner.record_id else "like", showing)
        for partner in shown
    ]
    rest = f'<p class="more">and {number(more)} more like it</p>' if more > 0 else ""
    return (
        f'<li class="card {safe(place.look)}"><div class="pictures n{len(pictures)}">{"".join(pictures)}</div>{rest}'
        f'{_question(record)}<dl class="told">{"".join(_told(example))}</dl>'
        f"{_decision(place, example)}{_act(place, example)}</li>"
    )


def _picture(record: ShownRecord, verb: str, showing: Showing, *, regions: Mapping[str, Any] | None = None) -> str:
    name = f'<bdi title="{safe(record.name)}">{safe(cut(record.name, at_most=44))}</bdi>'
    caption = f"<figcaption><b>{safe(verb)}</b> {name}</figcaption>"
    small = showing.thumbnail(record.image) if record.image is not None else None
    if record.image is None or small is None or small.problem is not None:
        problem = small.problem if small is not None and small.problem is not None else "no picture"
        return f'<figure><div class="none">{safe(problem)}</div>{caption}</figure>'
    size = f"{number(record.image.width)} × {number(record.image.height)}"
    picture = f'<img src="{small.uri}" width="{small.width}" height="{small.height}" alt="" loading="lazy">'
    outlines = _regions(regions or {}, record.image.width, record.image.height)
    label = f"Enlarge {safe(cut(record.name, at_most=80))}"
    return (
        f'<figure><button type="button" class="large" aria-label="{label}"><span class="framed">{picture}{outlines}'
        f"</span></button>{caption}<small>{size}</small></figure>"
    )


def _regions(measured: Mapping[str, Any], width: int, height: int) -> str:
    """Return outlines of the regions measured in the picture: those that count, and those left out."""
    drawn = [
        f'<polygon class="{look}" points="{points}"/>'
        for kind, look in (("left_out", "r-out"), ("regions", "r-in"))
        for region in _listed(measured.get(kind))
        if (points := _points(region.get("polygon") if isinstance(region, Mapping) else None))
    ]
    if not drawn:
        return ""
    box = f'viewBox="0 0 {width} {height}" preserveAspectRatio="xMidYMid meet"'
    return f'<svg {box} aria-hidden="true">{"".join(drawn)}</svg>'


def _points(polygon: Any) -> str:
    corners = [corner for corner in _listed(polygon) if len(_listed(corner)) == 2]
    if not all(isinstance(coordinate, int | float) for corner in corners for coordinate in corner):
        return ""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _question(record: ShownRecord) -> str:
    return f'<p class="question" dir="auto">{safe(record.question)}</p>' if record.question else ""


def _told(example: StageExample) -> Iterator[str]:
    """Yield measurements and evidence as pairs of name and value."""
    fields = [("id", example.record_id[:16])]
    fields += [(name, _value(value)) for name, value in example.values.items() if name not in _HIDDEN]
    fields += [
        (name, _value(value)) for name, value in example.evidence.items() if name not in {*_HIDDEN, *example.values}
    ]
    for name, value in fields[: _MOST_TOLD + 1]:
        yield f"<div><dt>{safe(cut(name, at_most=40))}</dt><dd><bdi>{safe(cut(value, at_most=80))}</bdi></dd></div>"


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return number(value) if abs(value) < 2**53 else str(value)


def _decision(place: CardContext, example: StageExample) -> str:
    if not place.is_decided:
        return ""
    own = f"the step said <b>{safe(' '.join(filter(None, example.own)))}</b>"
    made = place.decisions.get(example.record_id)
    if made is None:
        return f'<p class="decision">{own}</p>'
    return f'<p class="decision">{own}; <bdi>{safe(made.by)}</bdi>: <q><bdi>{safe(made.why)}</bdi></q></p>'


def _act(place: CardContext, example: StageExample) -> str:
    """Return a command line with a copy button, buttons for the other actions, and a check box to select the record."""
    lines = command_lines(place, example.record_id)
    if not lines:
        return ""
    buttons = "".join(
        f'<button type="button" class="copy" data-line="{safe(line)}">Copy: {name}</button>' for name, line in lines
    )
    choose = ""
    if not place.is_decided:
        attributes = f'data-record="{safe(example.record_id)}" data-step="{safe(shlex.quote(place.stage))}"'
        choose = f'<label class="choose"><input type="checkbox" {attributes}> choose</label>'
    line = f'<code tabindex="0">{safe(lines[0][1])}</code>'
    return f'<div class="act">{line}<div>{choose}<span>{buttons}</span></div></div>'
