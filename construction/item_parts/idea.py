"""Ideas for manipulations: the step `ideas` plans them for an image, and later steps carry them out.

Ideas are stored as one value of the image, `ideas.planned`: a canonical JSON list. Coordinates are pixels of the
upright source, from its top left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, TypeAdapter, model_serializer

from benchwright.canonical import canonical_json
from benchwright.facts import Color, Way
from benchwright.records import MaskRuns

Text = Annotated[str, Field(min_length=1, max_length=600)]
Box = tuple[float, float, float, float]
Point = tuple[float, float]
Level = Literal["low", "high"]


class _Planned(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class GroundedSubject(_Planned):
    """A subject or object in the natural image.

    Args:
        phrase: Phrase for questions, such as `the woman`.
        box: Box as x0, y0, x1, y1; None if not stated.
        inside: Points that certainly belong to it.
        outside: Points that certainly do not belong to it.
        mask: Its stated outline, with a cell for each pixel of the picture; omitted from documents if not stated.
    """

    phrase: Text
    box: Box | None = None
    inside: tuple[Point, ...] = ()
    outside: tuple[Point, ...] = ()
    mask: MaskRuns | None = None

    @model_serializer(mode="wrap")
    def _without_an_absent_mask(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if name != "mask" or value is not None}


class Change(_Planned):
    """Values of one level of perception for the natural and the manipulated image.

    Args:
        aspect: Aspect of the comparison, such as `the object in the man's hands` or `what the man is doing`.
        natural: Natural value, such as `a tennis racket`.
        manipulated: Manipulated value, such as `a gun`.
        ask_natural: A yes/no question that is true of the natural image only; None lets a template write it.
        ask_manipulated: A yes/no question that is true of the manipulated image only; None lets a template write it.
        others: Further values that fit neither image, for distractors.
        tempting: Wrong values that the low-level clues of the manipulated image suggest.
    """

    aspect: Text
    natural: Text
    manipulated: Text
    ask_natural: Text | None = None
    ask_manipulated: Text | None = None
    others: tuple[Text, ...] = ()
    tempting: tuple[Text, ...] = ()


class Donor(_Planned):
    """Another picture of the run from which an editor without weights takes pixels.

    Args:
        image_id: Id of the picture.
        of: Object to take, or one by which a background is recognized; None takes the whole picture as a background.
        ground: Row, as a fraction of the height, below which a subject before this background can stand: 0 if it needs
            no ground, 1 if the background shows none. Omitted from documents if 0.
    """

    image_id: str
    of: GroundedSubject | None = None
    ground: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_serializer(mode="wrap")
    def _without_an_absent_ground(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if name != "ground" or value > 0}


class Idea(_Planned):
    """One manipulation of one image.

    Args:
        idea_id: Unique within the image, such as `B2-1`.
        category: One of the thirteen, such as `B2` (`benchwright.facts.CATEGORIES`).
        way: Kind of edit that makes it.
        subject: The main subject, which keeps its identity unless the category is about it.
        target: Object that partial substitution replaces; None for other kinds of edits.
        low: Low-level change, made in the image.
        high: High-level change, which people perceive.
        natural_caption: Caption of the source.
        manipulated_caption: Caption of the intended image; the prompt of an inpainting model.
        instruction: Instruction for a model that edits by instruction.
        donor: Source of pixels for an editor without weights.
        effect: Name of an alteration that needs no weights, such as `cartoon`; None for other edits.
        color: Color that an editor without weights gives the target; omitted from documents if it keeps its color.
        levels: Levels for its questions.
        written_by: `template`, or the model that wrote the idea.
    """

    idea_id: Annotated[str, Field(pattern=r"^[A-Z][0-9](-[0-9]{1,3})?$")]
    category: Annotated[str, Field(pattern=r"^[BRIES][1-4]$")]
    way: Way
    subject: GroundedSubject
    target: GroundedSubject | None = None
    low: Change
    high: Change
    natural_caption: Text
    manipulated_caption: Text
    instruction: Text
    donor: Donor | None = None
    effect: str | None = None
    color: Color | None = None
    levels: tuple[Level, ...] = ("low", "high")
    written_by: Text = "template"

    @model_serializer(mode="wrap")
    def _without_an_absent_color(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if name != "color" or value is not None}


_IDEAS: TypeAdapter[tuple[Idea, ...]] = TypeAdapter(tuple[Idea, ...])


def packed(ideas: Sequence[Idea]) -> str:
    """Return ideas encoded as the value of an image."""
    return canonical_json([idea.model_dump(mode="json") for idea in ideas])


def unpacked(text: str) -> tuple[Idea, ...]:
    """Return the ideas encoded in an image's value."""
    return _IDEAS.validate_json(text)
