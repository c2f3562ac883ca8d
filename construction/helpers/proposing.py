"""Conversion of a helper's results to regions of the requested shape."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.drawing.masks import mask_of
from benchwright.regions import Region, RegionHints, outline_of, proposed_region
from benchwright.regions.outlines import TOLERANCE_PX

from ..item_parts.cutting_out import Mask, bounds


class ProposedBy(NamedTuple):
    """The helper that made a proposal, as recorded in regions.

    Args:
        helper: Name of the helper.
        version: Version of the helper or of the package that it runs.
        model: Name of its model; None if there is none.
        weights: Digest of the model's weights; None if there are none.
    """

    helper: str
    version: str
    model: str | None = None
    weights: str | None = None


def region_of_mask(
    mask: Mask, hints: RegionHints, by: ProposedBy, *, tolerance_px: float = TOLERANCE_PX
) -> list[Region]:
    """Return a mask as one region of the requested shape, or no region if the mask is empty.

    Args:
        mask: (height, width) of the picture.
        hints: The wanted shape (`mask`, `polygon` or `box`), and the label.
        by: The proposing helper.
        tolerance_px: Largest distance of a polygon from the mask's outline.
    """
    if not mask.any():
        return []
    if hints.shape == "mask":
        return [proposed_region("mask", (), mask=mask_of(mask), label=hints.label, **by._asdict())]
    if hints.shape == "polygon":
        corners = outline_of(mask, tolerance_px=tolerance_px)
        return [] if corners is None else [proposed_region("polygon", corners, label=hints.label, **by._asdict())]
    return [region_of_box(bounds(mask), hints, by)]


def region_of_box(box: tuple[float, float, float, float], hints: RegionHints, by: ProposedBy) -> Region:
    """Return a box as a region or, if requested, as a polygon or as its center."""
    x0, y0, x1, y1 = box
    if hints.shape == "point":
        return proposed_region("point", [((x0 + x1) / 2, (y0 + y1) / 2)], label=hints.label, **by._asdict())
    corners = [(x0, y0), (x1, y1)] if hints.shape == "box" else [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    return proposed_region(hints.shape, corners, label=hints.label, **by._asdict())
