"""A region of a picture: the mark of an annotator or a model, as one checked record.

Coordinates are floats in the upright picture, (x, y) from its top left corner, with pixel centers at +0.5, as in visual
prompts. A region does not name its picture, which follows from the task, item or file that holds the region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, SerializerFunctionWrapHandler, ValidationError, model_serializer, model_validator

from benchwright.errors import BenchwrightError
from benchwright.records import MaskRuns, Record

RegionShape = Literal["point", "points", "box", "polygon", "mask", "correspondence"]
SHAPES: tuple[RegionShape, ...] = get_args(RegionShape)
MAX_CORNERS = 2_000
"""Largest number of points in one region."""
MAX_LABEL = 200
_COUNTS: Mapping[RegionShape, tuple[int, int]] = {
    "point": (1, 1),
    "points": (1, MAX_CORNERS),
    "box": (2, 2),
    "polygon": (3, MAX_CORNERS),
    "mask": (0, 0),
    "correspondence": (2, 2),
}
SizeWH = tuple[int, int]
"""Width and height of an upright picture in pixels."""


class RegionError(BenchwrightError):
    """A region is invalid, in itself or for its picture; the message gives the reason."""


class Proposal(Record):
    """A helper's proposal, before any change.

    Attributes:
        helper: Name of the helper, such as `grabcut`.
        version: Version of the helper or of its package.
        model: Model that the helper ran; None if it ran none.
        weights: Digest of the model's weights; None if there are none.
        points: Points of the region as proposed.
        mask: Mask of the region as proposed.
    """

    helper: str = Field(min_length=1, max_length=100)
    version: str = Field("", max_length=100)
    model: str | None = Field(None, max_length=300)
    weights: str | None = Field(None, max_length=100)
    points: tuple[tuple[float, float], ...] = Field((), max_length=MAX_CORNERS)
    mask: MaskRuns | None = None

    @model_validator(mode="after")
    def _is_finite(self) -> Proposal:
        _check_finite(self.points)
        return self


class Region(Record):
    """A region on one or two pictures.

    Attributes:
        shape: `point`, `points` (in their order), `box`, `polygon`, `mask`, or `correspondence`: a point of the first
            picture and the same point in the second.
        points: By shape: one point; the points in order; the top left and bottom right corners; the corners in order;
            none; the point in the first and the point in the second picture.
        mask: Grid of a mask, a cell for each pixel of the upright picture; None for all other shapes.
        label: Name of the marked object: a code of the field's labels, or the annotator's text; empty if there is none.
        proposal: The helper's proposal; None if the annotator drew the region without help.
    """

    shape: RegionShape
    points: tuple[tuple[float, float], ...] = Field((), max_length=MAX_CORNERS)
    mask: MaskRuns | None = None
    label: Annotated[str, Field(max_length=MAX_LABEL)] = ""
    proposal: Proposal | None = None

    @model_validator(mode="after")
    def _has_the_shape(self) -> Region:
        least, most = _COUNTS[self.shape]
        if not least <= len(self.points) <= most:
            takes = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            raise ValueError(f"a region of shape {self.shape!r} takes {takes} point(s), not {len(self.points):,}")
        if (self.mask is not None) != (self.shape == "mask"):
            raise ValueError("a region has a mask if and only if its shape is 'mask'")
        _check_finite(self.points)
        if self.shape == "box":
            (x0, y0), (x1, y1) = self.points
            if not (x0 < x1 and y0 < y1):
                raise ValueError(f"a box goes from its top left to its bottom right corner, not {self.points}")
        if self.shape == "polygon":
            _check_outline(self.points)
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        document: dict[str, Any] = write(self)
        return {name: value for name, value in document.items() if value not in (None, "", (), [])}

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Return x0, y0, x1, y1 of the smallest box around the region, or, for a correspondence, around its part in the
        first picture.
        """
        if self.mask is not None:
            from .masks import mask_bounds

            return mask_bounds(self.mask)
        listed = self.points[:1] if self.shape == "correspondence" else self.points
        across, down = [x for x, _ in listed], [y for _, y in listed]
        return min(across), min(down), max(across), max(down)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Return the corners of a box, clockwise from its top left, or the points of any other region."""
        if self.shape != "box":
            return self.points
        (x0, y0), (x1, y1) = self.points
        return (x0, y0), (x1, y0), (x1, y1), (x0, y1)

    def check_within(self, sizes_wh: Sequence[SizeWH]) -> None:
        """Check that the region lies within its picture.

        Args:
            sizes_wh: Size of each picture of the task in pixels, upright; a correspondence takes two.

        Raises:
            RegionError: The region lies outside the picture, or its mask has another size.
        """
        if self.shape == "correspondence" and len(sizes_wh) != 2:
            raise RegionError(f"a correspondence takes two pictures; this task shows {len(sizes_wh)}")
        for mask in (self.mask, None if self.proposal is None else self.proposal.mask):
            width, height = sizes_wh[0]
            if mask is not None and mask.size != (height, width):
                has = f"{mask.size[1]} x {mask.size[0]}"
                raise RegionError(f"a mask of {has} cells does not fit a picture of {width} x {height} pixels")
        for place, (x, y) in enumerate(self.points):
            width, height = sizes_wh[place if self.shape == "correspondence" else 0]
            _check_point(x, y, width, height)
        if self.proposal is not None and self.shape != "correspondence":
            for x, y in self.proposal.points:
                _check_point(x, y, *sizes_wh[0], what="the proposal, ")


def read_region(document: Any, sizes_wh: Sequence[SizeWH]) -> Region:
    """Return a region from JSON values, checked against the pictures of its task.

    Args:
        document: JSON values from an untrusted sender.
        sizes_wh: Size of each picture of the task in pixels, upright.

    Raises:
        RegionError: The values do not describe a region, or the region does not fit these pictures.
    """
    try:
        region = Region.model_validate(document)
    except ValidationError as error:
        raise region_error(error) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise RegionError(f"this is not a region: {error}") from None
    region.check_within(sizes_wh)
    return region


def _check_point(x: float, y: float, width: int, height: int, *, what: str = "") -> None:
    if not (0 <= x <= width and 0 <= y <= height):
        raise RegionError(f"{what}({x:g}, {y:g}) lies outside the picture of {width} x {height} pixels")


def _check_finite(points: Sequence[tuple[float, float]]) -> None:
    if any(not (isfinite(x) and isfinite(y)) for x, y in points):
        raise ValueError("a coordinate is not a finite number")


def region_error(error: ValidationError) -> RegionError:
    """Return an error that describes the first mistake in JSON values that represent a region or hints."""
    mistake = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in mistake["loc"])
    why = mistake["msg"].removeprefix("Value error, ")
    return RegionError(f"{place}: {why}" if place else why)


def _check_outline(points: Sequence[tuple[float, float]]) -> None:
    """Check that a polygon has an area and does not cross or touch itself (OGC Simple Features, `ST_IsValid`)."""
    from shapely import polygons
    from shapely.validation import explain_validity

    outline = polygons(points)
    if not outline.is_valid:
        raise ValueError(f"the outline of the polygon crosses or touches itself: {explain_validity(outline)}")
    if not outline.area > 0:
        raise ValueError("the polygon has no area")
