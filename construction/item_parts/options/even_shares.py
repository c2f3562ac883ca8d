"""How often each set of options can serve so that every part of it serves as often as the others.

Options of which one is right oftener than the others tell by themselves. So of the records that each part has, some are
left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np

_PROJECTIONS, _SLACK = 500, 1e-6
Part = TypeVar("Part", bound=Hashable)


def even_shares(frequencies: Mapping[Part, int], sets: Sequence[Sequence[Part]]) -> list[float]:
    """Return for each set how many records it may take of each of its parts.

    The numbers are a share of every set's weight: the solution of largest entropy under the frequencies, by Bregman's
    projections (each part's weight is lowered until its records suffice).

    Args:
        frequencies: Number of records of each part.
        sets: Parts of each set, all different and among `frequencies`.

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
    """Return which set each of a part's records serves, by number, each set its share to within one; None for those
    that are left out.

    Args:
        count: Number of records of the part.
        shares: How many of them each set takes.
        start: Where in its first record the first set begins, 0-1, by chance.
    """
    ends = np.cumsum(np.asarray(shares) / count)
    places = np.searchsorted(ends, (np.arange(count) + start) / count, "right").tolist()
    return [place if place < len(shares) else None for place in places]
