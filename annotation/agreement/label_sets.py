"""Labels that are sets of categories, such as several reasons at once, and the distance between two such sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

_SEPARATOR = "|"
MAX_SETS = 2000
"""Maximum number of different sets, whose distances take 32 MB of memory."""


def members_of(label: str) -> frozenset[str]:
    """Return the categories in a label that joins them with `|`; none if the label is empty."""
    return frozenset(part.strip() for part in label.split(_SEPARATOR)) - {""}


def joined(members: Iterable[str]) -> str:
    """Return the label of a set of categories: sorted, without duplicates, joined by `|`."""
    return _SEPARATOR.join(sorted(set(members)))


def masi(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the MASI distance between two sets, 0 (equal) to 1 (nothing shared).

    It is 1 minus the product of Jaccard's index and a factor for the kind of overlap: 1 for equal sets, 2/3 if one
    contains the other, 1/3 if each has a member that the other lacks. Passonneau 2006, "Measuring Agreement on
    Set-valued Items (MASI) for Semantic and Pragmatic Annotation". Two empty sets are equal.
    """
    if first == second:
        return 0.0
    shared = len(first & second)
    if not shared:
        return 1.0
    return 1 - shared / len(first | second) * (2 if first < second or second < first else 1) / 3


def masi_distances(labels: Sequence[str]) -> NDArray[np.float64]:
    """Return the (K, K) MASI distances between K labels."""
    sets = [members_of(label) for label in labels]
    return np.array([[masi(first, second) for second in sets] for first in sets]).reshape(len(sets), len(sets))
