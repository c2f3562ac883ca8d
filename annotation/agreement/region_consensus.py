"""The regions on which several annotators agree: one region per group, its spread, and disputed regions.

Consensus of a group of regions, by their shape:

    box             median of each edge
    mask            pixels that more than half of the masks set (majority vote)
    polygon         the same rule, exact: the part of the plane that more than half of the outlines cover, by overlaying
                    them; the largest piece of it, without holes, with at most `MAX_CORNERS` corners
    point, points, correspondence      mean of each point
    mixed areas     the majority of masks if one is a mask, otherwise of outlines

With an even number of areas, exactly half is not a majority: the consensus of two masks is their overlap. STAPLE
(Warfield et al. 2004, doi:10.1109/TMI.2004.828354) estimates each annotator's sensitivity as well, and shape-based
averaging (Rohlfing and Maurer 2007, doi:10.1109/TIP.2006.884936) averages distances to the edge; both need many masks
or much time, and neither can be checked by eye. Majority voting is their usual baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import dist
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from benchwright.regions import MAX_CORNERS, Region, SizeWH, covered_by_at_least, mask_of_region

from .region_matching import (
    AREAS,
    Marks,
    PlacedRegion,
    RegionTolerance,
    grouped_regions,
    placed_regions,
    region_similarity,
)

if TYPE_CHECKING:
    from shapely import Polygon

Dispute = Literal["too_few", "too_far"]
_ROUNDING = 1e-9
_DECIMALS = 6


@dataclass(frozen=True)
class MarkedRegion:
    """An annotator's region that belongs to a group.

    Args:
        annotator: Name of the annotator.
        place: Index among the annotator's regions of the field, in the order drawn, from 0.
        region: The region.
        similarity: Similarity to the consensus: intersection over union of areas, or 1 minus the relative distance of
            points; None if there is no consensus.
        distance_px: Maximum distance of a point from the consensus in pixels; None for areas.
    """

    annotator: str
    place: int
    region: Region
    similarity: float | None = None
    distance_px: float | None = None


@dataclass(frozen=True)
class AgreedRegion:
    """A region on which enough annotators agree.

    Args:
        field: Name of the form's field.
        region: The consensus.
        members: Each annotator's region, by annotator.
    """

    field: str
    region: Region
    members: tuple[MarkedRegion, ...]

    @property
    def spread(self) -> dict[str, float]:
        """Return the mean and the largest distance of the members from the consensus.

        Areas have `iou_mean` and `iou_least`; points have `distance_mean_px`, `distance_most_px` and `distance_most`, a
        share of the object's or picture's diagonal.
        """
        similar = [member.similarity for member in self.members if member.similarity is not None]
        if self.region.shape in AREAS:
            figures = {"iou_mean": fmean(similar), "iou_least": min(similar)}
        else:
            away = [member.distance_px for member in self.members if member.distance_px is not None]
            figures = {
                "distance_mean_px": fmean(away),
                "distance_most_px": max(away),
                "distance_most": 1 - min(similar),
            }
        return {name: round(value, _DECIMALS) for name, value in figures.items()}

    def document(self) -> dict[str, Any]:
        """Return the region as in the consensus's JSON: field, region, number of annotators, and spread."""
        document: dict[str, Any] = {"field": self.field, **self.region.model_dump(mode="json")}
        return {**document, "by": len(self.members), "spread": self.spread}


@dataclass(frozen=True)
class DisputedRegion:
    """A region on which too few annotators agree.

    Args:
        field: Name of the form's field.
        reason: `too_few` annotators marked it, or enough marked it but lie `too_far` from their consensus.
        members: Each annotator's region, by annotator.
        missing: Annotators who marked no such region.
    """

    field: str
    reason: Dispute
    members: tuple[MarkedRegion, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class DisputedCount:
    """A field in which too few annotators marked the agreed number of regions.

    Args:
        field: Name of the form's field.
        agreed: Number of agreed regions.
        marked: Number of regions by annotator.
    """

    field: str
    agreed: int
    marked: Mapping[str, int]


@dataclass(frozen=True)
class RegionConsensus:
    """The regions of one picture (or pair of pictures) on which annotators agree, and the disputed ones.

    Args:
        annotators: Names of all who judged it, including those who found nothing to mark, sorted.
        need: Number of annotators who must agree.
        agreed: Agreed regions, by field, in the order drawn.
        disputed: Regions for an adjudicator.
        outvoted: Regions omitted because enough annotators marked nothing but the agreed regions (`majority`).
        disputed_counts: Fields whose number of regions is disputed.
    """

    annotators: tuple[str, ...]
    need: int
    agreed: tuple[AgreedRegion, ...]
    disputed: tuple[DisputedRegion, ...]
    outvoted: tuple[DisputedRegion, ...] = ()
    disputed_counts: tuple[DisputedCount, ...] = ()

    @property
    def is_agreed(self) -> bool:
        """Return whether the picture as a whole is agreed: enough annotators, and nothing disputed."""
        return len(self.annotators) >= self.need and not self.disputed and not self.disputed_counts

    def document(self, size_wh: SizeWH) -> dict[str, Any]:
        """Return the JSON of the agreed regions, the value `mark.regions`.

        Args:
            size_wh: Size in pixels of the picture, or of the first picture of a pair.
        """
        return {
            "size_wh": list(size_wh),
            "regions": [agreed.document() for agreed in self.agreed],
            "nothing": self.is_agreed and not self.agreed,
        }


def consensus_of(
    marks: Marks, *, sizes_wh: Sequence[SizeWH], need: int, tolerance: RegionTolerance | None = None
) -> RegionConsensus:
    """Return the regions of one picture on which annotators agree, and the disputed ones.

    Regions are grouped (`grouped_regions`). A group is agreed if at least `need` of its members are similar enough to
    their consensus; all members count as having marked it.

    Args:
        marks: Regions by annotator and field; empty for an annotator who marked nothing. Annotators who could not tell
            are omitted.
        sizes_wh: Size of each picture of the task in pixels: one, or two of a pair.
        need: Number of annotators who must agree, 1 or more.
        tolerance: Required similarity of regions, default `RegionTolerance()`.

    Raises:
        ValueError: `need` is below 1.
    """
    if need < 1:
        raise ValueError(f"need must be 1 or more, not {need}")
    tolerance = tolerance or RegionTolerance()
    annotators = tuple(sorted(marks))
    placed = {name: placed_regions(name, marks[name], tolerance=tolerance) for name in annotators}
    fields = list(dict.fromkeys(field for name in annotators for field in marks[name]))
    agreed: list[AgreedRegion] = []
    disputed: list[DisputedRegion] = []
    outvoted: list[DisputedRegion] = []
    counts: list[DisputedCount] = []
    for field in sorted(fields):
        regions = {name: placed[name].get(field, []) for name in annotators}
        here: list[AgreedRegion] = []
        unshared: list[DisputedRegion] = []
        for group in grouped_regions(regions, sizes_wh=sizes_wh, tolerance=tolerance):
            result = _settled(group, annotators, sizes_wh=sizes_wh, need=need, tolerance=tolerance)
            if isinstance(result, AgreedRegion):
                here.append(result)
            else:
                unshared.append(result)
        agreed += here
        (outvoted if _is_outvoted(unshared, here, regions, need, tolerance) else disputed).extend(unshared)
        marked = {name: len(rows) for name, rows in regions.items()}
        if sum(number == len(here) for number in marked.values()) < need:
            counts.append(DisputedCount(field, len(here), marked))
    return RegionConsensus(annotators, need, tuple(agreed), tuple(disputed), tuple(outvoted), tuple(counts))


def consensus_region(regions: Sequence[Region], *, size_wh: SizeWH) -> Region | None:
    """Return the consensus of matching regions, as defined above, or None if no area is left.

    Args:
        regions: Regions of one shape, or areas; ordered points of equal number. At least one.
        size_wh: Size of the first picture in pixels.
    """
    shapes = {region.shape for region in regions}
    label = _label_of(regions)
    if shapes == {"box"}:
        return Region(shape="box", points=_each(median, [region.points for region in regions]), label=label)
    if not shapes <= set(AREAS):
        return Region(shape=regions[0].shape, points=_each(fmean, [region.points for region in regions]), label=label)
    need = len(regions) // 2 + 1
    if "mask" in shapes:
        masks = [mask_of_region(region, size_wh) for region in regions]
        mask = covered_by_at_least([mask for mask in masks if mask is not None], need)
        return None if mask is None else Region(shape="mask", mask=mask, label=label)
    outline = _majority_outline([region.corners for region in regions], need)
    return None if outline is None else Region(shape="polygon", points=outline, label=label)


def _settled(
    group: Sequence[PlacedRegion],
    annotators: Sequence[str],
    *,
    sizes_wh: Sequence[SizeWH],
    need: int,
    tolerance: RegionTolerance,
) -> AgreedRegion | DisputedRegion:
    members = tuple(MarkedRegion(placed.annotator, placed.place, placed.region) for placed in group)
    names = {placed.annotator for placed in group}
    missing = tuple(name for name in annotators if name not in names)
    if len(group) < need:
        return DisputedRegion(group[0].field, "too_few", members, missing)
    region = consensus_region([placed.region for placed in group], size_wh=sizes_wh[0])
    if region is None:
        return DisputedRegion(group[0].field, "too_far", members, missing)
    consensus = PlacedRegion("", group[0].field, 0, region, _mean_diagonal(group))
    measured = tuple(
        replace(
            member,
            similarity=region_similarity(placed, consensus, sizes_wh=sizes_wh, with_labels=False),
            distance_px=None if region.shape in AREAS else _furthest(placed.region, region),
        )
        for member, placed in zip(members, group, strict=True)
    )
    near = sum(
        (member.similarity or 0.0) >= tolerance.least_similarity(member.region, region) - _ROUNDING
        for member in measured
    )
    if near < need:
        return DisputedRegion(group[0].field, "too_far", measured, missing)
    return AgreedRegion(group[0].field, region, measured)


def _is_outvoted(
    unshared: Sequence[DisputedRegion],
    agreed: Sequence[AgreedRegion],
    regions: Mapping[str, Sequence[PlacedRegion]],
    need: int,
    tolerance: RegionTolerance,
) -> bool:
    """Return whether enough annotators marked exactly the agreed regions in a field."""
    if tolerance.counts == "exact" or not unshared:
        return False
    shared = Counter(member.annotator for row in agreed for member in row.members)
    exact = sum(len(rows) == len(agreed) == shared[name] for name, rows in regions.items())
    return exact >= need and all(row.reason == "too_few" for row in unshared)


def _label_of(regions: Sequence[Region]) -> str:
    """Return the most frequent label; ties go to the alphabetically first one."""
    counts = Counter(region.label for region in regions if region.label)
    return min(counts, key=lambda label: (-counts[label], label), default="")


def _each(
    middle: Callable[[Sequence[float]], float], listed: Sequence[Sequence[tuple[float, float]]]
) -> tuple[tuple[float, float], ...]:
    return tuple(
        (middle([x for x, _ in points]), middle([y for _, y in points])) for points in zip(*listed, strict=True)
    )


def _mean_diagonal(group: Sequence[PlacedRegion]) -> float | None:
    lengths = [placed.object_diagonal_px for placed in group if placed.object_diagonal_px]
    return fmean(lengths) if lengths else None


def _furthest(region: Region, consensus: Region) -> float:
    return max(dist(point, other) for point, other in zip(region.points, consensus.points, strict=True))


def _majority_outline(
    outlines: Sequence[Sequence[tuple[float, float]]], need: int
) -> tuple[tuple[float, float], ...] | None:
    """Return the outline of the largest piece that at least `need` outlines cover in common."""
    import shapely

    if len(outlines) == 1:
        return tuple(outlines[0])
    shapes = [shapely.polygons(outline) for outline in outlines]
    # All edges together cut the plane into faces, each of which an outline covers wholly or not at all.
    edges = shapely.unary_union([shape.exterior for shape in shapes])
    faces = list(shapely.get_parts(shapely.polygonize([edges])))
    centres = shapely.point_on_surface(faces)
    covered = np.sum([shapely.contains(shape, centres) for shape in shapes], axis=0)
    joined = shapely.unary_union([face for face, many in zip(faces, covered, strict=True) if many >= need])
    pieces = [piece for piece in shapely.get_parts(joined) if isinstance(piece, shapely.Polygon) and piece.area > 0]
    if not pieces:
        return None
    largest = max(pieces, key=lambda piece: (piece.area, [-bound for bound in piece.bounds]))
    return _few_corners(shapely.Polygon(largest.exterior))


def _few_corners(shape: Polygon) -> tuple[tuple[float, float], ...]:
    """Return the corners; if there are too many, remove those that change the outline least."""
    step, corners = 0.0, MAX_CORNERS + 1
    while corners > MAX_CORNERS:
        simpler = shape.simplify(step).normalize()
        listed = list(simpler.boundary.coords)[:-1]
        step, corners = max(0.05, step * 2), len(listed)
    return tuple((float(x), float(y)) for x, y in listed)
