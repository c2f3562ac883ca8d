"""Agreement where each annotator names a set of categories.

Krippendorff's alpha with MASI's distance over whole sets (`label_sets.py`), and plain alpha of each category, named
or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .agreement import agreement
from .label_sets import joined
from .ratings import Rating


class SetRating(NamedTuple):
    """The categories that one rater named of one unit."""

    unit: str
    rater: str
    named: frozenset[str]


def masi_alpha(ratings: Iterable[SetRating]) -> float | None:
    """Return Krippendorff's alpha over sets, with the MASI distance.

    Only units with two ratings or more count. None where there are none, or where all of their sets are equal.

    Example:
        >>> both = frozenset({"a", "b"})
        >>> masi_alpha([SetRating("1", "x", both), SetRating("1", "y", both), SetRating("2", "x", frozenset({"c"})),
        ...             SetRating("2", "y", frozenset({"c"}))])
        1.0
    """
    rows = [Rating(one.unit, one.rater, joined(one.named)) for one in ratings]
    return agreement(rows, metric="masi", resamples=0).krippendorff_alpha


def alpha_by_category(ratings: Sequence[SetRating], categories: Iterable[str]) -> Mapping[str, float | None]:
    """Return Krippendorff's nominal alpha of each category named or not; None where undefined."""
    found = {}
    for category in categories:
        rows = [Rating(one.unit, one.rater, "named" if category in one.named else "not") for one in ratings]
        found[category] = agreement(rows, resamples=0).krippendorff_alpha if rows else None
    return found
