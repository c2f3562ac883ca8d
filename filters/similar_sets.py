"""All pairs of sets that overlap enough, exactly, without comparing each with each.

Two sets of Jaccard similarity `t` or more share one of their rarest members: of a set with n members, one of the first
n - ceil(t n) + 1 in an order that puts rare ones first (prefix filtering: Chaudhuri, Ganti and Kaushik, ICDE 2006).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class Similar(NamedTuple):
    """Two sets by their place, the smaller place first, and their Jaccard similarity."""

    one: int
    other: int
    similarity: float


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the size of the intersection over that of the union; 0 where both are empty."""
    shared = len(one & other)
    union = len(one) + len(other) - shared
    return shared / union if union else 0.0


def similar_pairs(sets: Sequence[frozenset[str]], *, at_least: float) -> list[Similar]:
    """Return every pair of sets whose Jaccard similarity is `at_least` that, sorted. Empty sets are like none.

    Args:
        sets: In any order; the order decides only which place is named.
        at_least: Above 0, at most 1.

    Raises:
        ValueError: `at_least` is not in that range.
    """
    if not 0 < at_least <= 1:
        raise ValueError(f"at_least must be above 0 and at most 1, not {at_least}")
    often = Counter(member for members in sets for member in members)
    found: list[Similar] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted((at for at, members in enumerate(sets) if members), key=lambda at: (len(sets[at]), at)):
        members = sets[place]
        prefix = sorted(members, key=lambda member: (often[member], member))
        del prefix[len(members) - _least(at_least, len(members)) + 1 :]
        candidates = {other for member in prefix for other in holders[member]}
        for other in candidates:
            if len(sets[other]) >= _least(at_least, len(members)):
                similarity = jaccard(members, sets[other])
                if similarity >= at_least:
                    found.append(Similar(min(place, other), max(place, other), similarity))
        for member in prefix:
            holders[member].append(place)
    return sorted(found)


def _least(share: float, size: int) -> int:
    """Return the least number of members that is this share of `size`, safe against the last bit of a product."""
    return max(1, math.ceil(share * size - 1e-9))
