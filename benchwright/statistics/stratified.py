"""Sizes of a stratified sample in proportion to the strata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

Stratum = TypeVar("Stratum", bound=Any)
"""Any sortable type."""


def shares(sizes: Mapping[Stratum, int], total: int) -> dict[Stratum, int]:
    """Return the number to draw from each stratum for a given total: in proportion, and at least one each if possible.

    Units left over from rounding go to the largest remainders; ties are resolved in favor of the stratum that sorts
    first.

    Example:
        >>> shares({"Life": 60, "Art": 30, "Society": 10}, 10)
        {'Life': 6, 'Art': 3, 'Society': 1}
    """
    items = sum(sizes.values())
    if items <= total:
        return dict(sizes)
    exact = {stratum: total * n / items for stratum, n in sizes.items()}
    at_least = 1 if total >= len(sizes) else 0
    shares_by_stratum = {stratum: max(at_least, int(share)) for stratum, share in exact.items()}
    by_remainder = sorted(exact, key=lambda stratum: (shares_by_stratum[stratum] - exact[stratum], stratum))
    while (missing := total - sum(shares_by_stratum.values())) > 0:
        for stratum in [candidate for candidate in by_remainder if shares_by_stratum[candidate] < sizes[candidate]][
            :missing
        ]:
            shares_by_stratum[stratum] += 1
    while (over := sum(shares_by_stratum.values()) - total) > 0:
        for stratum in [candidate for candidate in reversed(by_remainder) if shares_by_stratum[candidate] > at_least][
            :over
        ]:
            shares_by_stratum[stratum] -= 1
    return shares_by_stratum
