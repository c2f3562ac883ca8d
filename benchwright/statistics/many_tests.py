"""Correction of p-values for the number of simultaneous tests."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Return p-values adjusted by Holm's method, which bounds the probability of any error over all tests.

    In ascending order of p over weight, each p is multiplied by the sum of the remaining weights over its own weight.
    Without weights, the factor of the k-th of m, counted from 0, is m - k. No adjusted value is below the one before
    it, and none is above 1.

    Args:
        p_values: The p-values.
        weights: Positive weights, which divide the level among the tests; None for equal shares.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
    (1979), 65-70; section 4 covers the weights.
    """
    shares = [1.0] * len(p_values) if weights is None else list(weights)
    left, floor = sum(shares), 0.0
    adjusted = [0.0] * len(p_values)
    for i in sorted(range(len(p_values)), key=lambda i: p_values[i] / shares[i]):
        floor = max(floor, min(1.0, left / shares[i] * p_values[i]))
        adjusted[i] = floor
        left -= shares[i]
    return adjusted
