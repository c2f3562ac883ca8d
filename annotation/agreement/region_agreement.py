"""Annotators' agreement on regions, with intervals: figures over pairs of annotators and over pictures.

`picture_agreement` reduces a picture to sums, so that pictures can be streamed; `region_agreement` divides them.
Intervals are percentile intervals of a bootstrap over pictures, or over groups of related pictures, never over regions:
regions of one picture are not independent observations (Field and Welsh 2007, doi:10.1111/j.1467-9868.2007.00593.x).

    mean_iou          mean intersection over union of matched areas
    mean_distance     mean distance of matched points, as a share of the object's or picture's diagonal
    share_matched     2 * matched / (regions of both), the F1 of one annotator against another; what kappa becomes where
                      unmarked places cannot be counted (Hripcsak and Rothschild 2005, doi:10.1197/jamia.M1733)
    count_agreement   share of pairs of annotators who marked equally many regions of a field
    count_alpha       Krippendorff's alpha of these counts, ratio metric (Krippendorff 2011, "Computing Krippendorff's
                      Alpha-Reliability")
    label_alpha       Krippendorff's nominal alpha of the labels of regions in one place, matched without their labels

A figure that does not exist for the given data is None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchwright.regions import SizeWH
from benchwright.seeds import generator_for

from .coefficients import LEAST_COMPARED, Interval, krippendorff_alpha, quantile_interval
from .ratings import MAX_CELLS, Floats, RatingTable
from .region_matching import (
    AREAS,
    Marks,
    RegionTolerance,
    grouped_regions,
    match_regions,
    placed_regions,
)

_REGION_STATISTICS = (
    "mean_iou", "mean_distance", "share_matched", "count_agreement", "count_alpha", "label_alpha",
)  # fmt: skip
_MAX_LABELS = 2_000
"""Maximum number of different labels for `label_alpha`; more labels are free text, not categories."""


@dataclass(frozen=True)
class FieldSums:
    """Sums over all pairs of annotators of one picture and field.

    Args:
        regions: Number of regions of both annotators.
        matched: Number of matched pairs of regions.
        areas: Number of matched pairs that are areas.
        iou: Sum of their intersections over union.
        points: Number of matched pairs that are points, ordered points or correspondences.
        distance: Sum of their relative distances.
        counts: Number of regions of each annotator, sorted.
        labels: Labels of each group of regions in one place that at least two annotators labeled, sorted.
    """

    regions: int
    matched: int
    areas: int
    iou: float
    points: int
    distance: float
    counts: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PictureAgreement:
    """Agreement on one picture.

    Args:
        picture_id: Id of the picture, or of the pair.
        annotators: Annotators who marked it, sorted.
        fields: Sums by field.
        group: Key shared by related pictures, which are resampled together; default the picture itself.
    """

    picture_id: str
    annotators: tuple[str, ...]
    fields: Mapping[str, FieldSums]
    group: str = ""

    @property
    def share_matched(self) -> float | None:
        """Return 2 * matched / (regions of both) over all pairs of annotators; None if there are no marks."""
        regions = sum(sums.regions for sums in self.fields.values())
        return 2 * sum(sums.matched for sums in self.fields.values()) / regions if regions else None


@dataclass(frozen=True)
class RegionAgreement:
    """Agreement over pictures, as fractions (alpha may be negative); None where undefined.

    Args:
        pictures: Number of pictures.
        compared: Number of pictures that at least two annotators marked; the basis of agreement.
        annotators: Number of different annotators.
        regions: Number of regions in all pairs of annotators.
        matched: Number of matched pairs of regions.
        figures: Value of each of `_REGION_STATISTICS`.
        ci: 95 % interval of each figure; None as in `Agreement`.
        by_field: The same for each field of the form; empty in the agreement on a single field.
    """

    pictures: int
    compared: int
    annotators: int
    regions: int
    matched: int
    figures: Mapping[str, float | None]
    ci: Mapping[str, Interval | None]
    by_field: Mapping[str, RegionAgreement] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a document."""
        document: dict[str, Any] = {
            "pictures": self.pictures,
            "compared": self.compared,
            "annotators": self.annotators,
            "regions": self.regions,
            "matched": self.matched,
            **self.figures,
            "ci": {name: None if bounds is None else list(bounds) for name, bounds in self.ci.items()},
        }
        if self.by_field:
            document["by_field"] = {name: agreement.to_json() for name, agreement in self.by_field.items()}
        return document


def picture_agreement(
    picture_id: str,
    marks: Marks,
    *,
    sizes_wh: Sequence[SizeWH],
    tolerance: RegionTolerance | None = None,
    group: str | None = None,
) -> PictureAgreement:
    """Return the sums for one picture, from which `region_agreement` computes its figures.

    Args:
        picture_id: Id of the picture, or of the pair.
        marks: Regions by annotator and field; empty for an annotator who marked nothing. Annotators who could not tell
            are omitted.
        sizes_wh: Size of each picture of the task in pixels.
        tolerance: Required similarity of regions, default `RegionTolerance()`.
        group: Group of related pictures; default the picture itself.
    """
    tolerance = tolerance or RegionTolerance()
    names = sorted(marks)
    placed = {name: placed_regions(name, marks[name], tolerance=tolerance) for name in names}
    sums = {}
    for form_field in sorted({form_field for name in names for form_field in marks[name]}):
        regions = {name: placed[name].get(form_field, []) for name in names}
        similar: dict[bool, list[float]] = {True: [], False: []}
        for first, second in combinations(names, 2):
            for match in match_regions(regions[first], regions[second], sizes_wh=sizes_wh, tolerance=tolerance):
                similar[regions[first][match.place].region.shape in AREAS].append(match.similarity)
        counts = sorted(len(rows) for rows in regions.values())
        is_labelled = any(region.label for rows in regions.values() for region in rows)
        places = (
            grouped_regions(regions, sizes_wh=sizes_wh, tolerance=tolerance, with_labels=False) if is_labelled else []
        )
        labels = (sorted(member.label for member in members if member.label) for members in places)
        sums[form_field] = FieldSums(
            regions=sum(counts) * (len(names) - 1),
            matched=len(similar[True]) + len(similar[False]),
            areas=len(similar[True]),
            iou=sum(similar[True]),
            points=len(similar[False]),
            distance=sum(1 - similarity for similarity in similar[False]),
            counts=tuple(counts),
            labels=tuple(sorted(tuple(named) for named in labels if len(named) > 1)),
        )
    return PictureAgreement(picture_id, tuple(names), sums, picture_id if group is None else group)


def region_agreement(pictures: Iterable[PictureAgreement], *, resamples: int = 1000, seed: int = 0) -> RegionAgreement:
    """Return the agreement over pictures, for all fields together and for each field.

    Args:
        pictures: Sums of each picture, in any order; read once.
        resamples: Number of bootstrap samples of groups of pictures; default 1000, 0 for no intervals.
        seed: Seed of the bootstrap, default 0; equal seeds give equal intervals.
    """
    rows = sorted(pictures, key=lambda picture: (picture.group, picture.picture_id))
    fields = sorted({name for picture in rows for name in picture.fields})
    by_field = {name: _agreement(rows, [name], resamples=resamples, seed=seed) for name in fields}
    return _agreement(rows, fields, resamples=resamples, seed=seed, by_field=by_field)


def _agreement(
    pictures: Sequence[PictureAgreement],
    fields: Sequence[str],
    *,
    resamples: int,
    seed: int,
    by_field: Mapping[str, RegionAgreement] | None = None,
) -> RegionAgreement:
    compared = [picture for picture in pictures if len(picture.annotators) > 1]
    number_of = {group: number for number, group in enumerate(sorted({picture.group for picture in compared}))}
    sums = np.zeros((len(number_of), 8))
    labels, counts = _Units(), _Units()
    for picture in compared:
        number = number_of[picture.group]
        for name in fields:
            row = picture.fields.get(name) or _nothing(picture)
            equal = sum(many * (many - 1) // 2 for many in Counter(row.counts).values())
            pairs = len(row.counts) * (len(row.counts) - 1) // 2
            sums[number] += (
                row.areas, row.iou, row.points, row.distance, row.matched, row.regions, equal, pairs
            )  # fmt: skip
            counts.add(number, row.counts)
            for named in row.labels:
                labels.add(number, named)
    alphas = {
        "label_alpha": labels.table() if len(labels.categories) <= _MAX_LABELS else None,
        "count_alpha": counts.table(_ratio_distances(counts.categories)),
    }
    weights_of_patterns = {
        "label_alpha": labels.by_group(len(number_of)),
        "count_alpha": counts.by_group(len(number_of)),
    }

    def figures(weights: Floats) -> dict[str, Floats]:
        values = _ratios(weights @ sums)
        for name, table in alphas.items():
            if table is None:
                values[name] = np.full(len(weights), np.nan)
            else:
                values[name] = krippendorff_alpha(table, np.asarray((weights_of_patterns[name].T @ weights.T).T))
        return {name: values[name] for name in _REGION_STATISTICS}

    whole = {name: float(value[0]) for name, value in figures(np.ones((1, len(number_of)))).items()}
    values = {name: None if np.isnan(value) else value for name, value in whole.items()}
    ci: dict[str, Interval | None] = dict.fromkeys(_REGION_STATISTICS)
    if resamples and len(number_of) >= LEAST_COMPARED:
        rng = generator_for(seed, "region_agreement", "bootstrap")
        drawn: dict[str, list[Floats]] = {name: [] for name in _REGION_STATISTICS}
        widest = max([len(number_of), *(len(table.times) for table in alphas.values() if table is not None)])
        at_once = max(1, 2_000_000 // widest)
        for start in range(0, resamples, at_once):
            many = min(at_once, resamples - start)
            chosen = rng.integers(len(number_of), size=(many, len(number_of)))
            weights = np.stack([np.bincount(row, minlength=len(number_of)) for row in chosen]).astype(np.float64)
            for name, value in figures(weights).items():
                drawn[name].append(value)
        ci = {
            name: quantile_interval(np.concatenate(samples)) if values[name] is not None else None
            for name, samples in drawn.items()
        }
    return RegionAgreement(
        pictures=len(pictures),
        compared=len(compared),
        annotators=len({name for picture in pictures for name in picture.annotators}),
        regions=int(sums[:, 5].sum()),
        matched=int(sums[:, 4].sum()),
        figures=values,
        ci=ci,
        by_field=by_field or {},
    )


class _Units:
    """Distinct units for Krippendorff's alpha, and their counts in each group of pictures."""

    def __init__(self) -> None:
        self.patterns: dict[tuple[Any, ...], int] = {}
        self.groups: list[int] = []
        self.places: list[int] = []

    def add(self, group: int, values: tuple[Any, ...]) -> None:
        self.groups.append(group)
        self.places.append(self.patterns.setdefault(values, len(self.patterns)))

    @property
    def categories(self) -> list[Any]:
        return sorted({value for values in self.patterns for value in values})

    def table(self, apart: Floats | None = None) -> RatingTable | None:
        """Return the units as counts by category, or None if there are no units or too many."""
        categories = self.categories
        if not self.patterns or len(self.patterns) * len(categories) > MAX_CELLS:
            return None
        place_of = {category: place for place, category in enumerate(categories)}
        counts = np.zeros((len(self.patterns), len(categories)))
        for row, values in enumerate(self.patterns):
            for value in values:
                counts[row, place_of[value]] += 1
        times = np.bincount(self.places, minlength=len(self.patterns))
        return RatingTable(times, counts, np.full((len(counts), 2), -1), 0, "nominal", apart)

    def by_group(self, groups: int) -> Any:
        """Return (groups, patterns) counts of each pattern in each group of pictures, as a sparse matrix."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.places))
        return csr_matrix((ones, (self.groups, self.places)), shape=(groups, len(self.patterns)))


def _nothing(picture: PictureAgreement) -> FieldSums:
    """Return the sums for a field without marks."""
    return FieldSums(0, 0, 0, 0.0, 0, 0.0, (0,) * len(picture.annotators), ())


def _ratios(sums: Floats) -> dict[str, Floats]:
    areas, iou, points, distance, matched, regions, equal, pairs = sums.T
    ratios = {
        "mean_iou": (iou, areas),
        "mean_distance": (distance, points),
        "share_matched": (2 * matched, regions),
        "count_agreement": (equal, pairs),
    }
    return {name: _ratio(above, below) for name, (above, below) in ratios.items()}


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def _ratio_distances(counts: Sequence[int]) -> Floats:
    """Return ((a - b) / (a + b)) squared for every pair of counts, and 0 for equal counts."""
    numbers: NDArray[np.float64] = np.array(counts, np.float64)
    difference, total = numbers[:, None] - numbers, numbers[:, None] + numbers
    return np.asarray(np.divide(difference, total, out=np.zeros_like(total), where=total > 0) ** 2)
