"""Visual prompts drawn into pixels: rings, dots, boxes and letters, anti-aliased, with a thin contrast halo.

A prompt stays a vector until it is drawn. Coordinates are floats with pixel centres at +0.5: the point (0.5, 0.5)
is the middle of the top left pixel. Sizes scale with the image's height (`PromptStyle.reference_height_px`) down to
a minimum at which a mark can still be seen. Only pixels around a mark are touched, with `SUB` x `SUB` samples each.

Labels of rings, dots and boxes stand beside them, at the first of a fixed list of places that lies inside the
image and covers neither a mark nor an earlier label; failing that, one that leaves every marked point free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import StepError
from benchwright.lettering import (
    HALO_OPACITY,
    SUB,
    Color,
    Pixels,
    Rect,
    blend,
    ink_width,
    place_beside,
    render,
    stamp,
)
from benchwright.records import PromptKind, VisualPrompt

_BAND_ROWS = 64
_LEAST_LINE_PX = 1.5
_LEAST_TEXT_PX, _MOST_TEXT_PX = 12.0, 512.0
_LEAST_RADIUS_PX = {"ring": 4.0, "dot": 2.5, "letter": 8.0, "box": 0.0}
_LONGEST_LABEL = 24

Axis = NDArray[np.float64]
Shape = Callable[[Axis, Axis, float], NDArray[np.bool_]]
"""(x of columns, y of rows, growth in pixels) to the samples that lie in a shape grown by that much."""


@dataclass(frozen=True)
class _Mark:
    """A prompt that has been checked, with its sizes in pixels of the image at hand."""

    kind: PromptKind
    points: tuple[tuple[float, float], ...]
    label: str
    color: Color
    radius: float
    line: float
    text_px: float

    @property
    def halo(self) -> float:
        return max(0.8, 0.35 * self.line)

    @property
    def contrast(self) -> Color:
        """Black for light colours and white for dark ones (ITU-R BT.601 luma)."""
        red, green, blue = self.color
        return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else (255, 255, 255)

    @property
    def half_width(self) -> float:
        """By how much the disc of a letter is drawn out to each side, so that longer labels fit."""
        if self.kind != "letter":
            return 0.0
        return max(0.0, ink_width(self.label, self.text_px) / 2 - 0.62 * self.radius)

    @property
    def bounds(self) -> Rect:
        """What the mark and its halo cover, without a label beside it."""
        (x0, y0), (x1, y1) = self.points[0], self.points[-1]
        outline = self.line / 2 if self.kind in {"ring", "box"} else 0.0
        reach = self.radius if self.kind != "box" else 0.0
        return Rect(x0 - self.half_width, y0, x1 + self.half_width, y1).grown(reach + outline + self.halo)

    def solid(self) -> tuple[Rect, ...]:
        """Return what labels should not cover: of a box only its sides."""
        if self.kind != "box":
            return (self.bounds,)
        edge, thick = self.bounds, self.line + 2 * self.halo
        return (
            edge._replace(bottom=edge.top + thick),
            edge._replace(top=edge.bottom - thick),
            edge._replace(right=edge.left + thick),
            edge._replace(left=edge.right - thick),
        )


def draw_prompts(pixels: Pixels, prompts: Sequence[VisualPrompt]) -> Pixels:
    """Return a copy of an image with prompts drawn in the given order, labels after all marks.

    Args:
        pixels: (height, width, 3) RGB, left as it is.
        prompts: Of kind ring, dot, letter (one point) or box (two corners).

    Raises:
        StepError: A kind that cannot be drawn, a point outside the image, a wrong number of points, a letter
            without a label, or a label for which there is no room.
    """
    height, width = pixels.shape[:2]
    marks = [_mark(prompt, width=width, height=height) for prompt in prompts]
    drawn = pixels.copy()
    for mark in marks:
        _DRAW[mark.kind](drawn, mark)
    taken: list[Rect] = []
    for mark in marks:
        if mark.label and mark.kind != "letter":
            taken.append(_draw_label(drawn, mark, marks=marks, taken=taken))
    return drawn


def _mark(prompt: VisualPrompt, *, width: int, height: int) -> _Mark:
    """Check a prompt and scale it to the image."""
    kind, points, label, style = prompt.kind, prompt.points, prompt.label or "", prompt.style
    if kind not in _DRAW:
        raise StepError(f"visual prompts of kind {kind!r} cannot be drawn; those of {', '.join(_DRAW)} can")
    if len(points) != (wanted := 2 if kind == "box" else 1):
        raise StepError(f"a visual prompt of kind {kind!r} takes {wanted} point(s), not {len(points)}")
    for x, y in points:
        if not (0 <= x <= width and 0 <= y <= height):
            raise StepError(f"the {kind} at ({x:g}, {y:g}) lies outside the image of {width} x {height} pixels")
    if len(label) > _LONGEST_LABEL or not label.isprintable():
        raise StepError(f"the label {label!r} cannot be drawn; up to {_LONGEST_LABEL} printable characters can")
    if kind == "letter" and not label.strip():
        raise StepError("a visual prompt of kind 'letter' needs a label")
    if kind == "box":
        (x0, y0), (x1, y1) = points
        points = ((min(x0, x1), min(y0, y1)), (max(x0, x1), max(y0, y1)))
    scale = height / style.reference_height_px
    radius = max(style.radius_px * scale, _LEAST_RADIUS_PX[kind])
    if 2 * radius > max(width, height):
        raise StepError(f"a {kind} of radius {radius:g} px is larger than the image of {width} x {height} pixels")
    text_px = 1.4 * radius if kind == "letter" else max(2 * style.radius_px * scale, _LEAST_TEXT_PX)
    red, green, blue = bytes.fromhex(style.color[1:])
    line = max(style.line_px * scale, _LEAST_LINE_PX)
    return _Mark(kind, points, label, (red, green, blue), radius, line, min(text_px, _MOST_TEXT_PX))


def _windows(pixels: Pixels, bounds: Rect) -> Iterator[tuple[Pixels, Axis, Axis]]:
    """Yield (area, x of its sample columns, y of its sample rows) for the pixels that a rectangle touches."""
    height, width = pixels.shape[:2]
    left, right = max(0, int(bounds.left)), min(width, int(bounds.right) + 1)
    first, last = max(0, int(bounds.top)), min(height, int(bounds.bottom) + 1)
    steps = (np.arange(SUB) + 0.5) / SUB
    columns = (np.arange(left, right)[:, None] + steps).reshape(1, -1)
    for top in range(first, last, _BAND_ROWS):
        bottom = min(top + _BAND_ROWS, last)
        yield (
            pixels[top:bottom, left:right],
            columns,
            (np.arange(top, bottom)[:, None] + steps).reshape(-1, 1),
        )


def _paint(pixels: Pixels, bounds: Rect, shape: Shape, mark: _Mark) -> None:
    """Draw a shape in the mark's colour over its halo, within a rectangle."""
    for area, x, y in _windows(pixels, bounds):
        for growth, color, opacity in ((mark.halo, mark.contrast, HALO_OPACITY), (0.0, mark.color, 1.0)):
            samples = shape(x, y, growth).reshape(area.shape[0], SUB, area.shape[1], SUB)
            blend(area, opacity * samples.mean(axis=(1, 3)), color)


def _draw_ring(pixels: Pixels, mark: _Mark) -> None:
    cx, cy = mark.points[0]

    def shape(x: Axis, y: Axis, growth: float) -> NDArray[np.bool_]:
        squared, half = (x - cx) ** 2 + (y - cy) ** 2, mark.line / 2 + growth
        return (squared <= (mark.radius + half) ** 2) & (squared >= max(0.0, mark.radius - half) ** 2)

    _paint(pixels, mark.bounds, shape, mark)


def _draw_disc(pixels: Pixels, mark: _Mark) -> None:
    cx, cy = mark.points[0]

    def shape(x: Axis, y: Axis, growth: float) -> NDArray[np.bool_]:
        aside = np.maximum(np.abs(x - cx) - mark.half_width, 0.0)
        return aside**2 + (y - cy) ** 2 <= (mark.radius + growth) ** 2

    _paint(pixels, mark.bounds, shape, mark)


def _draw_box(pixels: Pixels, mark: _Mark) -> None:
    (x0, y0), (x1, y1) = mark.points

    def shape(x: Axis, y: Axis, growth: float) -> NDArray[np.bool_]:
        outside = np.maximum(np.maximum(x0 - x, x - x1), np.maximum(y0 - y, y - y1))
        return np.abs(outside) <= mark.line / 2 + growth

    # Four windows that share no pixel, so that the inside of a large box is not sampled.
    edge, reach = mark.bounds, mark.line / 2 + mark.halo
    top, bottom = int(y0 + reach) + 1, int(y1 - reach)
    left, right = int(x0 + reach) + 1, int(x1 - reach)
    if top >= bottom or left >= right:
        _paint(pixels, edge, shape, mark)
        return
    between = edge._replace(top=top, bottom=bottom - 0.5)
    for window in (
        edge._replace(bottom=top - 0.5),
        edge._replace(top=bottom),
        between._replace(right=left - 0.5),
        between._replace(left=right),
    ):
        _paint(pixels, window, shape, mark)


def _draw_letter(pixels: Pixels, mark: _Mark) -> None:
    _draw_disc(pixels, mark)
    text = render(mark.label, mark.text_px, halo_px=0.0)
    x, y = mark.points[0]
    place = {"left": x - text.width / 2, "top": y - text.height / 2}
    stamp(pixels, text, ink=mark.contrast, halo=mark.contrast, **place)


_DRAW: dict[PromptKind, Callable[[Pixels, _Mark], None]] = {
    "ring": _draw_ring,
    "dot": _draw_disc,
    "box": _draw_box,
    "letter": _draw_letter,
}


def _draw_label(pixels: Pixels, mark: _Mark, *, marks: Sequence[_Mark], taken: Sequence[Rect]) -> Rect:
    """Draw a mark's label at the first good place and return what it covers."""
    text = render(mark.label, mark.text_px, halo_px=mark.halo)
    solid = [rect for other in marks for rect in other.solid()]
    points = [Rect(x, y, x, y).grown(1.0) for other in marks if other.kind != "box" for x, y in other.points]
    place = place_beside(
        mark.bounds,
        text,
        gap=max(1.0, mark.line / 3),
        inset=mark.line + 2 * mark.halo,
        image_wh=(pixels.shape[1], pixels.shape[0]),
        avoid=([*solid, *taken], [*points, *taken]),
    )
    if place is None:
        x, y = mark.points[0]
        raise StepError(f"there is no room for the label {mark.label!r} of the {mark.kind} at ({x:g}, {y:g})")
    stamp(pixels, text, left=place.left, top=place.top, ink=mark.color, halo=mark.contrast)
    return place
