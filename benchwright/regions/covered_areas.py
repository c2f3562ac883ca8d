"""The total area of several regions, as masks of a picture's size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchwright.records import MaskRuns

from .masks import covered_by_at_least, mask_iou, mask_of_outline

if TYPE_CHECKING:
    from .region import Region, SizeWH


def area_iou(regions: Sequence[Region], others: Sequence[Region], size_wh: SizeWH) -> float:
    """Return the intersection over union, 0 to 1, of the areas that two sets of regions cover in total.

    The areas are those of `mask_of_region`, so they consist of whole pixels. The result is 0 if either set covers no
    pixel.

    Args:
        regions: Boxes, polygons and masks of one picture.
        others: Other regions of the same picture.
        size_wh: Width and height of the picture in pixels.
    """
    covered: list[MaskRuns] = []
    for listed in (regions, others):
        masks = [mask for region in listed if (mask := mask_of_region(region, size_wh)) is not None]
        together = covered_by_at_least(masks, 1) if masks else None
        if together is None:
            return 0.0
        covered.append(together)
    return mask_iou(*covered)


def mask_of_region(region: Region, size_wh: SizeWH) -> MaskRuns | None:
    """Return the pixels that a box, polygon or mask covers; None if the region covers none.

    Raises:
        ValueError: The region has no area.
    """
    if region.mask is not None:
        return region.mask
    if region.shape not in ("box", "polygon"):
        raise ValueError(f"a region of shape {region.shape!r} has no area")
    return mask_of_outline(region.corners, size_wh)
