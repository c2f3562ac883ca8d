"""Visual prompts drawn into pixels, anti-aliased, with a thin contrast halo.

A prompt stays a vector until `draw` renders it. Coordinates are floats with pixel centers at +0.5: the point (0.5, 0.5)
is the center of the top left pixel. Sizes scale with the image's height (`PromptStyle.reference_height_px`) down to a
minimum at which a mark is still visible. Drawing changes only the pixels around a mark.

Labels of rings, dots, boxes, polygons, masks and arrows go next to their mark. A label gets the position that its
prompt names, or else the first position of a fixed list that covers no mark, no marked object and no other label. If
there is none, it is placed farther away, at the end of a thin line (`benchwright.drawing.labels`). Letters and numbers
are badges that contain their label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchwright.drawing.areas import Rect
from benchwright.drawing.labels import LabelPlace, Leader, place_labels
from benchwright.drawing.lettering import RenderedText, render, snapped, stamp
from benchwright.drawing.marks import PlacedMark, PromptError, mark_of
from benchwright.drawing.masks import PlacedMask, mask_of, paint_mask
from benchwright.drawing.painting import Pixels, coats, paint
from benchwright.drawing.shapes import Segments
from benchwright.records import VisualPrompt

__all__ = [
    "Drawing",
    "DrawnPrompt",
    "PromptError",
    "check_prompt",
    "draw",
    "draw_prompts",
    "lay_out",
    "mask_of",
]


@dataclass(frozen=True)
class DrawnPrompt:
    """A requested prompt and the mark drawn for it, in pixels of the image.

    Attributes:
        prompt: Prompt as requested.
        points: The center; or the corners, the upper left one first; or the tail and tip; or a polygon's corners.
        radius_px: Radius of a ring's center line or of a dot; at most half the height of a badge; half the width of an
            arrow's head; None for other kinds.
        line_px: Width of the line; None for dots and badges.
        halo_px: Width of the halo beyond the mark.
        text_px: Size of the label's font; None without a label.
        covers: Rectangle around mark and halo; may extend beyond the image.
        label_box: Rectangle around the label and its halo; None without a label.
        leader: Line from the mark to its label, if the label is not next to the mark.
    """

    prompt: VisualPrompt
    points: tuple[tuple[float, float], ...]
    radius_px: float | None
    line_px: float | None
    halo_px: float
    text_px: float | None
    covers: Rect
    label_box: Rect | None
    leader: Leader | None

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON document, with the requested prompt under `requested`."""
        return {
            "kind": self.prompt.kind,
            "label": self.prompt.label,
            "points": [list(point) for point in self.points],
            "radius_px": self.radius_px,
            "line_px": self.line_px,
            "halo_px": self.halo_px,
            "text_px": self.text_px,
            "covers_xyxy": list(self.covers),
            "label_box_xyxy": None if self.label_box is None else list(self.label_box),
            "leader": None if self.leader is None else [list(point) for point in self.leader],
            "requested": self.prompt.model_dump(mode="json", exclude={"image_id"}),
        }


@dataclass(frozen=True)
class Drawing:
    """A picture with its marks.

    Attributes:
        pixels: (height, width, 3) RGB.
        drawn: Records of the drawn marks, in the order of the prompts.
    """

    pixels: Pixels
    drawn: tuple[DrawnPrompt, ...]


_Ready = tuple[PlacedMark, RenderedText | None, LabelPlace | None]


def draw(pixels: Pixels, prompts: Sequence[VisualPrompt]) -> Drawing:
    """Draw prompts on a copy of an image in the given order: all marks, then all labels.

    Args:
        pixels: Image, (height, width, 3) RGB, not changed.
        prompts: Prompts; their `image_id` is ignored.

    Raises:
        PromptError: A prompt cannot be drawn on this image, or there is no room for a label.
    """
    layout = _layout(prompts, width=pixels.shape[1], height=pixels.shape[0])
    drawn = pixels.copy()
    for mark, text, place in layout:
        _draw_mark(drawn, mark)
        if mark.is_badge:
            _draw_label(drawn, mark, text, place)
    for mark, _, place in layout:
        if place is not None and place.leader is not None:
            _draw_leader(drawn, mark, place.leader)
    for mark, text, place in layout:
        if not mark.is_badge:
            _draw_label(drawn, mark, text, place)
    return Drawing(drawn, tuple(_record(mark, place) for mark, _, place in layout))


def draw_prompts(pixels: Pixels, prompts: Sequence[VisualPrompt]) -> Pixels:
    """Return a copy of an image with prompts drawn, as by `draw`.

    Raises:
        PromptError: A prompt cannot be drawn, as in `draw`.
    """
    return draw(pixels, prompts).pixels


def lay_out(prompts: Sequence[VisualPrompt], *, width: int, height: int) -> tuple[DrawnPrompt, ...]:
    """Return the records of `draw` for an image of the given size, to check that all marks and labels have room.

    Raises:
        PromptError: A prompt cannot be drawn, as in `draw`.
    """
    return tuple(_record(mark, place) for mark, _, place in _layout(prompts, width=width, height=height))


def check_prompt(prompt: VisualPrompt, *, width: int, height: int) -> None:
    """Check that a prompt can be drawn on an image of the given size, regardless of room for its label.

    Raises:
        PromptError: The prompt cannot be drawn; `key` names the wrong key.
    """
    mark_of(prompt, width=width, height=height)


def _layout(prompts: Sequence[VisualPrompt], *, width: int, height: int) -> list[_Ready]:
    """Return every mark with its label and the label's position."""
    marks = [mark_of(prompt, width=width, height=height) for prompt in prompts]
    texts = [
        render(mark.prompt.label, mark.sizes.text, halo_px=0.0 if mark.is_badge else mark.sizes.halo)
        if mark.prompt.label and mark.prompt.label.strip()
        else None
        for mark in marks
    ]
    beside = [None if mark.is_badge else text for mark, text in zip(marks, texts, strict=True)]
    places = place_labels(marks, beside, width=width, height=height)
    return [
        (mark, text, _within(mark, text) if mark.is_badge and text is not None else place)
        for mark, text, place in zip(marks, texts, places, strict=True)
    ]


def _within(mark: PlacedMark, text: RenderedText) -> LabelPlace:
    """Return the position of a badge's label, at the badge's center."""
    x, y = mark.points[0]
    left, top = snapped(x - text.width / 2), snapped(y - text.height / 2)
    return LabelPlace(Rect(left, top, left + text.width, top + text.height))


def _draw_mark(pixels: Pixels, mark: PlacedMark) -> None:
    line, halo = mark.sizes.line, mark.sizes.halo
    if isinstance(mark.shape, PlacedMask):
        paint_mask(pixels, mark.shape, line=line, halo=halo, color=mark.color, contrast=mark.contrast)
        return
    paint(pixels, mark.shape, mark.bounds, coats(halo=halo, color=mark.color, contrast=mark.contrast))


def _draw_leader(pixels: Pixels, mark: PlacedMark, leader: Leader) -> None:
    line, halo = max(1.0, mark.sizes.line / 2), mark.sizes.halo
    (x0, y0), (x1, y1) = leader
    shape = Segments(np.array([leader[0]]), np.array([leader[1]]), line)
    bounds = Rect(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)).grown(line / 2 + halo)
    paint(pixels, shape, bounds, coats(halo=halo, color=mark.color, contrast=mark.contrast))


def _draw_label(pixels: Pixels, mark: PlacedMark, text: RenderedText | None, place: LabelPlace | None) -> None:
    if text is not None and place is not None:
        ink = mark.contrast if mark.is_badge else mark.color
        stamp(pixels, text, left=place.box.left, top=place.box.top, ink=ink, halo=mark.contrast)


def _record(mark: PlacedMark, place: LabelPlace | None) -> DrawnPrompt:
    kind, sizes = mark.prompt.kind, mark.sizes
    return DrawnPrompt(
        prompt=mark.prompt,
        points=mark.points,
        radius_px=None if kind in {"box", "polygon", "mask"} else sizes.radius,
        line_px=None if kind in {"dot", "letter", "number"} else sizes.line,
        halo_px=sizes.halo,
        text_px=None if place is None else sizes.text,
        covers=mark.bounds,
        label_box=None if place is None else place.box,
        leader=None if place is None else place.leader,
    )
