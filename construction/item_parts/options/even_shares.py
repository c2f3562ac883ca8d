"""Computation of how often each set of options may be used so that every part is used equally often.

Options that are right more often than others are a cue by themselves. Some records of each part are therefore left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

_PROJECTIONS, _SLACK = 500, 1e-6
Part = TypeVar("Part", bound=Hashable)


def even_shares(frequencies: Mapping[Part, int], sets: Sequence[Sequence[Part]]) -> list[float]:
    """Return, for each set, the number of records that the set may use of each of its parts.

    The numbers are the maximum-entropy solution under the frequencies, found by Bregman projections (each part's weight
    is lowered until its records suffice).

    Args:
        frequencies: Number of records of each part.
        sets: Parts of each set, distinct and among `frequencies`.

    Returns:
        The expected number of records of each part in each set. The sum over all sets that hold a part is at most its
        frequency.
    """
    weights = dict.fromkeys(frequencies, 1.0)
    largest = 0.0
    shares = np.full(len(sets), float(sum(frequencies.values())))
    holding: dict[Part, list[int]] = {part: [] for part in frequencies}
    for place, parts in enumerate(sets):
        for part in parts:
            holding[part].append(place)
    for _ in range(_PROJECTIONS):
        largest = 0.0
        for part, places in holding.items():
            if places:
                ratio = float(shares[places].sum()) / frequencies[part]
                largest = max(largest, ratio)
                weight = min(1.0, weights[part] / ratio)
                shares[places] *= weight / weights[part]
                weights[part] = weight
        if largest <= 1 + _SLACK:
            break
    shares /= max(1.0, largest)
    return [float(share) for share in shares]


def served(count: int, shares: Sequence[float], start: float) -> list[int | None]:
    """Return, for each of a part's records, the index of the set that uses it, or None if it is left out; each set gets
    its number of records to within one.

    Args:
        count: Number of records of the part.
        shares: Number of records that each set uses.
        start: Start of the first set within its first record, 0-1, at random.
    """
    ends = np.cumsum(np.asarray(shares) / count)
    places = np.searchsorted(ends, (np.arange(count) + start) / count, "right").tolist()
    return [place if place < len(shares) else None for place in places]
