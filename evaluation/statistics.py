"""Intervals for proportions: the short formulas, owned here and cited."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal, NamedTuple

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


Method = Literal["wilson", "wilson_clustered", "clustered_bootstrap", "combined", "adjusted_wald"]
"""How an interval was made: Wilson's; Wilson's with as many items as the clusters are worth; percentiles of resampled
clusters; the tasks' intervals combined; Bonett and Price's, of a difference."""


class Interval(NamedTuple):
    """A two-sided interval at 95 %, within [0, 1]."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A proportion, its interval, how many it stands on, and how the interval was made; None for both at `n` of 0."""

    value: float | None
    interval: Interval | None
    n: int
    method: Method | None = None


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
    return Estimate(right / n, _score_interval(right, n, z), n, "wilson")


def wilson_clustered(right: int, n: int, sum_of_squares: int, *, z: float = Z_95) -> Estimate:
    """Return the share `right / n` with Wilson's interval for as many items as the clusters are worth at least.

    That is n^2 / sum(m_g^2) with m_g the items of cluster g: the number of clusters where they are of one size, and
    less where they are not. It is exact where the items of a cluster are right or wrong together, and else too wide
    rather than too narrow. With clusters of one item it is Wilson's own interval.

    Source: L. Kish, Survey Sampling, Wiley 1965, sections 5.4 and 8.2; Wilson's formula with such a number:
    E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data", Survey Methodology 24 (1998), 193-201.
    """
    if n == 0:
        return Estimate(None, None, 0)
    worth = n * n / sum_of_squares
    return Estimate(
        right / n, _score_interval(worth if right == n else right / n * worth, worth, z), n, "wilson_clustered"
    )


def _score_interval(right: float, n: float, z: float) -> Interval:
    d = n + z * z
    centre = (right + z * z / 2) / d
    half = z / d * sqrt(right * (n - right) / n + z * z / 4)
    # The ends are exactly 0 and 1 there; rounding would leave a trace of 1e-17.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Interval(low, high)


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
    interval = Interval(max(0.0, mean - below), min(1.0, mean + above))
    return Estimate(mean, interval, sum(e.n for e in estimates), "combined")
