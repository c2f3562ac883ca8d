"""Agreement where each annotator names a set of categories.

Krippendorff's alpha with Passonneau's MASI distance over whole sets, and plain alpha of each category named or not.

Sources:
    MASI     R. Passonneau, "Measuring agreement on set-valued items (MASI) for semantic and pragmatic annotation",
             LREC 2006: distance = 1 - J M, with J the Jaccard index and M 1 for equal sets, 2/3 where one holds the
             other, 1/3 where they overlap, 0 where they do not
    alpha    K. Krippendorff, "Computing Krippendorff's Alpha-Reliability", 2011
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from .agreement import agreement
from .ratings import Rating

Named = frozenset[str]


class SetRating(NamedTuple):
    """The categories that one rater named of one unit."""

    unit: str
    rater: str
    named: Named


def masi_distance(one: Named, other: Named) -> float:
    """Return how far two sets are apart, 0 (equal) to 1 (nothing in common); two empty sets are equal."""
    if one == other:
        return 0.0
    common, together = len(one & other), len(one | other)
    overlap = 2 / 3 if one <= other or other <= one else 1 / 3 if common else 0.0
    return 1 - common / together * overlap


def masi_alpha(ratings: Iterable[SetRating]) -> float | None:
    """Return Krippendorff's alpha over sets, with the MASI distance.

    Only units with two ratings or more count. None where there are none, or where all of their sets are equal.

    Example:
        >>> both = frozenset({"a", "b"})
        >>> masi_alpha([SetRating("1", "x", both), SetRating("1", "y", both), SetRating("2", "x", frozenset({"c"})),
        ...             SetRating("2", "y", frozenset({"c"}))])
        1.0
    """
    units: dict[str, list[Named]] = {}
    for rating in ratings:
        units.setdefault(rating.unit, []).append(rating.named)
    paired = [sets for sets in units.values() if len(sets) > 1]
    every = Counter(named for sets in paired for named in sets)
    total = every.total()
    expected = 2 * sum(
        n * m * masi_distance(one, other) for (one, n), (other, m) in combinations(sorted(every.items(), key=_order), 2)
    )
    if not expected:
        return None
    observed = sum(
        2 * sum(masi_distance(one, other) for one, other in combinations(sets, 2)) / (len(sets) - 1) for sets in paired
    )
    return 1 - (total - 1) * observed / expected


def alpha_by_category(ratings: Sequence[SetRating], categories: Iterable[str]) -> Mapping[str, float | None]:
    """Return Krippendorff's nominal alpha of each category named or not; None where undefined."""
    found = {}
    for category in categories:
        rows = [Rating(one.unit, one.rater, "named" if category in one.named else "not") for one in ratings]
        found[category] = agreement(rows, resamples=0).krippendorff_alpha if rows else None
    return found


def _order(counted: tuple[Named, int]) -> tuple[str, ...]:
    """Order sets, so that sums come out the same whatever order they came in."""
    return tuple(sorted(counted[0]))
