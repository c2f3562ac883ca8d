"""A protocol that redraws the marks from their vectors, in another size or colour (BLINK figure 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from ..questions.question import Question, QuestionImage, Released, question_of
from .base import JudgedReply, ProtocolQuestion
from .templated import Templated

if TYPE_CHECKING:
    from benchwright.records import Item

_COLORS = {"red": "#ff0000", "gray": "#808080", "grey": "#808080", "green": "#00ff00", "blue": "#0000ff"}


class Marks(Templated):
    """Ask with every mark in another radius, line or colour, in the same place. Items without marks are not asked."""

    name: ClassVar[str] = "marks"
    source: ClassVar[str] = "BLINK section 4.3 (figure 7: radius 5, 10, 15 px at a height of 1024; red, gray)"

    radius_px: float | None = Field(None, gt=0, le=512)
    """Radius on a picture `reference_height_px` high; as released where None."""
    line_px: float | None = Field(None, gt=0, le=512)
    color: str | None = Field(None, pattern=r"^(#[0-9a-f]{6}|red|gray|grey|green|blue)$")
    """As `#rrggbb`, or red, gray, green or blue."""

    def takes(self, item: Item) -> bool:
        """Return whether any picture of the item has marks."""
        return any(image.prompts for image in item.images)

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question with its marks in the new style."""
        del earlier
        return [self.put(released.item, self.as_shown(question_of(released)), note={"style": self._style()})]

    def as_shown(self, question: Question) -> Question:
        """Return a question with its marks in the new style."""
        style = self._style()
        return replace(question, pictures=tuple(_restyled(picture, style) for picture in question.pictures))

    def _style(self) -> dict[str, Any]:
        color = None if self.color is None else _COLORS.get(self.color, self.color)
        style = {"color": color, "line_px": self.line_px, "radius_px": self.radius_px}
        return {name: value for name, value in style.items() if value is not None}


def _restyled(picture: QuestionImage, style: dict[str, Any]) -> QuestionImage:
    prompts = tuple(
        prompt.model_copy(update={"style": prompt.style.model_copy(update=style)}) for prompt in picture.prompts
    )
    return replace(picture, prompts=prompts)
