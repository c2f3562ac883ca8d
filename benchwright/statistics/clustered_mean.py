"""The mean of arbitrary values over clustered items, with an interval and a test against 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.score_interval import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ClusteredMean(NamedTuple):
    """A mean over clusters of items.

    Args:
        value: The mean.
        interval: Its 95 % interval; None with fewer than two clusters.
        p_above: p-value of the hypothesis that the mean is 0 or less; 1 if it cannot be computed.
        n: Number of items.
        clusters: Number of clusters.
    """

    value: float
    interval: Interval | None
    p_above: float
    n: int
    clusters: int


def clustered_mean(values: NDArray[Any], group: NDArray[Any]) -> ClusteredMean | None:
    """Return the mean of values with a t interval over clusters; None if there are no values.

    With one item per cluster, the result is Student's interval and test. Otherwise the variance of the mean is
    sum(e_g^2 / (1 - m_g / n)) / n^2, with e_g the sum over cluster g of each value minus the mean and m_g its number of
    items, and t has G - 1 degrees of freedom.

    Source: R. M. Bell, D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28 (2002), 169-181 (CR2).

    Args:
        values: A number for each item.
        group: Index of each item's cluster.
    """
    import numpy as np
    from scipy.stats import t

    n = len(values)
    if n == 0:
        return None
    mean = float(np.mean(values))
    numbers = np.unique(group, return_inverse=True)[1]
    sizes = np.bincount(numbers)
    if len(sizes) < 2:
        return ClusteredMean(mean, None, 1.0, n, len(sizes))
    sums = np.bincount(numbers, weights=values - mean)
    error = float(np.sqrt((sums * sums / (1 - sizes / n)).sum())) / n
    if error == 0:
        return ClusteredMean(mean, Interval(mean, mean), 0.0 if mean > 0 else 1.0, n, len(sizes))
    freedom = len(sizes) - 1
    reach = float(t.ppf(0.975, freedom)) * error
    return ClusteredMean(mean, Interval(mean - reach, mean + reach), float(t.sf(mean / error, freedom)), n, len(sizes))
