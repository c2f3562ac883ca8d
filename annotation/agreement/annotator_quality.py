"""Quality of each rater, computed from ratings: agreement with others, estimated error rates, and suspicious speed.

The figures help a curator choose annotators to talk to. They do not change what a rule accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal, NamedTuple

import numpy as np

from .coefficients import without_each
from .dawid_skene import NEARLY_SETTLED, DawidSkeneEstimate, estimated_from
from .rating_columns import RatingColumns
from .ratings import Rating, columns_of

LEAST_SHARED = 10
"""Minimum number of units shared with others for an estimate of a rater's accuracy and errors."""
_LEAST_TIMED = 5
"""Minimum number of ratings with a known time for a comparison of a rater's pace."""
_FAST = 3.5
"""Modified z-score beyond which a rater's median time is an outlier (Iglewicz and Hoaglin 1993)."""
_MANY_TOO_FAST = 0.2
"""Proportion of ratings below the shortest believable time, out of at least `_LEAST_TIMED`, at which a rater rushes."""
_MANY_MISSED = 0.34
"""Proportion of wrong checks, with at least two wrong, at which a rater is assumed not to read the questions."""
Doubt = Literal["misses_checks", "rushes", "faster_than_others", "as_without_looking"]
"""Evidence against a rater: attention checks, impossible times, a pace far from the others', one label for all."""
_MAD_AS_DEVIATION = 0.6745
"""Ratio of the median absolute deviation of a normal variable to its standard deviation."""


class RightOf(NamedTuple):
    """A number of correct results and the total number of results."""

    right: int
    of: int

    @property
    def shared(self) -> tuple[float | None, int]:
        """Return the proportion of correct results (None if the total is 0) and the total."""
        return (self.right / self.of if self.of else None), self.of


@dataclass(frozen=True)
class RaterQuality:
    """Quality of one rater, with proportions from 0 to 1; None where undefined.

    Args:
        rater: Name.
        ratings: Number of ratings.
        labels: Number of times that the rater gave each label.
        with_others: Proportion of units on which the rater gives the most frequent label of the others, and the number
            of units on which the others have such a label.
        shared: Number of units that others also rated; the basis of the estimate.
        estimated_accuracy: Accuracy by Dawid and Skene's model, over units with several raters; None if the rater
            rated fewer than `LEAST_SHARED` of them.
        confusion: Estimated probability of each given label (inner) by true label (outer); empty if there is no
            estimate.
        alpha_without: Krippendorff's alpha of the others, and the number of units on which they can be compared.
        median_seconds: Median time of a rating in seconds; None if unknown.
        timed: Number of ratings with a known time.
        pace: Modified z-score of the log of that median among all raters with `_LEAST_TIMED` times or more; below -3.5
            is suspiciously fast.
        on_gold: Proportion of right labels on units with a known right label, and the number of these units.
        too_fast: Share of ratings that took less than the shortest believable time of their unit, and the number of
            ratings for which that time is known.
        attention: Proportion of attention checks with a right answer, and the number of checks.
        constant_accuracy: Estimated accuracy of a rater who gives the most frequent truth each time, without looking;
            None if there is no estimate.
    """

    rater: str
    ratings: int
    labels: Mapping[str, int]
    with_others: tuple[float | None, int]
    shared: int
    estimated_accuracy: float | None
    confusion: Mapping[str, Mapping[str, float]]
    alpha_without: tuple[float | None, int]
    median_seconds: float | None
    timed: int
    pace: float | None
    on_gold: tuple[float | None, int] = (None, 0)
    too_fast: tuple[float | None, int] = (None, 0)
    attention: tuple[float | None, int] = (None, 0)
    constant_accuracy: float | None = None

    @property
    def is_suspiciously_fast(self) -> bool | None:
        """Return whether the rater rushes or is exceptionally fast compared with others; None if neither is known."""
        if self.rushes:
            return True
        return None if self.pace is None else self.pace < -_FAST

    @property
    def rushes(self) -> bool:
        """Return whether many ratings took less time than looking at pictures and reading require."""
        share, of = self.too_fast
        return share is not None and share >= _MANY_TOO_FAST and round(share * of) >= _LEAST_TIMED

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Return the evidence against the rater's ratings, strongest first; empty if there is none."""
        right, of = self.attention
        missed = 0 if right is None else round((1 - right) * of)
        is_constant = (
            self.estimated_accuracy is not None
            and self.constant_accuracy is not None
            and len(self.labels) == 1
            and self.ratings >= LEAST_SHARED
        )
        evidence: dict[Doubt, bool] = {
            "misses_checks": missed >= 2 and missed > _MANY_MISSED * of,
            "rushes": self.rushes,
            "faster_than_others": self.pace is not None and self.pace < -_FAST,
            "as_without_looking": is_constant,
        }
        return tuple(doubt for doubt, holds in evidence.items() if holds)

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review annotators --json` prints."""
        share, units = self.with_others
        right, of_gold = self.on_gold
        alpha, other_units = self.alpha_without
        return {
            "rater": self.rater,
            "ratings": self.ratings,
            "labels": dict(self.labels),
            "with_others": share,
            "with_others_units": units,
            "shared_units": self.shared,
            "estimated_accuracy": self.estimated_accuracy,
            "confusion": {true: dict(row) for true, row in self.confusion.items()},
            "alpha_without": alpha,
            "alpha_without_units": other_units,
            "median_seconds": self.median_seconds,
            "timed": self.timed,
            "pace": self.pace,
            "suspiciously_fast": self.is_suspiciously_fast,
            "on_gold": right,
            "on_gold_units": of_gold,
            "too_fast_share": self.too_fast[0],
            "too_fast_of": self.too_fast[1],
            "attention_share": self.attention[0],
            "attention_of": self.attention[1],
            "constant_accuracy": self.constant_accuracy,
            "doubts": list(self.doubts),
        }


def rater_qualities(
    ratings: Iterable[Rating], *, categories: Sequence[str] = (), seconds: Mapping[str, Sequence[float]] | None = None
) -> list[RaterQuality]:
    """Return the quality of each rater, sorted by name, or an empty list if there are no ratings.

    Args:
        ratings: Ratings in any order.
        categories: Possible labels; default those in use.
        seconds: Times of each rater's ratings in seconds, by the rater's name; default unknown.
    """
    return qualities_in(columns_of(ratings, categories=categories), seconds=seconds)


def qualities_in(
    columns: RatingColumns,
    *,
    seconds: Mapping[str, Sequence[float]] | None = None,
    gold: Mapping[str, RightOf] | None = None,
    too_fast: Mapping[str, RightOf] | None = None,
    attention: Mapping[str, RightOf] | None = None,
) -> list[RaterQuality]:
    """Return the qualities that `rater_qualities` returns, from ratings in columns.

    Args:
        columns: Ratings.
        seconds: Times of each rater's ratings in seconds, by the rater's name; default unknown.
        gold: Result of each rater on units with a known right label, by name; default none.
        too_fast: Number of ratings below the shortest believable time, and of all ratings for which that time is known,
            by the rater's name; default none.
        attention: Number of correctly answered attention checks, and of all attention checks, by the rater's name;
            default none.
    """
    if not len(columns):
        return []
    together = columns.only(np.bincount(columns.units, minlength=columns.unit_count)[columns.units] >= 2)
    # On a unit with one rater the model believes that rater, and so would find raters without shared units always
    # right.
    estimated = estimated_from(together, settled=NEARLY_SETTLED) if len(together) else None
    shared = np.bincount(together.raters, minlength=len(columns.rater_names))
    left_out = without_each(columns)
    against = _against_others(columns)
    labels = np.bincount(
        columns.raters * len(columns.label_names) + columns.labels,
        minlength=len(columns.rater_names) * len(columns.label_names),
    ).reshape(len(columns.rater_names), -1)
    timed = {name: len(times) for name, times in (seconds or {}).items()}
    middle = {name: median(times) for name, times in (seconds or {}).items() if len(times)}
    paces = _paces({name: value for name, value in middle.items() if timed[name] >= _LEAST_TIMED})
    return [
        RaterQuality(
            rater=name,
            ratings=int(labels[place].sum()),
            labels={label: int(n) for label, n in sorted(zip(columns.label_names, labels[place], strict=True)) if n},
            with_others=against[place].shared,
            shared=int(shared[place]),
            estimated_accuracy=estimated.accuracy(name) if estimated and shared[place] >= LEAST_SHARED else None,
            confusion=_confusion(estimated, name) if estimated and shared[place] >= LEAST_SHARED else {},
            alpha_without=(left_out[name].krippendorff_alpha, left_out[name].compared),
            median_seconds=middle.get(name),
            timed=timed.get(name, 0),
            pace=paces.get(name),
            on_gold=(gold or {}).get(name, RightOf(0, 0)).shared,
            too_fast=(too_fast or {}).get(name, RightOf(0, 0)).shared,
            attention=(attention or {}).get(name, RightOf(0, 0)).shared,
            constant_accuracy=float(estimated.shares.max()) if estimated and shared[place] >= LEAST_SHARED else None,
        )
        for name in columns.present
        for place in [columns.rater_names.index(name)]
    ]


def _against_others(columns: RatingColumns) -> list[RightOf]:
    """Compare each rating with the label that most others gave, excluding units on which their labels tie."""
    many, people = len(columns.label_names), len(columns.rater_names)
    counts = np.bincount(columns.units * many + columns.labels, minlength=columns.unit_count * many)
    other_counts = counts.reshape(columns.unit_count, many)[columns.units]
    other_counts[np.arange(len(columns)), columns.labels] -= 1
    most = other_counts.max(axis=1)
    tells = (most > 0) & ((other_counts == most[:, None]).sum(axis=1) == 1)
    same = tells & (other_counts.argmax(axis=1) == columns.labels)
    return [
        RightOf(int(right), int(of))
        for right, of in zip(
            np.bincount(columns.raters[same], minlength=people),
            np.bincount(columns.raters[tells], minlength=people),
            strict=True,
        )
    ]


def _confusion(estimated: DawidSkeneEstimate, rater: str) -> dict[str, dict[str, float]]:
    rates = estimated.error_rates[estimated.raters.index(rater)]
    return {
        true: dict(zip(estimated.labels, map(float, row), strict=True))
        for true, row in zip(estimated.labels, rates, strict=True)
        if not np.isnan(row).any()
    }


def _paces(middle: Mapping[str, float]) -> dict[str, float]:
    """Return the modified z-score of the logarithm of each rater's time.

    The result is empty if there are fewer than three raters or the median deviation of the logs is 0.
    """
    if len(middle) < 3:
        return {}
    logs = {name: float(np.log(max(value, 0.01))) for name, value in middle.items()}
    centre = median(logs.values())
    spread = median(abs(value - centre) for value in logs.values())
    return {name: _MAD_AS_DEVIATION * (value - centre) / spread for name, value in logs.items()} if spread else {}
