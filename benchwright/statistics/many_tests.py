"""Correction of p-values for the number of tests made at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's method, which bounds the chance of any error over all of them together.

    In ascending order, the k-th of m, counted from 0, is multiplied by m - k. No adjusted value is below the one before
    it, and none is above 1.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70.
    """
    m, floor = len(p_values), 0.0
    adjusted = [0.0] * m
    for k, i in enumerate(sorted(range(m), key=p_values.__getitem__)):
        floor = max(floor, min(1.0, (m - k) * p_values[i]))
        adjusted[i] = floor
    return adjusted
