"""An idea for a manipulation: what the step `ideas` plans of an image, and what later steps make of it.

Ideas travel as one value of the image, `ideas.planned`: a canonical JSON list. Coordinates are pixels of the upright
source, from its top left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from benchwright.canonical import canonical_json

Way = Literal["partial", "background", "direct"]
"""Partial component substitution, overall background substitution, direct alteration (section 4.1, step 2)."""

Text = Annotated[str, Field(min_length=1, max_length=600)]
Box = tuple[float, float, float, float]
Point = tuple[float, float]


class _Planned(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Grounded(_Planned):
    """Something in the natural image.

    Args:
        phrase: Phrase as a question calls it, such as `the woman`.
        box: x0, y0, x1, y1; None where nobody said where it is.
        inside: Points that surely belong to it.
        outside: Points that surely do not.
    """

    phrase: Text
    box: Box | None = None
    inside: tuple[Point, ...] = ()
    outside: tuple[Point, ...] = ()


class Change(_Planned):
    """What one level of perception says of the natural and of the manipulated image.

    Args:
        aspect: What is looked at, such as `the object in the man's hands` or `what the man is doing`.
        natural: Natural value, such as `a tennis racket`.
        manipulated: Manipulated value, such as `a gun`.
        ask_natural: A yes/no question that is true of the natural image only; None lets a template write it.
        ask_manipulated: One that is true of the manipulated image only.
        others: Further values that fit neither image, for distractors.
        tempting: Values that the low-level clues of the manipulated image suggest and that are wrong all the same.
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
        image_id: The picture.
        of: What is taken; None takes all of the picture, as a background.
    """

    image_id: str
    of: Grounded | None = None


class Idea(_Planned):
    """One manipulation of one image.

    Args:
        idea_id: Unique within the image, such as `B2-1`.
        category: One of the thirteen, such as `B2` (`idea_categories`).
        way: Which kind of edit makes it.
        subject: The main subject, which keeps its identity unless the category is about it.
        target: What partial substitution replaces; None for the other ways.
        low: The change that is made.
        high: What people perceive of it.
        natural_caption: Caption of the source.
        manipulated_caption: Caption of what is wanted; the prompt of an inpainting model.
        instruction: For a model that edits by instruction.
        donor: For an editor without weights.
        effect: Name of an alteration without weights, such as `cartoon`; else None.
        written_by: `template`, or the model that wrote the idea.
    """

    idea_id: Annotated[str, Field(pattern=r"^[A-Z][0-9](-[0-9]{1,3})?$")]
    category: Annotated[str, Field(pattern=r"^[BRIES][1-4]$")]
    way: Way
    subject: Grounded
    target: Grounded | None = None
    low: Change
    high: Change
    natural_caption: Text
    manipulated_caption: Text
    instruction: Text
    donor: Donor | None = None
    effect: str | None = None
    written_by: Text = "template"


IDEAS: TypeAdapter[tuple[Idea, ...]] = TypeAdapter(tuple[Idea, ...])


def packed(ideas: Sequence[Idea]) -> str:
    """Return ideas as the value of an image holds them."""
    return canonical_json([idea.model_dump(mode="json") for idea in ideas])


def unpacked(text: str) -> tuple[Idea, ...]:
    """Return the ideas of an image's value."""
    return IDEAS.validate_json(text)
