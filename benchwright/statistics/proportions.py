"""Intervals for proportions, from closed formulas with their sources."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal, NamedTuple

from benchwright.statistics.score_interval import Z_95, Interval, score_interval

Method = Literal[
    "wilson",
    "wilson_clustered",
    "clustered_bootstrap",
    "combined",
    "adjusted_wald",
    "finite_population",
    "model_assisted",
]
"""Method of an interval; `METHODS` describes each."""


METHODS: dict[Method, str] = {
    "wilson": "Wilson's, since no two items share a source image, pair or scene",
    "wilson_clustered": "Wilson's, with the effective number of independent items in clusters",
    "clustered_bootstrap": "percentiles over resampled clusters of items that share a source image, pair or scene",
    "combined": "the tasks' intervals combined",
    "adjusted_wald": "Bonett and Price's, of a difference",
    "finite_population": "Wilson's, for the score on all items, from a sample",
    "model_assisted": "Wilson's, for the score on all items, from a subset and an item response model",
}
"""Description of each method."""


class Estimate(NamedTuple):
    """A proportion, its interval, its number of items, and the interval's method (None for both if there are none)."""

    value: float | None
    interval: Interval | None
    n: int
    method: Method | None = None


def wilson(right: float, n: int, *, z: float = Z_95) -> Estimate:
    """Return the proportion `right / n` with Wilson's score interval.

    `right` may be a sum of n proportions in [0, 1], such as those of right answers per item. The interval is then
    conservative: the variance of such a proportion with mean p is at most p (1 - p), that of a single draw.

    Raises:
        ValueError: `right` lies outside 0..n.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} right of {n} is not a proportion")
    if n == 0:
        return Estimate(None, None, 0)
    return Estimate(right / n, score_interval(right, n, z=z), n, "wilson")


def wilson_clustered(right: float, n: int, worth: float, *, z: float = Z_95) -> Estimate:
    """Return the proportion `right / n` with Wilson's interval for `worth` independent items.

    Source: E. L. Korn, B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", Survey Methodology 24 (1998), 193-201, with Wilson's formula.
    """
    share = worth if right == n else right / n * worth
    return Estimate(right / n, score_interval(share, worth, z=z), n, "wilson_clustered")


def exact_interval(right: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the interval of Clopper and Pearson, whose coverage of a proportion is at least its confidence level.

    Wilson's interval does so only on average: its coverage of a proportion near 0.17 / n, such as that of rare errors,
    is 84 %. Neither number must be whole: rows of unequal weight may have an effective number `n` (Korn and Graubard,
    as in `wilson_clustered`).

    Args:
        right: Number of successes, 0 to `n`.
        n: Number of rows, above 0.
        confidence: Proportion of samples whose interval covers the true proportion, 0 to 1.

    Source: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26 (1934), 404-413, by quantiles of beta distributions.
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if right <= 0 else float(betaincinv(right, n - right + 1, tail))
    high = 1.0 if right >= n else float(betaincinv(right + 1, n - right, 1 - tail))
    return Interval(low, high)


def mean_of_proportions(estimates: Sequence[Estimate]) -> Estimate:
    """Return the unweighted mean of independent proportions, with an interval derived from their intervals.

    The distance from each part's value to its limit is that part's spread on that side; the squares add up: low = mean
    - sqrt(sum((p_k - low_k)^2)) / K, and likewise above. For one part, the result is that part's interval. The interval
    never leaves [0, 1]. Parts without items are omitted; `n` counts the items of all parts.

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
