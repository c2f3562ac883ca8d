"""Difference of two models on the same items, with significance tests and intervals."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.clustered import design_effect, items_worth
from benchwright.statistics.proportions import Method
from benchwright.statistics.resampling import ClusterKinds, kinds_of
from benchwright.statistics.score_interval import Z_95, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_DIFFERING = 5
"""Smallest number of clusters in which two models differ for an estimate of the design effect."""


class ModelPair(NamedTuple):
    """Comparison of two models on the items that both answered.

    Args:
        n: Number of items compared.
        clusters: Number of their clusters.
        only_first: Number of items that only the first model answers correctly; McNemar's b.
        only_second: Number of items that only the second model answers correctly; McNemar's c.
        interval: 95 % interval of the difference of accuracies, first minus second.
        method: Name of the interval's method.
        p_mcnemar: p-value of the exact McNemar test, which treats items as independent.
        p: p-value of the sign-flip test over clusters; that of McNemar's test if no cluster has more than one item.
        design_effect: Variance of the difference divided by the variance for independent items, at least 1.
    """

    n: int
    clusters: int
    only_first: int
    only_second: int
    interval: Interval
    method: Method
    p_mcnemar: float
    p: float
    design_effect: float

    @property
    def difference(self) -> float:
        """Return the first model's accuracy minus the second's, -1 to 1."""
        return (self.only_first - self.only_second) / self.n

    @property
    def discordant(self) -> float:
        """Return the proportion of items that exactly one of the models answers correctly."""
        return (self.only_first + self.only_second) / self.n


def compare_pair(first: NDArray[np.bool_], second: NDArray[np.bool_], group: NDArray[Any]) -> ModelPair | None:
    """Compare two models; return None if they have no item in common.

    Args:
        first: Whether the first model answers each item correctly.
        second: Whether the second model answers each item correctly.
        group: Index of each item's cluster.
    """
    import numpy as np

    if len(first) == 0:
        return None
    difference = first.astype(np.int8) - second.astype(np.int8)
    b, c = int((difference > 0).sum()), int((difference < 0).sum())
    kinds = kinds_of(group, difference)
    p_mcnemar = mcnemar_exact(b, c)
    alone = kinds.clusters == len(first)
    p = p_mcnemar if alone else sign_flip(kinds.sums[:, 1], kinds.counts)
    effect = paired_design_effect(kinds, b, c)
    interval = _interval(kinds, b, c, effect)
    return ModelPair(len(first), kinds.clusters, b, c, interval, "adjusted_wald", p_mcnemar, p, effect)


def mcnemar_exact(b: int, c: int) -> float:
    """Return the two-sided p-value of the exact McNemar test.

    Under the null hypothesis, each of the b + c items that only one model answers correctly is equally likely to be
    either model's: p = min(1, 2 P(X <= min(b, c))), X binomial with b + c draws at 1/2; 1 if b + c is 0.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12 (1947), 153-157; exact by the binomial distribution.
    """
    from scipy.special import betainc

    if b == c:
        return 1.0
    # P(X <= k) of n draws is the regularized incomplete beta function at (n - k, k + 1): here n - k is max(b, c).
    return min(1.0, 2 * float(betainc(max(b, c), min(b, c) + 1, 0.5)))


def sign_flip(sums: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Return the two-sided p-value of the exact sign-flip test over clusters.

    If neither model is better, each cluster's difference is equally likely to have either sign. p is the share of all
    assignments of signs whose sum is at least as far from 0 as the observed sum. With clusters of one item, it is the
    exact McNemar test. The absolute error is below 1e-9; p is at least 2 / 2^m for m clusters whose difference is not
    0.

    The distribution of the sum comes from its characteristic function, the product of cos(t |d_g|) over clusters g, by
    a discrete Fourier transform over the whole numbers that the sum can take.

    Args:
        sums: Differences d_g of the kinds of clusters.
        counts: Number of clusters of each kind.

    Source: R. A. Fisher, The Design of Experiments, Oliver & Boyd 1935, section 21 (signs of paired differences);
    the inversion: J. Gil-Pelaez, "Note on the inversion theorem", Biometrika 38 (1951), 481-482, on a lattice.
    """
    import numpy as np

    sizes = np.abs(sums[sums != 0])
    clusters = counts[sums != 0]
    total = abs(int(sums @ counts))
    if total == 0:
        return 1.0
    if (sizes == sizes[0]).all():
        ups = int(counts[sums > 0].sum())
        return mcnemar_exact(ups, int(clusters.sum()) - ups)
    length = 1 << ceil(1 + log(int(sizes @ clusters) + 1, 2))
    angles = 2 * np.pi / length * np.arange(length // 2 + 1)
    transform = np.ones(len(angles))
    for size in np.unique(sizes):
        transform *= np.cos(size * angles) ** int(clusters[sizes == size].sum())
    chances = np.fft.irfft(transform, n=length)
    p = 2 * float(chances[total : length // 2].sum())
    return min(1.0, max(p, 2.0 ** (1 - int(clusters.sum()))))


def adjusted_wald(b: float, c: float, n: float) -> Interval:
    """Return the 95 % interval of Bonett and Price for the difference (b - c) / n of paired proportions.

    With one added to both counts, p = (b + 1) / (n + 2) and q = (c + 1) / (n + 2), the interval is p - q +- z sqrt((p +
    q - (p - q)^2) / (n + 2)), limited to -1..1. Its width is above 0 even if two models never differ.

    Source: D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based
    on paired data", Journal of Educational and Behavioral Statistics 37 (2012), 479-488.
    """
    p, q = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = Z_95 * sqrt((p + q - (p - q) ** 2) / (n + 2))
    return Interval(max(-1.0, p - q - half), min(1.0, p - q + half))


def _interval(kinds: ClusterKinds, b: int, c: int, effect: float) -> Interval:
    """Return Bonett and Price's interval for the effective number of items, given the clusters."""
    n = int(kinds.counts @ kinds.sums[:, 0])
    is_told = int(kinds.counts[kinds.sums[:, 1] != 0].sum()) >= _LEAST_DIFFERING
    share = 1.0 if kinds.clusters == n else items_worth(kinds, effect if is_told else None) / n
    return adjusted_wald(b * share, c * share, n * share)


def paired_design_effect(kinds: ClusterKinds, b: int, c: int) -> float:
    """Return the design effect of the difference; items have variance psi - delta^2, with psi the discordant share."""
    n = int(kinds.counts @ kinds.sums[:, 0])
    delta, psi = (b - c) / n, (b + c) / n
    is_constant = kinds.clusters < 2 or psi == delta * delta
    return 1.0 if is_constant else design_effect(kinds, delta, psi - delta * delta)
