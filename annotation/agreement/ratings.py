"""Ratings counted by unit, from which every agreement statistic is computed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from .label_sets import MAX_SETS, joined, masi_distances, members_of
from .rating_columns import RatingColumns, distinct_rows, numbered

Floats = NDArray[np.float64]
Metric = Literal["nominal", "ordinal", "masi"]

MAX_CELLS = 20_000_000
"""Maximum number of units times categories that fits in memory; more labels are free text, not categories."""


class Rating(NamedTuple):
    """One rater's label for one unit; a missing rating has no record."""

    unit: str
    rater: str
    label: str


@dataclass(frozen=True)
class RatingTable:
    """Ratings counted by unit, with equal units folded into one pattern.

    Args:
        times: (P,) number of units with each pattern.
        counts: (P, K) number of ratings per category.
        pair: (P, 2) category of first and second rater, -1 if missing; all -1 unless there are two raters.
        raters: Number of different raters.
        metric: Kind of distance between two categories.
        apart: (K, K) distances between categories, if the metric specifies them.
    """

    times: NDArray[np.int64]
    counts: Floats
    pair: NDArray[np.int64]
    raters: int
    metric: Metric
    apart: Floats | None = None

    @property
    def per_unit(self) -> Floats:
        """Return (P,) numbers of ratings per unit."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def is_paired(self) -> Floats:
        """Return (P,) 1.0 for units with two ratings or more, else 0.0."""
        return (self.per_unit >= 2).astype(np.float64)

    @property
    def agreeing(self) -> Floats:
        """Return (P,) share of a unit's pairs of ratings that agree; 0 for a unit without a pair."""
        size = self.per_unit
        pairs = (self.counts * (self.counts - 1)).sum(axis=1)
        return np.asarray(pairs / np.maximum(size * (size - 1), 1))


def columns_of(
    ratings: Iterable[Rating], *, categories: Sequence[str] = (), metric: Metric = "nominal"
) -> RatingColumns:
    """Return ratings as columns.

    Args:
        ratings: Ratings in any order.
        categories: All possible labels, since some may not occur; AC1 depends on their number. Default: the labels in
            use.
        metric: Default `nominal`; `ordinal` needs labels that are numbers, or `categories` in their order; `masi` reads
            each label as a set, its members joined by `|`.

    Raises:
        DataError: A rater rated a unit twice, labels have no order, or there are too many different labels.
    """
    rows = sorted(_as_set(rating) for rating in ratings) if metric == "masi" else sorted(ratings)
    for before, after in pairwise(rows):
        if before[:2] == after[:2]:
            raise _rated_twice(after.unit, after.rater)
    return in_columns(
        rows, _ordered({rating.label for rating in rows}, categories, metric), is_declared=bool(categories)
    )


class RatingTally:
    """Ratings that are added unit by unit; each takes three small numbers in memory."""

    def __init__(self) -> None:
        self._units, self._raters, self._labels = array("i"), array("i"), array("i")
        self._rater_numbers: dict[str, int] = {}
        self._label_numbers: dict[str, int] = {}
        self._unit_count = 0

    def add(self, unit: str, labels: Iterable[tuple[str, str]]) -> None:
        """Add the ratings of a new unit, each a rater and a label.

        Raises:
            DataError: A rater rated the unit twice.
        """
        raters = set[str]()
        for rater, label in labels:
            if rater in raters:
                raise _rated_twice(unit, rater)
            raters.add(rater)
            self._units.append(self._unit_count)
            self._raters.append(self._rater_numbers.setdefault(rater, len(self._rater_numbers)))
            self._labels.append(self._label_numbers.setdefault(label, len(self._label_numbers)))
        self._unit_count += 1

    def columns(self, categories: Sequence[str] = ()) -> RatingColumns:
        """Return the ratings as `columns_of` does, except for the order of units.

        Raises:
            DataError: A label is missing from the categories.
        """
        rater_names, raters = numbered(self._rater_numbers)
        known = _ordered(set(self._label_numbers), categories, "nominal")
        label_names, labels = numbered(self._label_numbers, known)
        units, rater_of, label_of = (np.array(column, np.int64) for column in (self._units, self._raters, self._labels))
        return RatingColumns(
            units, raters[rater_of], labels[label_of], self._unit_count, rater_names, label_names, bool(categories)
        )


def in_columns(
    ratings: Sequence[Rating], labels: Sequence[str] | None = None, *, is_declared: bool = False
) -> RatingColumns:
    """Return unchecked ratings in columns; a rater may have rated a unit more than once.

    Args:
        ratings: Ratings in any order.
        labels: Labels in order; default None, the sorted labels in use.
        is_declared: Whether these are all possible labels; default False.
    """
    unit_names, units = numbered(rating.unit for rating in ratings)
    rater_names, raters = numbered(rating.rater for rating in ratings)
    label_names, label_places = numbered((rating.label for rating in ratings), labels)
    return RatingColumns(units, raters, label_places, len(unit_names), rater_names, label_names, is_declared)


def fold(columns: RatingColumns, *, metric: Metric = "nominal") -> RatingTable:
    """Return ratings counted by unit, without units that have no ratings and labels neither given nor declared.

    Raises:
        DataError: The ratings have too many different labels.
    """
    names, labels = columns.label_names, columns.labels
    if not columns.is_declared:
        used, labels = np.unique(labels, return_inverse=True)
        names = tuple(names[place] for place in used)
    many = len(names)
    if columns.unit_count * many > MAX_CELLS:
        raise DataError(
            f"{counted(many, 'different label')} over {counted(columns.unit_count, 'unit')}: labels must be "
            "categories, not free text"
        )
    if metric == "masi" and many > MAX_SETS:
        raise DataError(f"{many} different sets of labels; at most {MAX_SETS} can be compared")
    counts = np.bincount(columns.units * many + labels, minlength=columns.unit_count * many).reshape(
        columns.unit_count, many
    )
    raters, place = np.unique(columns.raters, return_inverse=True)
    pair = np.full((columns.unit_count, 2), -1, dtype=np.int64)
    if len(raters) == 2:
        pair[columns.units, place] = labels
    rated = np.bincount(columns.units, minlength=columns.unit_count) > 0
    patterns, times = distinct_rows(np.hstack([counts, pair])[rated].astype(np.int64))
    return RatingTable(
        times,
        patterns[:, :-2].astype(np.float64),
        patterns[:, -2:],
        len(raters),
        metric,
        masi_distances(list(names)) if metric == "masi" else None,
    )


def _rated_twice(unit: str, rater: str) -> DataError:
    return DataError(f"rater {rater!r} rated unit {unit!r} twice; keep one of the two ratings")


def _as_set(rating: Rating) -> Rating:
    return rating._replace(label=joined(members_of(rating.label)))


def _ordered(used: set[str], declared: Sequence[str], metric: Metric) -> list[str]:
    if unknown := sorted(used - set(declared)) if declared else []:
        raise DataError(f"label {unknown[0]!r} is not one of the categories {list(declared)}")
    if declared or metric != "ordinal":
        return list(declared) or sorted(used)
    try:
        numbers = {label: float(label) for label in used}
    except ValueError:
        raise DataError(f"ordinal agreement needs numbers as labels, not {sorted(used)[:5]}") from None
    if not all(np.isfinite(list(numbers.values()))) or len(set(numbers.values())) < len(numbers):
        raise DataError(f"ordinal agreement needs different finite numbers as labels, not {sorted(used)[:5]}")
    return sorted(used, key=numbers.__getitem__)
