"""Match the marks of several annotators: similarity of regions, and one-to-one assignment.

Areas (boxes, polygons, masks) are compared by intersection over union, as in PASCAL VOC (Everingham et al. 2010,
doi:10.1007/s11263-009-0275-4) and COCO (Lin et al. 2014, doi:10.1007/978-3-319-10602-1_48). Points are compared by
their distance as a share of a length, as in PCK (Yang and Ramanan 2013, doi:10.1109/TPAMI.2012.261); the length here is
the diagonal of the object's box, or of the picture.

Two annotators are matched by optimal assignment (Kuhn 1955, doi:10.1002/nav.3800020109; SciPy implements the algorithm
of Jonker and Volgenant as described by Crouse 2016, doi:10.1109/TAES.2016.140952): as many pairs as possible, and of
those the most similar. COCO's evaluation matches greedily, by the scores of detections; annotators' marks have no
scores.

More than two annotators are grouped one after the other. The first is the one whose marks match those of all others
best; the others follow in order of how well their marks match the first annotator's, and ties are sorted by name. The
regions of each are assigned to the existing groups by their mean similarity to a group's members; a region without a
group starts a new one. A group holds at most one region of an annotator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cached_property
from itertools import combinations
from math import dist, hypot, inf
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.records import Record
from benchwright.regions import Region, SizeWH, intersection_area, mask_area, mask_of_region
from benchwright.texts.normalization import normal

if TYPE_CHECKING:
    from shapely import Polygon

FieldMarks = Mapping[str, Sequence[Region]]
"""One annotator's marks on one picture (or pair of pictures): regions in the order drawn, by the form's field."""
Marks = Mapping[str, FieldMarks]
"""All annotators' marks on one picture, by annotator; an annotator who marked nothing has no regions."""
AREAS = ("box", "polygon", "mask")
_ROUNDING = 1e-9
_Matrix = NDArray[np.float64]


class RegionTolerance(Record):
    """The similarity that regions of two annotators need to count as the same.

    Attributes:
        box_iou: Minimum intersection over union of two boxes, above 0 and at most 1.
        polygon_iou: The same for two polygons.
        mask_iou: The same for two masks. Areas of different shapes take the lower of their two values.
        distance: Maximum distance between two points, as a proportion of a length; for ordered points and
            correspondences, every point must lie within it.
        relative_to: The length: `object`, the diagonal of the area with the same label that the annotator marked around
            the point (the picture's without such an area), or `picture`, the picture's diagonal. Correspondences always
            take the picture's.
        counts: `exact`: a region that fewer annotators than needed marked is disputed. `majority`: it is left out if as
            many annotators as needed marked nothing but the agreed regions of its field, and disputed otherwise. In
            both, as many annotators as needed must have marked the agreed number of regions of a field.
    """

    box_iou: float = Field(0.5, gt=0, le=1)
    polygon_iou: float = Field(0.5, gt=0, le=1)
    mask_iou: float = Field(0.5, gt=0, le=1)
    distance: float = Field(0.05, gt=0, le=1)
    relative_to: Literal["object", "picture"] = "object"
    counts: Literal["exact", "majority"] = "exact"

    def least_similarity(self, region: Region, other: Region) -> float:
        """Return the minimum similarity at which two regions are regarded as the same."""
        if region.shape in AREAS and other.shape in AREAS:
            least = {"box": self.box_iou, "polygon": self.polygon_iou, "mask": self.mask_iou}
            return min(least[region.shape], least[other.shape])
        return 1 - self.distance


@dataclass(frozen=True)
class PlacedRegion:
    """A region with its annotator, field and index in the order drawn; its measures are computed only once.

    Args:
        annotator: Name of the annotator.
        field: Name of the form's field.
        place: Index among the annotator's regions of the field, from 0.
        region: The region.
        object_diagonal_px: Diagonal of the object on which a point lies, or None if there is none.
    """

    annotator: str
    field: str
    place: int
    region: Region
    object_diagonal_px: float | None = None
    _compared: dict[int, tuple[PlacedRegion, float | None]] = dataclass_field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def label(self) -> str:
        """Return the label, normalized for comparison."""
        return normal(self.region.label)

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Return x0, y0, x1, y1 of the smallest box around the region."""
        return self.region.bounds

    @cached_property
    def outline(self) -> Polygon:
        """Return a box or polygon as a shape of shapely."""
        from shapely import polygons

        return polygons(self.region.corners)

    @cached_property
    def area(self) -> float:
        """Return the area in square pixels; 0 for points."""
        if self.region.mask is not None:
            return float(mask_area(self.region.mask))
        if self.region.shape == "box":
            x0, y0, x1, y1 = self.bounds
            return (x1 - x0) * (y1 - y0)
        return float(self.outline.area) if self.region.shape == "polygon" else 0.0


class RegionMatch(NamedTuple):
    """Two matched regions, by their indices in the two lists.

    Args:
        place: Index in the first list.
        other_place: Index in the second list.
        similarity: Intersection over union of areas, or 1 minus the distance of points as a proportion of the length.
    """

    place: int
    other_place: int
    similarity: float


def placed_regions(annotator: str, marks: FieldMarks, *, tolerance: RegionTolerance) -> dict[str, list[PlacedRegion]]:
    """Return an annotator's regions by field; each point includes the object on which it lies.

    Args:
        annotator: Name of the annotator.
        marks: Regions by field.
        tolerance: Settings with the reference length of distances.
    """
    areas = [
        PlacedRegion(annotator, field, place, region)
        for field, regions in marks.items()
        for place, region in enumerate(regions)
        if region.shape in AREAS
    ]
    known = {(area.field, area.place): area for area in areas}
    placed: dict[str, list[PlacedRegion]] = {}
    for field, regions in marks.items():
        rows = []
        for place, region in enumerate(regions):
            if (area := known.get((field, place))) is not None:
                rows.append(area)
                continue
            relative = tolerance.relative_to == "object" and region.shape in ("point", "points")
            rows.append(
                PlacedRegion(annotator, field, place, region, _object_diagonal(region, areas) if relative else None)
            )
        placed[field] = rows
    return placed


def region_similarity(
    region: PlacedRegion, other: PlacedRegion, *, sizes_wh: Sequence[SizeWH], with_labels: bool = True
) -> float | None:
    """Return the similarity of two regions, 0 to 1; None if they cannot match.

    Args:
        region: A region.
        other: Another region of the same picture.
        sizes_wh: Size of each picture of the task in pixels.
        with_labels: Whether two different labels make them different objects, default True. A missing label matches any
            label.

    Returns:
        Intersection over union of areas, or 1 minus the largest distance of points as a proportion of the length, at
        least 0. None for different labels, for an area and a point, and for different numbers of ordered points.
    """
    if with_labels and region.label and other.label and region.label != other.label:
        return None
    known = region._compared.get(id(other))
    if known is None:
        # The result keeps a reference to the other region, so that its id is not reused.
        known = region._compared[id(other)] = other, _similarity_in_place(region, other, sizes_wh)
    return known[1]


def _similarity_in_place(region: PlacedRegion, other: PlacedRegion, sizes_wh: Sequence[SizeWH]) -> float | None:
    first, second = region.region, other.region
    if first.shape in AREAS and second.shape in AREAS:
        return _area_iou(region, other, sizes_wh[0])
    if first.shape != second.shape or len(first.points) != len(second.points):
        return None
    return max(0.0, 1 - _relative_distance(region, other, sizes_wh))


def _relative_distance(region: PlacedRegion, other: PlacedRegion, sizes_wh: Sequence[SizeWH]) -> float:
    """Return the largest distance between corresponding points, as a share of the object's or picture's diagonal.

    The object's diagonal is the mean of those that the two annotators marked.
    """
    lengths = [length for length in (region.object_diagonal_px, other.object_diagonal_px) if length]
    shares = []
    for place, (point, other_point) in enumerate(zip(region.region.points, other.region.points, strict=True)):
        picture = sizes_wh[place] if region.region.shape == "correspondence" else sizes_wh[0]
        length = sum(lengths) / len(lengths) if lengths else hypot(*picture)
        shares.append(dist(point, other_point) / length)
    return max(shares)


def match_regions(
    regions: Sequence[PlacedRegion],
    others: Sequence[PlacedRegion],
    *,
    sizes_wh: Sequence[SizeWH],
    tolerance: RegionTolerance,
    with_labels: bool = True,
) -> list[RegionMatch]:
    """Return the optimal assignment between the regions of two annotators in one field.

    Args:
        regions: Regions of the first.
        others: Regions of the second.
        sizes_wh: Size of each picture of the task in pixels.
        tolerance: Required similarity of two regions.
        with_labels: As in `region_similarity`.

    Returns:
        As many pairs as are similar enough, and among those the set with the greatest sum of similarities, in the order
        of the first list.
    """
    first, second = _in_fixed_order(regions), _in_fixed_order(others)
    margins, similarities = _compared(first, second, sizes_wh, tolerance, with_labels)
    at, other_at = _places(regions, first), _places(others, second)
    return sorted(
        RegionMatch(at[row], other_at[column], float(similarities[row, column])) for row, column in _assigned(margins)
    )


def grouped_regions(
    regions_by_annotator: Mapping[str, Sequence[PlacedRegion]],
    *,
    sizes_wh: Sequence[SizeWH],
    tolerance: RegionTolerance,
    with_labels: bool = True,
) -> list[tuple[PlacedRegion, ...]]:
    """Return groups of matching regions of one field, each with at most one region per annotator.

    The module's docstring defines the grouping. A region joins a group if its mean similarity to the members is
    sufficient and none of them has another label.

    Args:
        regions_by_annotator: Regions of the field by annotator.
        sizes_wh: Size of each picture of the task in pixels.
        tolerance: Required similarity of two regions.
        with_labels: As in `region_similarity`.

    Returns:
        Groups in the order in which their members were drawn, on average; members by annotator.
    """
    names = sorted(name for name, regions in regions_by_annotator.items() if regions)
    ordered = {name: _in_fixed_order(regions_by_annotator[name]) for name in names}
    margins: dict[tuple[str, str], _Matrix] = {}
    matched: dict[tuple[str, str], float] = {}
    for first, second in combinations(names, 2):
        margin, similarities = _compared(ordered[first], ordered[second], sizes_wh, tolerance, with_labels)
        total = sum(float(similarities[pair]) for pair in _assigned(margin))
        margins[first, second], margins[second, first] = margin, margin.T
        matched[first, second] = matched[second, first] = total
    groups: list[list[tuple[str, int]]] = []
    for name in _in_turn(names, matched):
        joins: dict[int, int] = {}
        if groups:
            means = np.array(
                [[_mean_margin(margins, name, row, group) for group in groups] for row in range(len(ordered[name]))]
            )
            joins = dict(_assigned(means))
        for row in range(len(ordered[name])):
            if row in joins:
                groups[joins[row]].append((name, row))
            else:
                groups.append([(name, row)])
    rows = [tuple(ordered[name][row] for name, row in sorted(group)) for group in groups]
    return sorted(rows, key=lambda group: (sum(member.place for member in group) / len(group), _fixed_key(group[0])))


def _in_turn(names: Sequence[str], matched: Mapping[tuple[str, str], float]) -> Iterator[str]:
    if not names:
        return
    first = min(names, key=lambda name: (-sum(matched[name, other] for other in names if other != name), name))
    yield first
    yield from sorted((name for name in names if name != first), key=lambda name: (-matched[first, name], name))


def _mean_margin(
    margins: Mapping[tuple[str, str], _Matrix], name: str, row: int, group: Sequence[tuple[str, int]]
) -> float:
    return float(sum(margins[name, other][row, other_row] for other, other_row in group) / len(group))


def _compared(
    regions: Sequence[PlacedRegion],
    others: Sequence[PlacedRegion],
    sizes_wh: Sequence[SizeWH],
    tolerance: RegionTolerance,
    with_labels: bool,
) -> tuple[_Matrix, _Matrix]:
    """Return each pair's excess over the minimum similarity (-inf if it cannot match), and its similarity."""
    margins = np.full((len(regions), len(others)), -inf)
    similarities = np.zeros_like(margins)
    for row, region in enumerate(regions):
        for column, other in enumerate(others):
            similarity = region_similarity(region, other, sizes_wh=sizes_wh, with_labels=with_labels)
            if similarity is not None:
                similarities[row, column] = similarity
                margins[row, column] = similarity - tolerance.least_similarity(region.region, other.region)
    return margins, similarities


def _assigned(margins: _Matrix) -> list[tuple[int, int]]:
    """Return the rows and columns of the optimal assignment among pairs whose margin is not negative."""
    allowed = margins >= -_ROUNDING
    if not allowed.any():
        return []
    if allowed.sum(axis=0).max() == 1 and allowed.sum(axis=1).max() == 1:
        return [(int(row), int(column)) for row, column in np.argwhere(allowed)]
    from scipy.optimize import linear_sum_assignment

    # One pair more weighs more than any gain in similarity, so that the number of pairs comes first.
    weights = np.where(allowed, min(margins.shape) + 1 + np.where(allowed, margins, 0), 0)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if allowed[row, column]]


def _in_fixed_order(regions: Sequence[PlacedRegion]) -> list[PlacedRegion]:
    """Return regions in an order independent of the order drawn, so that ties are always broken the same way."""
    return sorted(regions, key=_fixed_key)


def _fixed_key(region: PlacedRegion) -> tuple[object, ...]:
    mask = region.region.mask
    return region.bounds, region.label, region.region.points, mask.counts if mask else "", region.place


def _places(regions: Sequence[PlacedRegion], ordered: Sequence[PlacedRegion]) -> list[int]:
    place_of = {id(region): place for place, region in enumerate(regions)}
    return [place_of[id(region)] for region in ordered]


def _object_diagonal(region: Region, areas: Sequence[PlacedRegion]) -> float | None:
    """Return the diagonal of the smallest area with the same label around the region's center, or of the nearest."""
    label = normal(region.label)
    x = sum(x for x, _ in region.points) / len(region.points)
    y = sum(y for _, y in region.points) / len(region.points)
    best: tuple[float, float] | None = None
    for area in areas:
        if area.label != label:
            continue
        x0, y0, x1, y1 = area.bounds
        away = hypot(max(x0 - x, 0, x - x1), max(y0 - y, 0, y - y1))
        best = min(best or (inf, inf), (away, hypot(x1 - x0, y1 - y0)))
    return best[1] if best else None


def _area_iou(region: PlacedRegion, other: PlacedRegion, size_wh: SizeWH) -> float:
    x0, y0, x1, y1 = region.bounds
    left, top, right, bottom = other.bounds
    across, down = min(x1, right) - max(x0, left), min(y1, bottom) - max(y0, top)
    if across <= 0 or down <= 0:
        return 0.0
    if region.region.shape == other.region.shape == "box":
        shared = across * down
        return shared / (region.area + other.area - shared)
    if region.region.mask is None and other.region.mask is None:
        shared = float(region.outline.intersection(other.outline).area)
        return shared / (region.area + other.area - shared)
    mask, other_mask = mask_of_region(region.region, size_wh), mask_of_region(other.region, size_wh)
    if mask is None or other_mask is None:
        return 0.0
    shared = intersection_area(mask, other_mask)
    return shared / (mask_area(mask) + mask_area(other_mask) - shared)
