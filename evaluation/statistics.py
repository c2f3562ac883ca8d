"""Intervals for proportions: the short formulas, owned here and cited."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


class Interval(NamedTuple):
    """A two-sided interval at 95 %, within [0, 1]."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A proportion, its interval, and how many it stands on; None for both where `n` is 0."""

    value: float | None
    interval: Interval | None
    n: int


def wilson(right: float, n: int, *, z: float = Z_95) -> Estimate:
    """Return the share `right / n` with Wilson's score interval.

    `right` may be a sum of n shares in [0, 1], such as those of right answers per item. The interval is then wide
    rather than narrow: the variance of such a share with mean p is at most p (1 - p), that of a single draw.

    The interval holds the p for which (p_hat - p)^2 <= z^2 p (1 - p) / n, so it never leaves [0, 1] and is not
    empty at 0 or n right. With d = n + z^2 its centre is (right + z^2 / 2) / d and its half-width is
    z / d * sqrt(right * (n - right) / n + z^2 / 4).

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
    American Statistical Association 22 (1927), 209-212.

    Raises:
        ValueError: `right` lies outside 0..n.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} right of {n} is no proportion")
    if n == 0:
        return Estimate(None, None, 0)
    d = n + z * z
    centre = (right + z * z / 2) / d
    half = z / d * sqrt(right * (n - right) / n + z * z / 4)
    # The ends are exactly 0 and 1 there; rounding would leave a trace of 1e-17.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Estimate(right / n, Interval(low, high), n)


def mean_of_proportions(estimates: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean of independent proportions, with an interval made from theirs.

    Each part's distance from its value to its limit is taken as that part's spread on that side; squares add up:
    low = mean - sqrt(sum((p_k - low_k)^2)) / K, and likewise above. For one part it is that part's interval, and it
    never leaves [0, 1]. Parts on no items are left out; `n` counts the items of all parts.

    Source: G. Y. Zou, W. Huang, X. Zhang, "A note on confidence interval estimation for a linear function of
    binomial proportions", Computational Statistics & Data Analysis 53 (2009), 1080-1085, with equal weights.
    """
    parts = [(e.value, e.interval) for e in estimates if e.value is not None and e.interval is not None]
    if not parts:
        return Estimate(None, None, 0)
    k = len(parts)
    mean = sum(value for value, _ in parts) / k
    below = sqrt(sum((value - ci.low) ** 2 for value, ci in parts)) / k
    above = sqrt(sum((ci.high - value) ** 2 for value, ci in parts)) / k
    return Estimate(mean, Interval(max(0.0, mean - below), min(1.0, mean + above)), sum(e.n for e in estimates))
