"""Proportions of right answers, with intervals that account for clusters of items.

Items that show the same source image, or belong to one pair or scene, tend to be right or wrong together. Treated as
independent, they give intervals that are too narrow. A cluster is the set of items that share group keys
(`components_of`).

- No cluster has more than one item: Wilson's interval.
- Otherwise Wilson's interval with the effective number of independent items (`items_worth`). It replaces percentiles
  over resampled clusters, because it keeps its nominal coverage with 8 clusters, with clusters of very uneven size and
  with nearly all answers right (`benchmarks/score_coverage.py`).
- The mean over tasks that share clusters has no such formula: its percentiles over resampled clusters (`resampling`).
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
"""Largest design effect of the answers of a learner that is fitted to the other items of a set with nothing to learn.

Of two items in different folds, each informs the prediction of the other, to first order equally. They tend to be right
together, so each pair counts twice in the number of right answers, and the variance of that number is up to twice that
of independent items. A binomial test that neglects this effect reports chance as a finding: Y. Bengio and Y.
Grandvalet, "No unbiased estimator of the variance of k-fold cross-validation", JMLR 5 (2004), 1089-1105; Q. Noirhomme
et al., "Biased binomial assessment of cross-validated estimation of classification accuracies", NeuroImage: Clinical 4
(2014), 687-694.
"""
LEAST_CLUSTERS, _LEAST_OF_EACH = 20, 5
"""Smallest number of clusters for resampling; and, for a design effect, of those with right and with wrong answers."""


def share_right(right: NDArray[Any], group: NDArray[Any], *, parts: int = 1) -> Estimate:
    """Return the proportion of right answers with its 95 % interval.

    Args:
        right: For each row, whether it is right, or the number of right `parts` if a row contains several answers. Its
            variance is then assumed to be that of one answer, which is an upper bound.
        group: Index of each row's cluster.
        parts: Number of equal parts of each row; default 1.
    """
    if len(right) == 0:
        return Estimate(None, None, 0)
    kinds = kinds_of(group, right)
    items, rights = map(int, kinds.counts @ kinds.sums)
    if kinds.clusters == items:
        return wilson(rights / parts, items)
    p = rights / parts / items
    is_told = _least_of_each(kinds, parts) >= _LEAST_OF_EACH
    effect = design_effect(kinds, p * parts, p * (1 - p) * parts**2) if is_told else None
    return wilson_clustered(rights / parts, items, items_worth(kinds, effect))


def mean_share_right(
    right: NDArray[Any],
    group: NDArray[Any],
    task: NDArray[Any],
    shares: Sequence[Estimate],
    *about: str,
    parts: int = 1,
) -> Estimate:
    """Return the unweighted mean of the tasks' proportions with its 95 % interval.

    If clusters contain items of several tasks, the tasks' proportions depend on each other, and clusters are resampled
    with all their tasks; the mean of a resample omits tasks that it does not contain. Otherwise, or with too little to
    resample, the tasks' intervals are combined.

    Args:
        right: Answers, as in `share_right`.
        group: Index of each row's cluster.
        task: Index of each row's task.
        shares: Proportions of the tasks, by that index.
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
    """Return the 2.5 % and 97.5 % quantiles of values."""
    import numpy as np

    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def design_effect(kinds: ClusterKinds, mean: float, variance: float) -> float:
    """Return the variance of a mean over clusters divided by that over independent items, at least 1.

    With x_g the sum over cluster g, m_g its number of items and n the number of all items: sum((x_g - mean m_g)^2 / (1
    - m_g / n)) / n, divided by the variance of one item. A cluster pulls the mean toward itself, a large one strongly.
    The divisor compensates for that pull; it is (G - 1) / G for G clusters of equal size.

    Source: R. M. Bell, D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28 (2002), 169-181 (CR2); L. Kish, Survey Sampling, Wiley 1965, sections 5.3 and 8.2.

    Args:
        kinds: Clusters, two or more; their second column is summed.
        mean: Mean of an item.
        variance: Variance of an item, above 0.
    """
    sizes, sums, items = kinds.sums[:, 0], kinds.sums[:, 1], _items(kinds)
    squares = float(kinds.counts @ ((sums - mean * sizes) ** 2 / (1 - sizes / items)))
    return max(1.0, squares / items / variance)


def items_worth(kinds: ClusterKinds, effect: float | None) -> float:
    """Return the effective number of independent items in clusters.

    It is n over the design effect, times (z / t)^2, because the effect is itself an estimate (Korn and Graubard, as in
    `wilson_clustered`). The degrees of freedom of t are one less than the equivalent number of clusters of equal size,
    n^2 / sum(m_g^2) (Kish 1965, section 5.4). If one cluster contains a third of the items, few clusters show how much
    clusters differ, however many small clusters exist. If the effect cannot be estimated, that number itself is the
    lower bound, which is exact if each cluster is all right or all wrong.
    """
    items = _items(kinds)
    alike = items * items / int(kinds.counts @ kinds.sums[:, 0] ** 2)
    if effect is None:
        return alike
    from scipy.special import stdtrit

    t = float(stdtrit(max(1.0, alike - 1), 0.975))
    return items / effect * (Z_95 / t) ** 2


def _items(kinds: ClusterKinds) -> int:
    return int(kinds.counts @ kinds.sums[:, 0])


def _least_of_each(kinds: ClusterKinds, parts: int) -> int:
    """Return the number of clusters with a right answer or of those with a wrong answer, whichever is smaller."""
    with_right = int(kinds.counts[kinds.sums[:, 1] > 0].sum())
    with_wrong = int(kinds.counts[kinds.sums[:, 1] < parts * kinds.sums[:, 0]].sum())
    return min(with_right, with_wrong)


def _spans_tasks(group: NDArray[Any], task: NDArray[Any]) -> bool:
    """Return whether any cluster has items of more than one task."""
    import numpy as np

    first = np.full(int(group.max(initial=0)) + 1, -1, dtype=np.int64)
    first[group] = task
    return bool((first[group] != task).any())
