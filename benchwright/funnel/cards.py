"""A card: a record, the evidence for its verdict, and the command that reverses the verdict."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.funnel.counting import number
from benchwright.funnel.examples import StageExample
from benchwright.funnel.thumbnails import Showing, ShownRecord, Thumbnail, partners_in
from benchwright.overrides import BY_HAND, REVERSED, Override
from benchwright.pages import cut

_MOST_PARTNERS = 2
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
        left_aside: Whether a drop merely means that the step made nothing from the record.
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
        """Return the CSS class of cards with this reason."""
        return "aside" if self.left_aside and self.verdict == "drop" else self.verdict

    @property
    def verb(self) -> str:
        """Return the verb that describes what the step does with the records."""
        verbs = {"drop": "dropped", "ask": "asked about", "failed": "failed", "aside": "not used", "keep": "kept"}
        return verbs[self.look]

    @property
    def is_decided(self) -> bool:
        """Return whether a curator's decision gave these records their verdict."""
        return self.reason in {REVERSED, BY_HAND}


def _command_lines(place: CardContext, record_id: str) -> list[tuple[str, str]]:
    """Return the actions that a curator can take on a record, each with its name and command."""
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


class CardPicture(NamedTuple):
    """A picture on a card.

    Args:
        verb: Verb that describes what the step did with the record.
        name: Name of the record.
        image_wh: Width and height of the image in pixels; None without an image.
        thumbnail: Thumbnail; None without a picture to show.
        problem: Reason why the picture is missing.
        left_out: Corners of measured regions that are excluded, as SVG points.
        regions: Corners of regions that are included, as SVG points.
    """

    verb: str
    name: str
    image_wh: tuple[int, int] | None
    thumbnail: Thumbnail | None
    problem: str
    left_out: Sequence[str]
    regions: Sequence[str]


class FunnelCard(NamedTuple):
    """The content of a card.

    Args:
        record_id: Id of the record.
        look: CSS class of the card.
        pictures: The record and those the step compared it with.
        more: Number of further records like it.
        question: Question of an item; None for an image.
        fields: Name and value of measurements and evidence.
        own: The step's verdict and reason if a curator's decision replaced them; otherwise None.
        decision: That decision, if known.
        commands: Name and command line of each action; the card shows the first.
        step: Quoted id of the stage if the card is selectable; else None.
    """

    record_id: str
    look: str
    pictures: Sequence[CardPicture]
    more: int
    question: str | None
    fields: Sequence[tuple[str, str]]
    own: str | None
    decision: Override | None
    commands: Sequence[tuple[str, str]]
    step: str | None


def card(place: CardContext, example: StageExample, known: Mapping[str, ShownRecord], showing: Showing) -> FunnelCard:
    """Create a card and its thumbnails, and return the card."""
    partners = partners_in(example.evidence)
    shown = [known[partner_id] for partner_id in partners if partner_id in known][:_MOST_PARTNERS]
    record = known.get(example.record_id) or ShownRecord(example.record_id, example.record_id, None, None)
    pictures = [_picture(record, place.verb, showing, regions=example.measured)]
    pictures += [
        _picture(partner, "kept" if example.evidence.get("of") == partner.record_id else "like", showing)
        for partner in shown
    ]
    commands = _command_lines(place, example.record_id)
    return FunnelCard(
        example.record_id,
        place.look,
        pictures,
        len(partners) - len(shown),
        record.question,
        [(cut(name, at_most=40), cut(value, at_most=80)) for name, value in _fields(example)[: _MOST_TOLD + 1]],
        " ".join(filter(None, example.own)) if place.is_decided else None,
        place.decisions.get(example.record_id),
        commands,
        shlex.quote(place.stage) if commands and not place.is_decided else None,
    )


def _picture(
    record: ShownRecord, verb: str, showing: Showing, *, regions: Mapping[str, Any] | None = None
) -> CardPicture:
    small = showing.thumbnail(record.image) if record.image is not None else None
    problem = "no picture" if small is None else small.problem or ""
    size = None if record.image is None else (record.image.width, record.image.height)
    outlines = (outlines_of(regions or {}, kind) for kind in ("left_out", "regions"))
    return CardPicture(verb, record.name, size, None if problem else small, problem, *outlines)


def outlines_of(measured: Mapping[str, Any], kind: str) -> list[str]:
    """Return the corners of the regions measured in a picture, as SVG points, ignoring everything except outlines."""
    polygons = [region.get("polygon") for region in _listed(measured.get(kind)) if isinstance(region, Mapping)]
    return [points for polygon in polygons if (points := _points(polygon))]


def _points(polygon: Any) -> str:
    corners = [corner for corner in _listed(polygon) if len(_listed(corner)) == 2]
    if not all(isinstance(coordinate, int | float) for corner in corners for coordinate in corner):
        return ""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _fields(example: StageExample) -> list[tuple[str, str]]:
    """Return measurements and evidence as pairs of name and value."""
    fields = [("id", example.record_id[:16])]
    fields += [(name, _value(value)) for name, value in example.values.items() if name not in _HIDDEN]
    return fields + [
        (name, _value(value)) for name, value in example.evidence.items() if name not in {*_HIDDEN, *example.values}
    ]


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return number(value) if abs(value) < 2**53 else str(value)
