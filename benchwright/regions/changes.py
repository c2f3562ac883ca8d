"""An annotator's changes to a helper's proposal, computed from the submitted region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist, isfinite
from typing import Any, Literal

from .masks import mask_iou
from .region import Region, RegionShape

ChangeKind = Literal["unchanged", "moved", "redrawn"]
SAME_PLACE_IOU = 0.5
"""Smallest overlap at which a changed area counts as the proposed area, moved, rather than as another area."""
_MOST_PX = 1e6
"""Largest coordinate that a picture can have."""


def change_of(region: Region) -> dict[str, Any] | None:
    """Return an annotator's changes to a proposal; None if no helper proposed the region.

    The result has `changed` and, where known, `helper`, `version`, `model` and `weights`. Boxes, polygons and masks
    have `iou`, 0 to 1. If both have the same number of points, `moved_px` is the largest distance between a point and
    its proposed position. The label is always the annotator's and is not considered a change.
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
    elif _is_outline(region.shape, proposal.points):
        change["iou"] = round(_outline_iou(region), 6)
    if region.points and len(region.points) == len(proposal.points):
        moved_px = max(dist(now, then) for now, then in zip(region.points, proposal.points, strict=True))
        if isfinite(moved_px):
            change["moved_px"] = round(moved_px, 3)
    return change


def kind_of_change(change: Mapping[str, Any]) -> ChangeKind:
    """Return the kind of change to a proposal, from the result of `change_of`.

    It is `unchanged`; `moved` if areas overlap by `SAME_PLACE_IOU` or more, or if each point was only shifted;
    otherwise `redrawn`.
    """
    if not change["changed"]:
        return "unchanged"
    is_moved = change["iou"] >= SAME_PLACE_IOU if "iou" in change else "moved_px" in change
    return "moved" if is_moved else "redrawn"


def _is_outline(shape: RegionShape, points: Sequence[tuple[float, float]]) -> bool:
    """Return whether points can form the outline of a given shape; a browser may send anything as the proposal."""
    is_within = all(abs(value) <= _MOST_PX for point in points for value in point)
    return is_within and (len(points) == 2 if shape == "box" else shape == "polygon" and len(points) >= 3)


def _outline_iou(region: Region) -> float:
    from shapely import Polygon, box

    assert region.proposal is not None
    now, then = (
        box(*points[0], *points[1]) if region.shape == "box" else Polygon(points).buffer(0)
        for points in (region.points, region.proposal.points)
    )
    union = now.union(then).area
    return float(now.intersection(then).area / union) if union else 1.0
