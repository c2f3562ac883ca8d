"""Compare an annotator's marks with reference marks: gold with its tolerance, a consensus, or an adjudicator's marks.

`quality` is panoptic quality (Kirillov et al. 2019, doi:10.1109/CVPR.2019.00963); for points, similarity replaces
intersection over union. It is 1 if all regions are present and equal, and 0 if none matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from benchwright.regions import Region, SizeWH

from .region_matching import AREAS, FieldMarks, PlacedRegion, RegionTolerance, match_regions, placed_regions


class RegionPair(NamedTuple):
    """A region of the reference and the annotator's corresponding region.

    Args:
        field: Name of the form's field.
        reference: Region of the reference.
        region: The annotator's region.
        similarity: Intersection over union of areas, or 1 minus the relative distance of points.
    """

    field: str
    reference: Region
    region: Region
    similarity: float


@dataclass(frozen=True)
class MarkComparison:
    """The comparison of an annotator's marks of one picture with the reference.

    Args:
        matched: Regions that are right.
        mislabelled: Regions in the right location with another label.
        missed: Regions of the reference that the annotator did not mark, by field.
        extra: Regions of the annotator that the reference lacks, by field.
    """

    matched: tuple[RegionPair, ...]
    mislabelled: tuple[RegionPair, ...]
    missed: tuple[tuple[str, Region], ...]
    extra: tuple[tuple[str, Region], ...]

    @property
    def is_right(self) -> bool:
        """Return whether the annotator marked all the regions and no others."""
        return not (self.mislabelled or self.missed or self.extra)

    @property
    def share_matched(self) -> float | None:
        """Return 2 * matched / (regions of both), the F1 of detection, 0 to 1, or None if neither has a region."""
        return self._of_all(lambda pairs: 2 * len(pairs))

    @property
    def quality(self) -> float | None:
        """Return the sum of similarities over the mean number of regions of both, 0 to 1; None if neither has any."""
        return self._of_all(lambda pairs: 2 * sum(pair.similarity for pair in pairs))

    @property
    def mean_iou(self) -> float | None:
        """Return the mean intersection over union of the right areas, or None if there is none."""
        ious = [pair.similarity for pair in self.matched if pair.region.shape in AREAS]
        return sum(ious) / len(ious) if ious else None

    def _of_all(self, twice: Callable[[Sequence[RegionPair]], float]) -> float | None:
        wrong = 2 * len(self.mislabelled) + len(self.missed) + len(self.extra)
        regions = 2 * len(self.matched) + wrong
        return twice(self.matched) / regions if regions else None


def compare_marks(
    marks: FieldMarks,
    reference: FieldMarks,
    *,
    sizes_wh: Sequence[SizeWH],
    tolerance: RegionTolerance | None = None,
) -> MarkComparison:
    """Return the comparison of an annotator's marks with the reference.

    Args:
        marks: The annotator's regions by field.
        reference: The right regions, by field. Points are measured by the objects marked here.
        sizes_wh: Size of each picture of the task in pixels.
        tolerance: Required similarity of regions, default `RegionTolerance()`. `counts` has no effect: a surplus region
            is `extra`, and a missing one is `missed`.
    """
    tolerance = tolerance or RegionTolerance()
    placed = placed_regions("", marks, tolerance=tolerance)
    right = placed_regions("", reference, tolerance=tolerance)
    matched: list[RegionPair] = []
    mislabelled: list[RegionPair] = []
    missed: list[tuple[str, Region]] = []
    extra: list[tuple[str, Region]] = []
    for field in sorted({*marks, *reference}):
        wanted = list(right.get(field, ()))
        there = [replace(region, object_diagonal_px=None) for region in placed.get(field, ())]
        for pairs, with_labels in ((matched, True), (mislabelled, False)):
            matches = match_regions(wanted, there, sizes_wh=sizes_wh, tolerance=tolerance, with_labels=with_labels)
            for match in matches:
                expected, region = wanted[match.place].region, there[match.other_place].region
                pairs.append(RegionPair(field, expected, region, match.similarity))
            wanted = _without(wanted, {match.place for match in matches})
            there = _without(there, {match.other_place for match in matches})
        missed += [(field, region.region) for region in wanted]
        extra += [(field, region.region) for region in there]
    return MarkComparison(tuple(matched), tuple(mislabelled), tuple(missed), tuple(extra))


def _without(regions: Sequence[PlacedRegion], places: set[int]) -> list[PlacedRegion]:
    return [region for place, region in enumerate(regions) if place not in places]
