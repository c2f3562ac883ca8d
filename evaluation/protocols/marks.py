"""A protocol that redraws the marks from their vectors, in another shape, size or color (BLINK figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import hypot
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from benchwright.images.decode import upright_size

from ..prompting.question import Question, QuestionImage, Released, question_of
from ..prompting.scaled_pictures import SCALED
from .base import JudgedReply, ProtocolQuestion
from .templated import Templated

if TYPE_CHECKING:
    from benchwright.records import Item, VisualPrompt

_COLORS = {"red": "#ff0000", "gray": "#808080", "grey": "#808080", "green": "#00ff00", "blue": "#0000ff"}
_POINTS = frozenset({"ring", "dot"})
"""Kinds of marks that indicate a point and can therefore take another shape."""
_LEAST_RADIUS_PX = 4.0
_ARROW_LENGTH = 4.0
"""Length of an arrow, as a multiple of the radius."""

Shape = Literal["ring", "dot", "box", "arrow"]


class Marks(Templated):
    """Ask with every mark in another shape, radius, line or color, in the same place.

    Only items with marks are asked; with a given shape, only those with a marked point.
    """

    name: ClassVar[str] = "marks"
    source: ClassVar[str] = "BLINK section 4.3 (figure 7: radius 5, 10, 15 px at a height of 1024; red, gray)"

    radius_px: float | None = Field(None, gt=0, le=512)
    """Radius on a picture of the reference height, usually 1,024 px; None keeps the released radius."""
    line_px: float | None = Field(None, gt=0, le=512)
    color: str | None = Field(None, pattern=r"^(#[0-9a-f]{6}|red|gray|grey|green|blue)$")
    """`#rrggbb`, or red, gray, green or blue."""
    shape: Shape | None = None
    """Shape of marked points: ring, dot, box (a square around the point) or arrow (toward it); None keeps the released
    shape.
    """
    height_px: int | None = Field(None, ge=16, le=8192)
    """Height to which pictures are scaled first and to which sizes refer (1,024 in BLINK). None leaves pictures as
    released; marks on low pictures are then large enough to be visible.
    """

    def takes(self, item: Item) -> bool:
        """Return whether any picture of the item has marks that this protocol changes."""
        prompts = [prompt for image in item.images for prompt in image.prompts]
        return any(self.shape is None or prompt.kind in _POINTS for prompt in prompts)

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question with its marks in the new style."""
        del earlier
        note: dict[str, Any] = {"style": self._style()} | ({} if self.shape is None else {"shape": self.shape})
        return [self.put(released.item, self.as_shown(question_of(released)), note=note)]

    def as_shown(self, question: Question) -> Question:
        """Return a question with its marks in the new style."""
        style = self._style()
        scaled = question if self.height_px is None else _scaled(question, self.height_px)
        pictures = (_reshaped(_restyled(picture, style), self.shape) for picture in scaled.pictures)
        return replace(scaled, pictures=tuple(pictures))

    def outline(self) -> Marks:
        """Return a protocol that asks as many questions in the same words, with unchanged pictures."""
        return self.model_copy(update={"height_px": None, "shape": None if self.shape is None else "ring"})

    def _style(self) -> dict[str, Any]:
        color = None if self.color is None else _COLORS.get(self.color, self.color)
        style = {
            "color": color,
            "line_px": self.line_px,
            "radius_px": self.radius_px,
            "reference_height_px": None if self.height_px is None else float(self.height_px),
        }
        return {name: value for name, value in style.items() if value is not None}


def _scaled(question: Question, height_px: int) -> Question:
    """Return the question with all pictures scaled to the same height, and marks and picture options adjusted."""
    pictures = [_scaled_picture(picture, height_px) for picture in question.pictures]
    new_ids = {old.image_id: new.image_id for old, new in zip(question.pictures, pictures, strict=True)}
    choices = tuple(
        choice if choice.image_id is None else choice.model_copy(update={"image_id": new_ids[choice.image_id]})
        for choice in question.choices
    )
    return replace(question, pictures=tuple(pictures), choices=choices)


def _scaled_picture(picture: QuestionImage, height_px: int) -> QuestionImage:
    scaled = SCALED.of(picture, height_px)
    across, down = scaled.factors
    prompts = tuple(
        prompt.model_copy(update={"points": tuple((x * across, y * down) for x, y in prompt.points)})
        for prompt in picture.prompts
    )
    return QuestionImage(scaled.image_id, prompts, scaled.data, is_scaled=True)


def _restyled(picture: QuestionImage, style: dict[str, Any]) -> QuestionImage:
    prompts = tuple(
        prompt.model_copy(update={"style": prompt.style.model_copy(update=style)}) for prompt in picture.prompts
    )
    return replace(picture, prompts=prompts, drawn=None)


def _reshaped(picture: QuestionImage, shape: Shape | None) -> QuestionImage:
    """Return a picture whose marked points have another shape, with other marks unchanged."""
    if shape is None or not any(prompt.kind in _POINTS for prompt in picture.prompts):
        return picture
    size_wh = None if shape in _POINTS else upright_size(picture.data)
    prompts = tuple(
        prompt.model_copy(update={"kind": shape, "points": _points_of(prompt, shape, size_wh)})
        if prompt.kind in _POINTS
        else prompt
        for prompt in picture.prompts
    )
    return replace(picture, prompts=prompts, drawn=None)


def _points_of(prompt: VisualPrompt, shape: Shape, size_wh: tuple[int, int] | None) -> tuple[tuple[float, float], ...]:
    """Return the points of a mark that is drawn in another shape: two corners around the point, or an arrow's tail and
    tip.
    """
    [(x, y)] = prompt.points
    if size_wh is None:
        return ((x, y),)
    width, height = size_wh
    radius = max(_LEAST_RADIUS_PX, prompt.style.radius_px * height / prompt.style.reference_height_px)
    if shape == "box":
        return (max(0.0, x - radius), max(0.0, y - radius)), (min(width, x + radius), min(height, y + radius))
    across, down = width / 2 - x, height / 2 - y
    far = hypot(across, down)
    # Away from the picture's middle, where there is space; straight down at the exact middle.
    along = (across / far, down / far) if far > 1 else (0.0, -1.0)
    length = _ARROW_LENGTH * radius
    tail = (min(max(x + along[0] * length, 0.0), width), min(max(y + along[1] * length, 0.0), height))
    return tail, (x, y)
