"""Wilson's score interval of a proportion, used by statistics and filters."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

Z_95 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


class Interval(NamedTuple):
    """A two-sided 95 % interval within [0, 1]."""

    low: float
    high: float


def score_interval(right: float, n: float, *, z: float = Z_95) -> Interval:
    """Return the interval of all p for which (right / n - p)^2 <= z^2 p (1 - p) / n; `n` is above 0.

    With d = n + z^2 its center is (right + z^2 / 2) / d and its half-width is z / d * sqrt(right * (n - right) / n +
    z^2 / 4), so it never leaves [0, 1] and is not empty at 0 or n right.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927), 209-212.
    """
    d = n + z * z
    centre = (right + z * z / 2) / d
    half = z / d * sqrt(right * (n - right) / n + z * z / 4)
    # The ends are then exactly 0 and 1; rounding would leave a trace of 1e-17.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Interval(low, high)
