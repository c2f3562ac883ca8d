"""What the ratings tell of each rater: with the others or against them, likely errors, and haste.

It advises a curator whom to talk to. Nothing here changes what a rule accepts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from .agreement import without_each
from .dawid_skene import Estimated, dawid_skene
from .ratings import Rating

FAST = 3.5
"""Modified z-score beyond which a rater's median time is an outlier (Iglewicz and Hoaglin 1993)."""
_MAD_AS_DEVIATION = 0.6745
"""What the median absolute deviation of a normal variable is of its standard deviation."""


@dataclass(frozen=True)
class RaterQuality:
    """What the ratings tell of one rater; shares 0 to 1, None where undefined.

    Args:
        rater: Name.
        ratings: How many.
        labels: How often each was given.
        with_others: Share of units on which the rater says what most of the others say, and on how many units
            the others have a most frequent label.
        estimated_accuracy: Of Dawid and Skene's model.
        confusion: Estimated probability of each label given (inner) where another is the truth (outer).
        alpha_without: Krippendorff's alpha of the others.
        median_seconds: Of the time that a rating took, where it is known.
        pace: Modified z-score of the log of that median among all raters; below -3.5 is suspiciously fast.
    """

    rater: str
    ratings: int
    labels: Mapping[str, int]
    with_others: tuple[float | None, int]
    estimated_accuracy: float
    confusion: Mapping[str, Mapping[str, float]]
    alpha_without: float | None
    median_seconds: float | None
    pace: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review annotators --json` prints."""
        share, units = self.with_others
        return {
            "rater": self.rater,
            "ratings": self.ratings,
            "labels": dict(self.labels),
            "with_others": share,
            "with_others_units": units,
            "estimated_accuracy": self.estimated_accuracy,
            "confusion": {true: dict(row) for true, row in self.confusion.items()},
            "alpha_without": self.alpha_without,
            "median_seconds": self.median_seconds,
            "pace": self.pace,
            "suspiciously_fast": None if self.pace is None else self.pace < -FAST,
        }


def rater_qualities(
    ratings: Iterable[Rating], *, categories: Sequence[str] = (), seconds: Mapping[str, Sequence[float]] | None = None
) -> list[RaterQuality]:
    """Return what the ratings tell of each rater, by name; none where there are no ratings.

    Args:
        ratings: In any order.
        categories: Labels that could have been given.
        seconds: What each rating of a rater took, by name.
    """
    rows = sorted(ratings)
    if not rows:
        return []
    estimated = dawid_skene(rows)
    left_out = without_each(rows, categories=categories)
    against = _against_others(rows)
    middle = {name: median(times) for name, times in (seconds or {}).items() if times}
    paces = _paces(middle)
    return [
        RaterQuality(
            rater=name,
            ratings=sum(row.rater == name for row in rows),
            labels=dict(sorted(Counter(row.label for row in rows if row.rater == name).items())),
            with_others=against[name],
            estimated_accuracy=estimated.accuracy(name),
            confusion=_confusion(estimated, name),
            alpha_without=left_out[name].krippendorff_alpha,
            median_seconds=middle.get(name),
            pace=paces.get(name),
        )
        for name in estimated.raters
    ]


def _against_others(rows: Sequence[Rating]) -> dict[str, tuple[float | None, int]]:
    """Compare each rating with the most frequent label of the others; units where they tie say nothing."""
    said: dict[str, Counter[str]] = {}
    for row in rows:
        said.setdefault(row.unit, Counter())[row.label] += 1
    same, of = Counter[str](), Counter[str]()
    for row in rows:
        others = said[row.unit] - Counter([row.label])
        ranked = others.most_common(2)
        if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            of[row.rater] += 1
            same[row.rater] += ranked[0][0] == row.label
    return {name: (same[name] / of[name] if of[name] else None, of[name]) for name in {row.rater for row in rows}}


def _confusion(estimated: Estimated, rater: str) -> dict[str, dict[str, float]]:
    rates = estimated.error_rates[estimated.raters.index(rater)]
    return {
        true: dict(zip(estimated.labels, map(float, row), strict=True))
        for true, row in zip(estimated.labels, rates, strict=True)
        if not np.isnan(row).any()
    }


def _paces(middle: Mapping[str, float]) -> dict[str, float]:
    """Return the modified z-score of each rater's log time; none unless three raters differ."""
    if len(middle) < 3:
        return {}
    logs = {name: float(np.log(max(value, 0.01))) for name, value in middle.items()}
    centre = median(logs.values())
    spread = median(abs(value - centre) for value in logs.values())
    return {name: _MAD_AS_DEVIATION * (value - centre) / spread for name, value in logs.items()} if spread else {}
