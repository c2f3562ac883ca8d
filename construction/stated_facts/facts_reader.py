"""Access to an image's facts, which come from the step `facts`, and to the picture that its items show."""

from __future__ import annotations

import json
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.facts import read_facts as read_facts  # noqa: PLC0414  offered by the room, for who reads files from Python
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, Outcome, PictureFidelity

from ..item_parts.pictures.scaling import shrink, size_within

NO_FACTS = "no_facts"
FACTS = "facts"
"""Entry of the step `facts`, unless a recipe gives it another name."""


def stated(record: ImageRecord, ctx: Context, use: str, *, stated_by: str = FACTS) -> Any:
    """Return the decoded value of `facts` for a use, or None if nothing is stated about the image for that use.

    Args:
        record: The image.
        ctx: Context of the step.
        use: Name of the value, such as `subjects`.
        stated_by: Entry of the step `facts` in the recipe.
    """
    text = ctx.value(record.image_id, f"{stated_by}.{use}")
    return None if text is None else json.loads(text)


class FactsReader(MapStep):
    """A step that makes items from facts; its setting `stated_by` names the entry that states them."""

    picture_fidelity: ClassVar[PictureFidelity] = "visual"
    uses: ClassVar[tuple[str, ...]]
    """Names of the values that the step reads from that entry."""

    stated_by: str = Field(FACTS, pattern=r"^[a-z0-9_.]+$")

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the values that hold the facts."""
        return tuple(f"{self.stated_by}.{use}" for use in self.uses)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including the facts' entry only if it is not the
        default one.
        """
        return {name: value for name, value in super().parameters().items() if name != "stated_by" or value != FACTS}

    def stated(self, record: ImageRecord, ctx: Context, use: str) -> Any:
        """Return the decoded facts of an image for a use, or None if no facts are stated for that use."""
        return stated(record, ctx, use, stated_by=self.stated_by)


def nothing_stated() -> Outcome:
    """Return the outcome for an image from which a step makes no items because no facts are stated."""
    return Outcome("drop", NO_FACTS)


class ShownPicture(NamedTuple):
    """A picture in the form in which items show it.

    Args:
        record: Record of the image that items list.
        pixels: Upright pixels, (height, width, 3), read-only if they are the source's.
        scale: Pixels of the picture per pixel of the upright source.
        made: The picture's record if the picture was made for the items; empty if the source itself is shown.
    """

    record: ImageRecord
    pixels: NDArray[np.uint8]
    scale: float
    made: tuple[ImageRecord, ...]


def as_shown(record: ImageRecord, ctx: Context, *, max_side_px: int) -> ShownPicture:
    """Return the source itself if its file can be shown unchanged, otherwise an upright picture, reduced if necessary.

    A file with metadata such as an EXIF orientation is not shown unchanged, because a viewer that ignores the metadata
    would show other pixels.
    """
    pixels = ctx.images.rgb(record)
    size_wh = size_within(record.width, record.height, max_side_px=max_side_px)
    if size_wh == (record.width, record.height) and not record.notes:
        return ShownPicture(record, pixels, 1.0, ())
    smaller = shrink(pixels, (max(1, size_wh[0]), max(1, size_wh[1])))
    made = ctx.store_image(smaller, parents=[record])
    return ShownPicture(made, smaller, max(made.width, made.height) / max(record.width, record.height), (made,))
