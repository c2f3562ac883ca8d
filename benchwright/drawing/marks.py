"""Marks: prompts checked and scaled to an image's size, with their shape and the area they mark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchwright.drawing.areas import Area, Areas, Disc, PolygonArea, Rect
from benchwright.drawing.lettering import has_glyph, ink_width
from benchwright.drawing.masks import PlacedMask
from benchwright.drawing.painting import Color
from benchwright.drawing.shapes import Badge, BoxSides, FilledPolygon, Ring, Segments, Shape
from benchwright.errors import StepError
from benchwright.records import PromptKind, VisualPrompt

_LEAST_LINE_PX = 1.5
_LEAST_TEXT_PX, _MOST_TEXT_PX = 12.0, 512.0
_LEAST_RADIUS_PX: dict[PromptKind, float] = {
    "ring": 4.0,
    "dot": 2.5,
    "letter": 8.0,
    "number": 8.0,
    "arrow": 4.0,
    "box": 0.0,
    "polygon": 0.0,
    "mask": 0.0,
}
_POINTS: dict[PromptKind, int] = {"ring": 1, "dot": 1, "letter": 1, "number": 1, "box": 2, "mask": 2, "arrow": 2}
_LONGEST_LABEL = 24
_MOST_CORNERS = 10_000
_LEAST_ARROW_PX = 6.0


class PromptError(StepError):
    """A visual prompt cannot be drawn.

    Attributes:
        key: Name of the prompt's invalid key.
        number: Index of the prompt among several; None if unknown.
    """

    def __init__(self, key: str, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.key = key
        self.number = number

    def __reduce__(self) -> tuple[type[PromptError], tuple[str, str, int | None]]:
        return type(self), (self.key, str(self), self.number)


class Sizes(NamedTuple):
    """Sizes that a style prescribes for an image, in pixels of the image."""

    radius: float
    line: float
    halo: float
    text: float


@dataclass(frozen=True, eq=False)
class PlacedMark:
    """A checked prompt with its geometry in pixels of the image."""

    prompt: VisualPrompt
    points: tuple[tuple[float, float], ...]
    sizes: Sizes
    shape: Shape | PlacedMask
    bounds: Rect
    """Rectangle around the mark and its halo, excluding a label next to the mark."""
    area: Area
    """Area that labels must not cover: the mark and the marked object."""
    beside: Rect
    """Rectangle next to which the mark's own label is placed."""

    @property
    def color(self) -> Color:
        """Return the mark's color."""
        red, green, blue = bytes.fromhex(self.prompt.style.color[1:])
        return red, green, blue

    @property
    def contrast(self) -> Color:
        """Return black as the contrast to light colors and white to dark ones (ITU-R BT.601 luma)."""
        red, green, blue = self.color
        return (0, 0, 0) if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else (255, 255, 255)

    @property
    def is_badge(self) -> bool:
        """Return whether the label is inside the mark."""
        return self.prompt.kind in {"letter", "number"}


def mark_of(prompt: VisualPrompt, *, width: int, height: int) -> PlacedMark:
    """Return the mark of a prompt, checked and scaled to an image.

    Raises:
        PromptError: The prompt cannot be drawn on the image.
    """
    kind, style = prompt.kind, prompt.style
    _check_points(prompt, width=width, height=height)
    _check_label(prompt)
    scale = height / style.reference_height_px
    radius = max(style.radius_px * scale, _LEAST_RADIUS_PX[kind])
    if kind not in {"box", "polygon", "mask"} and not 2 * radius <= max(width, height):
        raise PromptError(
            "style", f"a {kind} of radius {radius:g} px is larger than the image of {width} x {height} pixels"
        )
    line = max(style.line_px * scale, _LEAST_LINE_PX)
    if not line <= max(width, height):
        raise PromptError("style", f"a line of {line:g} px is wider than the image of {width} x {height} pixels")
    text = 1.4 * radius if kind in {"letter", "number"} else max(2 * style.radius_px * scale, _LEAST_TEXT_PX)
    sizes = Sizes(radius, line, max(0.8, 0.35 * line), min(text, _MOST_TEXT_PX))
    return _BUILD[kind](prompt, sizes)


def _check_points(prompt: VisualPrompt, *, width: int, height: int) -> None:
    kind, points = prompt.kind, prompt.points
    if (wanted := _POINTS.get(kind, len(points))) != len(points):
        raise PromptError("points", f"a visual prompt of kind {kind!r} takes {wanted} point(s), not {len(points)}")
    if kind == "polygon" and not 3 <= len(points) <= _MOST_CORNERS:
        raise PromptError("points", f"a polygon takes 3 to {_MOST_CORNERS:,} corners, not {len(points)}")
    for x, y in points:
        if not (0 <= x <= width and 0 <= y <= height):
            raise PromptError(
                "points", f"the {kind} at ({x:g}, {y:g}) lies outside the image of {width} x {height} pixels"
            )


def _check_label(prompt: VisualPrompt) -> None:
    kind, label = prompt.kind, prompt.label or ""
    if len(label) > _LONGEST_LABEL or not label.isprintable():
        raise PromptError(
            "label", f"the label {label!r} cannot be drawn; use up to {_LONGEST_LABEL} printable characters"
        )
    if strange := [character for character in label if not has_glyph(character)]:
        raise PromptError("label", f"the label {label!r} cannot be drawn, because the font has no {strange[0]!r}")
    if kind == "letter" and not label.strip():
        raise PromptError("label", "a visual prompt of kind 'letter' needs a label")
    if kind == "number" and not (label.isascii() and label.isdecimal()):
        raise PromptError("label", f"a visual prompt of kind 'number' needs a label of digits, not {label!r}")


def _ring(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    [(x, y)] = prompt.points
    reach = sizes.radius + sizes.line / 2 + sizes.halo
    bounds = Rect(x, y, x, y).grown(reach)
    shape = Ring(x, y, sizes.radius, sizes.line)
    return PlacedMark(prompt, prompt.points, sizes, shape, bounds, Disc(x, y, reach), bounds)


def _badge(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    """Return the mark of a dot (without text), a letter (round ends) or a number (round corners)."""
    [(x, y)] = prompt.points
    radius, corner, wider = sizes.radius, sizes.radius, 0.0
    if prompt.kind == "number":
        radius, corner = 0.92 * radius, 0.35 * radius
    if prompt.kind != "dot":
        wider = max(0.0, ink_width(prompt.label or "", sizes.text) / 2 - 0.62 * radius)
    shape = Badge(x, y, radius + wider, radius, corner)
    bounds = Rect(x - wider, y, x + wider, y).grown(radius + sizes.halo)
    area: Area = Disc(x, y, radius + sizes.halo) if prompt.kind == "dot" else bounds
    return PlacedMark(prompt, prompt.points, sizes, shape, bounds, area, bounds)


def _box(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    corners = _corners(prompt)
    bounds = corners.grown(sizes.line / 2 + sizes.halo)
    points = ((corners.left, corners.top), (corners.right, corners.bottom))
    return PlacedMark(prompt, points, sizes, BoxSides(*corners, sizes.line), bounds, bounds, bounds)


def _polygon(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    corners = np.array(prompt.points)
    reach = sizes.line / 2 + sizes.halo
    bounds = Rect(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()).grown(reach)
    shape = Segments(corners, np.roll(corners, -1, axis=0), sizes.line)
    return PlacedMark(prompt, prompt.points, sizes, shape, bounds, PolygonArea(prompt.points, reach), bounds)


def _mask(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    corners, reach = _corners(prompt), sizes.line / 2 + sizes.halo
    if prompt.mask is None:
        raise PromptError("mask", "a visual prompt of kind 'mask' needs its grid under the key 'mask'")
    if corners.left == corners.right or corners.top == corners.bottom:
        raise PromptError("points", "the two corners of a mask's grid must span a rectangle")
    placed = PlacedMask(prompt.mask, corners, reach)
    bounds = placed.bounds.grown(reach)
    points = ((corners.left, corners.top), (corners.right, corners.bottom))
    return PlacedMark(prompt, points, sizes, placed, bounds, placed, bounds)


def _arrow(prompt: VisualPrompt, sizes: Sizes) -> PlacedMark:
    tail, tip = np.array(prompt.points)
    length = float(np.hypot(*(tip - tail)))
    if not length >= _LEAST_ARROW_PX:
        raise PromptError(
            "points", f"an arrow of {length:g} px is too short to be seen; make it at least {_LEAST_ARROW_PX:g} px long"
        )
    head = min(max(2.2 * sizes.radius, 3.5 * sizes.line), 0.7 * length)
    along = (tip - tail) / length
    across = np.array([-along[1], along[0]])
    wide, thin = 0.42 * head, min(sizes.line / 2, 0.17 * head)
    barbs, neck = tip - head * along, tip - 0.82 * head * along
    corners = np.array(
        [
            tip,
            barbs + wide * across,
            neck + thin * across,
            tail + thin * across,
            tail - thin * across,
            neck - thin * across,
            barbs - wide * across,
        ]
    )
    bounds = Rect(*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()).grown(sizes.halo)
    outline = tuple((float(x), float(y)) for x, y in corners)
    area = Areas((PolygonArea(outline, sizes.halo), Disc(float(tip[0]), float(tip[1]), sizes.radius)))
    end = Rect(*tail.tolist(), *tail.tolist()).grown(thin + sizes.halo)
    drawn = sizes._replace(radius=wide, line=2 * thin)
    return PlacedMark(prompt, prompt.points, drawn, FilledPolygon(corners), bounds, area, end)


def _corners(prompt: VisualPrompt) -> Rect:
    (x0, y0), (x1, y1) = prompt.points
    return Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


_BUILD: dict[PromptKind, Callable[[VisualPrompt, Sizes], PlacedMark]] = {
    "ring": _ring,
    "dot": _badge,
    "letter": _badge,
    "number": _badge,
    "box": _box,
    "polygon": _polygon,
    "mask": _mask,
    "arrow": _arrow,
}
