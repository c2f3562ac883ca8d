"""Shares of right answers with an interval that takes clusters of items into account.

Items that show the same source image, or belong to one pair or scene, tend to be right or wrong together: treated as
independent, they give intervals that are too narrow. A cluster is the set of items that share group keys
(`components_of`).

- No cluster has more than one item: Wilson's interval.
- Otherwise percentiles of the share over resampled clusters (`resampling`).
- Resampling understates the uncertainty of a share where there is little to draw from: with fewer than
  `LEAST_CLUSTERS` clusters, or fewer than `_LEAST_OF_EACH` that hold a right answer or that hold a wrong one. In that
  case Wilson's interval is used with the effective number of independent items (`items_worth`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchwright.statistics.proportions import Estimate, mean_of_proportions, wilson, wilson_clustered
from benchwright.statistics.resampling import ClusterKinds, kinds_of, resampled_sums
from benchwright.statistics.score_interval import Z_95, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HELD_OUT_EFFECT = 2.0
"""Design effect, at most, of answers of a learner that is fitted to the other items of a set, where nothing is to be
learned. Of two items in different folds either speaks for the other, to first order alike: they are right together, so
that each pair counts twice in the number of right answers, and its variance is up to twice that of independent ones. A
binomial test that neglects this calls chance a finding: Y. Bengio and Y. Grandvalet, "No unbiased estimator of the
variance of k-fold cross-validation", JMLR 5 (2004), 1089-1105; Q. Noirhomme et al., "Biased binomial assessment of
cross-validated estimation of classification accuracies", NeuroImage: Clinical 4 (2014), 687-694.
"""
LEAST_CLUSTERS, _LEAST_OF_EACH = 20, 5


def share_right(right: NDArray[Any], group: NDArray[Any], *about: str, parts: int = 1) -> Estimate:
    """Return the share of right answers with its 95 % interval.

    Args:
        right: For each row, whether it is right, or how many of its `parts` are, where a row stands for several
            answers. Its variance is then assumed to be that of one answer, which is an upper bound.
        group: Number of each row's cluster, from 0.
        about: Names of the figure, which seed the resampling.
        parts: Number of equal parts of each row; default 1.
    """
    if len(right) == 0:
        return Estimate(None, None, 0)
    kinds = kinds_of(group, right)
    items, rights = map(int, kinds.counts @ kinds.sums)
    if kinds.clusters == items:
        return wilson(rights / parts, items)
    least, p = _least_of_each(kinds, parts), rights / parts / items
    if kinds.clusters < LEAST_CLUSTERS or least < _LEAST_OF_EACH:
        effect = design_effect(kinds, p * parts, p * (1 - p) * parts**2) if least >= _LEAST_OF_EACH else None
        return wilson_clustered(rights / parts, items, items_worth(kinds, effect))
    sums = resampled_sums(kinds, *about)
    return Estimate(p, percentiles(sums[:, 1] / parts / sums[:, 0]), items, "clustered_bootstrap")


def mean_share_right(
    right: NDArray[Any],
    group: NDArray[Any],
    task: NDArray[Any],
    shares: Sequence[Estimate],
    *about: str,
    parts: int = 1,
) -> Estimate:
    """Return the unweighted mean of the tasks' shares with its 95 % interval.

    If clusters hold items of several tasks, the tasks' shares depend on each other, and clusters are resampled with
    all their tasks; a task that a resample does not hold is left out of its mean. Otherwise, or if there is too
    little to resample, the tasks' intervals are combined.

    Args:
        right: Answers, as `share_right` takes them.
        group: Number of each row's cluster, from 0.
        task: Number of each row's task.
        shares: Shares of the tasks, by that number.
        about: Names of the figure, which seed the resampling.
        parts: Number of equal parts of each row; default 1.
    """
    import numpy as np

    combined = mean_of_proportions(shares)
    if len(right) == 0:
        return combined
    every = kinds_of(group, right)
    enough = every.clusters >= LEAST_CLUSTERS and _least_of_each(every, parts) >= _LEAST_OF_EACH
    if not enough or not _spans_tasks(group, task):
        return combined
    of_tasks = [task == number for number in range(len(shares))]
    kinds = kinds_of(group, *of_tasks, *(of_task * right for of_task in of_tasks))
    asked_sums, rights = np.hsplit(resampled_sums(kinds, *about)[:, 1:], 2)
    drawn = np.divide(rights / parts, asked_sums, out=np.full_like(rights, np.nan), where=asked_sums > 0)
    return combined._replace(interval=percentiles(np.nanmean(drawn, axis=1)), method="clustered_bootstrap")


def percentiles(values: NDArray[np.float64]) -> Interval:
    """Return the 2.5 % and 97.5 % points."""
    import numpy as np

    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def design_effect(kinds: ClusterKinds, mean: float, variance: float) -> float:
    """Return the variance of a mean over clusters divided by that over independent items, at least 1.

    With x_g the sum over cluster g, m_g its number of items, n the number of all items and G the number of clusters:
    G / (G - 1) sum((x_g - mean m_g)^2) / n, divided by the variance of one item.

    Source: L. Kish, Survey Sampling, Wiley 1965, sections 5.3 and 8.2.

    Args:
        kinds: Clusters; their second column is summed.
        mean: Mean of an item.
        variance: Variance of an item, above 0.
    """
    groups, items = kinds.clusters, int(kinds.counts @ kinds.sums[:, 0])
    squares = float(kinds.counts @ (kinds.sums[:, 1] - mean * kinds.sums[:, 0]) ** 2)
    return max(1.0, groups / (groups - 1) * squares / items / variance)


def items_worth(kinds: ClusterKinds, effect: float | None) -> float:
    """Return the effective number of independent items in clusters.

    It is n over the design effect, times (z / t)^2 with t of G - 1 degrees of freedom, because the effect is itself an
    estimate from G clusters (Korn and Graubard, as in `wilson_clustered`). If the effect cannot be estimated, it is the
    lower bound n^2 / sum(m_g^2), which is exact where items of a cluster are all right or all wrong (Kish 1965,
    section 5.4).
    """
    items = int(kinds.counts @ kinds.sums[:, 0])
    if effect is None:
        return items * items / int(kinds.counts @ kinds.sums[:, 0] ** 2)
    from scipy.special import stdtrit

    t = float(stdtrit(kinds.clusters - 1, 0.975))
    return items / effect * (Z_95 / t) ** 2


def _least_of_each(kinds: ClusterKinds, parts: int) -> int:
    """Return the smaller of two numbers: clusters with a right answer, and clusters with a wrong one."""
    with_right = int(kinds.counts[kinds.sums[:, 1] > 0].sum())
    with_wrong = int(kinds.counts[kinds.sums[:, 1] < parts * kinds.sums[:, 0]].sum())
    return min(with_right, with_wrong)


def _spans_tasks(group: NDArray[Any], task: NDArray[Any]) -> bool:
    """Return whether any cluster has items of more than one task."""
    import numpy as np

    first = np.full(int(group.max(initial=0)) + 1, -1, dtype=np.int64)
    first[group] = task
    return bool((first[group] != task).any())
