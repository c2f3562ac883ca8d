"""What a person changed of a helper's proposal, computed from the region that they submitted."""

from __future__ import annotations

from typing import Any

from .masks import mask_iou
from .region import Region


def change_of(region: Region) -> dict[str, Any] | None:
    """Return what a person changed of a proposal; None for a region that no helper proposed.

    The result has `helper`, `version`, `model` and `weights` where they are known, `changed`, and by the shape: `iou`,
    0 to 1, of boxes, polygons and masks; `moved_px`, the largest distance between a point and where it was proposed,
    where both have as many points. A label is the person's own and no part of it.
    """
    proposal = region.proposal
    if proposal is None:
        return None
    stated = {
        "helper": proposal.helper,
        "version": proposal.version,
        "model": proposal.model,
        "weights": proposal.weights,
    }
    change: dict[str, Any] = {name: value for name, value in stated.items() if value}
    is_same = (proposal.points, proposal.mask) == (region.points, region.mask)
    change["changed"] = not is_same
    if region.mask is not None and proposal.mask is not None and region.mask.size == proposal.mask.size:
        change["iou"] = round(mask_iou(region.mask, proposal.mask), 6)
    elif region.shape in {"box", "polygon"} and len(proposal.points) >= 2:
        change["iou"] = round(_outline_iou(region), 6)
    if region.points and len(region.points) == len(proposal.points):
        distances = (
            ((x - u) ** 2 + (y - v) ** 2) ** 0.5 for (x, y), (u, v) in zip(region.points, proposal.points, strict=True)
        )
        change["moved_px"] = round(max(distances), 3)
    return change


def _outline_iou(region: Region) -> float:
    from shapely import Polygon, box

    assert region.proposal is not None
    now, then = (
        box(*points[0], *points[1]) if region.shape == "box" else Polygon(points).buffer(0)
        for points in (region.points, region.proposal.points)
    )
    union = now.union(then).area
    return float(now.intersection(then).area / union) if union else 1.0
