"""Placement of labels: next to their mark and inside the image, covering no marked object and no other label.

The search for a label's position has a fixed order: first the position that the mark names
(`VisualPrompt.label_place`), then those nearer to the label's mark than to any other. If none of these is free, for
example inside a marked box, the label of a ring, dot, box or arrow takes the nearest free position, and a thin line
connects it to its mark. Labels of other marks take any free position. If a label has no position at all, the search
starts again with that label first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchwright.drawing.areas import Rect, crosses
from benchwright.drawing.lettering import RenderedText, snapped
from benchwright.drawing.marks import PlacedMark, PromptError
from benchwright.records import VisualPrompt

_SIDES = (
    (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, -1.0), (-1.0, 1.0),
    (1.0, -0.5), (1.0, 0.5), (-1.0, -0.5), (-1.0, 0.5), (0.5, -1.0), (-0.5, -1.0), (0.5, 1.0), (-0.5, 1.0),
)  # fmt: skip
"""Directions from a point mark: left and right, above and below, corners, and those in between."""
_SHARES = (0.0, 1.0, 0.5, 0.25, 0.75)
"""Positions of a label along a side of an extended mark, as proportions of the side."""
_STEPS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Additional distances from the mark, in units of the label's height."""


_LED = {"ring", "dot", "box", "arrow"}
"""Kinds of marks whose label may be farther away, connected by a line."""

Leader = tuple[tuple[float, float], tuple[float, float]]


class LabelPlace(NamedTuple):
    """Position of a label, and the line from its mark if the label is farther away."""

    box: Rect
    leader: Leader | None = None

    def meets(self, rect: Rect) -> bool:
        """Return whether a rectangle covers the label or its line."""
        return self.box.meets(rect) or (self.leader is not None and _line_crosses(self.leader, rect.grown(2.0)))


def place_labels(
    marks: Sequence[PlacedMark], texts: Sequence[RenderedText | None], *, width: int, height: int
) -> list[LabelPlace | None]:
    """Return the position of each label; None for marks without a label next to them.

    Args:
        marks: All marks of the image, drawn in this order.
        texts: Rendered label of each mark; None if the mark has no label next to it.
        width: Width of the image, pixels.
        height: Height of the image, pixels.

    Raises:
        PromptError: There is no room for a label.
    """
    order = [number for number, text in enumerate(texts) if text is not None]
    turns = len(order) + 1
    while True:
        placed: dict[int, LabelPlace] = {}
        for number in order:
            place = _place(number, marks, texts, [*placed.values()], (width, height))
            if place is None:
                break
            placed[number] = place
        else:
            return [placed.get(number) for number in range(len(marks))]
        turns -= 1
        if number == order[0] or not turns:
            raise _no_room(marks[number].prompt, number)
        order.remove(number)
        order.insert(0, number)


def _no_room(prompt: VisualPrompt, number: int) -> PromptError:
    x, y = prompt.points[0]
    return PromptError(
        "label",
        f"there is no room for the label {prompt.label!r} of the {prompt.kind} at ({x:g}, {y:g}) that covers nothing "
        "marked; use a shorter label, a smaller style, or a letter or number, which cover the point itself",
        number,
    )


def _place(
    number: int,
    marks: Sequence[PlacedMark],
    texts: Sequence[RenderedText | None],
    taken: Sequence[LabelPlace],
    image_wh: tuple[int, int],
) -> LabelPlace | None:
    """Return the first suitable position of one label, or None if there is none."""
    mark, text = marks[number], texts[number]
    assert text is not None

    def is_free(place: Rect) -> bool:
        return (
            place.inside(*image_wh)
            and not any(mark.area.meets(place) for mark in marks)
            and not any(label.meets(place) for label in taken)
        )

    first_free: Rect | None = None
    for place in filter(is_free, _in_turn(_places(mark, text, image_wh), mark.prompt.label_place)):
        first_free = first_free or place
        own = place.gap_to(mark.beside)
        if all(own < place.gap_to(other_mark.beside) for other_mark in marks if other_mark is not mark):
            return LabelPlace(place)
    led = _led_place(
        mark, [other_mark for other_mark in marks if other_mark is not mark], text, taken, image_wh, is_free
    )
    return led or (None if first_free is None else LabelPlace(first_free))


def _in_turn(places: Iterator[Rect], named: int | None) -> Iterator[Rect]:
    """Yield positions in their order, except that the one at the given index comes first."""
    if named is None:
        yield from places
        return
    known = list(places)
    yield from known[named : named + 1]
    yield from known


def _led_place(
    mark: PlacedMark,
    other_marks: Sequence[PlacedMark],
    text: RenderedText,
    taken: Sequence[LabelPlace],
    image_wh: tuple[int, int],
    is_free: Callable[[Rect], bool],
) -> LabelPlace | None:
    """Return the nearest free position whose line from the mark crosses only marks that contain the mark."""
    if mark.prompt.kind not in _LED:
        return None
    x, y = mark.points[0]
    outer = [other_mark for other_mark in other_marks if other_mark.area.meets(Rect(x, y, x, y).grown(0.01))]
    in_the_way = [other_mark.bounds for other_mark in other_marks if other_mark not in outer] + [
        label.box for label in taken
    ]
    for place in _anywhere(mark, text, image_wh):
        if is_free(place):
            leader = _leader(mark, place)
            if not any(_line_crosses(leader, rect) for rect in in_the_way):
                return LabelPlace(place, leader)
    return None


def _anywhere(mark: PlacedMark, text: RenderedText, image_wh: tuple[int, int]) -> list[Rect]:
    """Yield positions in the whole image, nearest to the mark first."""
    step = max(2.0, snapped(text.height / 3))
    columns = np.arange(0.0, image_wh[0] - text.width, step).tolist()
    rows = np.arange(0.0, image_wh[1] - text.height, step).tolist()
    places = [Rect(x, y, x + text.width, y + text.height) for y in rows for x in columns]
    return sorted(places, key=lambda place: (round(place.gap_to(mark.beside), 3), place.top, place.left))


def _leader(mark: PlacedMark, place: Rect) -> Leader:
    """Return the shortest line from a mark's edge to a label."""
    if mark.prompt.kind == "box":
        edge = mark.bounds
        start = (
            _nearest(place.left, place.right, edge.left, edge.right),
            _nearest(place.top, place.bottom, edge.top, edge.bottom),
        )
    else:
        start = mark.points[0]
    end = (min(max(start[0], place.left), place.right), min(max(start[1], place.top), place.bottom))
    if mark.prompt.kind in {"ring", "dot"}:
        length = float(np.hypot(end[0] - start[0], end[1] - start[1]))
        reach = (mark.sizes.radius + (mark.sizes.line / 2 if mark.prompt.kind == "ring" else 0.0)) / length
        start = (start[0] + reach * (end[0] - start[0]), start[1] + reach * (end[1] - start[1]))
    return start, end


def _nearest(low: float, high: float, first: float, last: float) -> float:
    """Return the point of the interval from `first` to `last` that is nearest to the midpoint of `low` and `high`."""
    return min(max((low + high) / 2, first), last)


def _line_crosses(line: Leader, rect: Rect) -> bool:
    start = np.array([line[0]])
    return crosses(start, np.array([line[1]]) - start, rect)


def _places(mark: PlacedMark, text: RenderedText, image_wh: tuple[int, int]) -> Iterator[Rect]:
    """Yield positions around a mark, nearest first, moved into the image if they extend beyond it."""
    gap = max(1.0, mark.sizes.line / 3)
    for step in _STEPS:
        around = mark.beside.grown(gap + step * text.height)
        for left, top in _corners_of(mark, text, around):
            x = min(max(0.0, left), image_wh[0] - text.width)
            y = min(max(0.0, top), image_wh[1] - text.height)
            x, y = snapped(x), snapped(y)
            yield Rect(x, y, x + text.width, y + text.height)


def _corners_of(mark: PlacedMark, text: RenderedText, around: Rect) -> Iterator[tuple[float, float]]:
    """Yield the top left corners of the positions at which a text touches a rectangle from outside."""
    spare_width = around.right - around.left - text.width
    spare_height = around.bottom - around.top - text.height
    if mark.prompt.kind in {"box", "polygon", "mask"}:
        for y in (around.top - text.height, around.bottom):
            yield from ((around.left + share * spare_width, y) for share in _SHARES)
        for x in (around.right, around.left - text.width):
            yield from ((x, around.top + share * spare_height) for share in _SHARES)
        return
    sides: Sequence[tuple[float, float]] = _SIDES
    if mark.prompt.kind == "arrow":
        (x0, y0), (x1, y1) = mark.points
        sides = sorted(_SIDES, key=lambda side: _turned_away(side, (x1 - x0, y1 - y0)))
    for across, along in sides:
        yield (
            (around.left + around.right - text.width) / 2 + across * (around.right - around.left + text.width) / 2,
            (around.top + around.bottom - text.height) / 2 + along * (around.bottom - around.top + text.height) / 2,
        )


def _turned_away(side: tuple[float, float], direction: tuple[float, float]) -> float:
    """Return the cosine, to two digits, of the angle between a side and an arrow's direction; smallest at its tail."""
    (x, y), (u, v) = side, direction
    return round(float((x * u + y * v) / ((x * x + y * y) * (u * u + v * v)) ** 0.5), 2)
