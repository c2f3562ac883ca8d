"""Shares of right answers with the interval that fits how their items hang together.

Items that show the same source image, or stand in one pair or scene, are right or wrong together more often than not:
taken as independent they give intervals that are too narrow. A cluster is what shares group keys (`components_of`).

- No cluster has more than one item: Wilson's interval.
- Otherwise percentiles of the share over resampled clusters (`resampling`).
- Resampling understates how far a share may be off where there is little to draw from. With fewer than
  `LEAST_CLUSTERS` clusters, or fewer than `LEAST_OF_EACH` that hold a right answer or that hold a wrong one: Wilson's
  interval with the number of items that the clusters are worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .resampling import Kinds, kinds_of, resampled_sums
from .statistics import Estimate, Interval, mean_of_proportions, wilson, wilson_clustered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_CLUSTERS, LEAST_OF_EACH = 20, 5


def share_right(right: NDArray[np.bool_], group: NDArray[Any], *about: str) -> Estimate:
    """Return the share of right answers with its 95 % interval.

    Args:
        right: One a row.
        group: Number of each row's cluster, from 0.
        about: What the figure is of; it seeds the resampling.
    """
    if len(right) == 0:
        return Estimate(None, None, 0)
    kinds = kinds_of(group, right)
    (items, rights), squares = kinds.counts @ kinds.sums, int(kinds.counts @ kinds.sums[:, 0] ** 2)
    if kinds.clusters == items:
        return wilson(int(rights), int(items))
    if not _enough(kinds):
        return wilson_clustered(int(rights), int(items), squares)
    sums = resampled_sums(kinds, *about)
    return Estimate(float(rights / items), percentiles(sums[:, 1] / sums[:, 0]), int(items), "clustered_bootstrap")


def mean_share_right(
    right: NDArray[np.bool_], group: NDArray[Any], task: NDArray[Any], shares: Sequence[Estimate], *about: str
) -> Estimate:
    """Return the unweighted mean of the tasks' shares with its 95 % interval.

    Where clusters hold items of several tasks, the tasks' shares depend on each other, and clusters are resampled with
    all their tasks; a task that a resample does not hold is left out of its mean. Otherwise, and where there is too
    little to resample, the tasks' intervals are combined.

    Args:
        right: One a row.
        group: Number of each row's cluster, from 0.
        task: Number of each row's task.
        shares: The tasks' shares, by that number.
        about: What the figure is of; it seeds the resampling.
    """
    import numpy as np

    combined = mean_of_proportions(shares)
    if not _spans_tasks(group, task) or not _enough(kinds_of(group, right)):
        return combined
    of_tasks = [task == number for number in range(len(shares))]
    kinds = kinds_of(group, *of_tasks, *(of_task & right for of_task in of_tasks))
    sums = resampled_sums(kinds, *about)[:, 1:].astype(np.float64)
    asked, rights = np.hsplit(sums, 2)
    drawn = np.divide(rights, asked, out=np.full_like(rights, np.nan), where=asked > 0)
    return combined._replace(interval=percentiles(np.nanmean(drawn, axis=1)), method="clustered_bootstrap")


def percentiles(values: NDArray[np.float64]) -> Interval:
    """Return the 2.5 % and 97.5 % points."""
    import numpy as np

    low, high = np.quantile(values, [0.025, 0.975])
    return Interval(float(low), float(high))


def _enough(kinds: Kinds) -> bool:
    """Return whether clusters can be resampled; the second column counts right answers."""
    with_right = int(kinds.counts[kinds.sums[:, 1] > 0].sum())
    with_wrong = int(kinds.counts[kinds.sums[:, 1] < kinds.sums[:, 0]].sum())
    return kinds.clusters >= LEAST_CLUSTERS and min(with_right, with_wrong) >= LEAST_OF_EACH


def _spans_tasks(group: NDArray[Any], task: NDArray[Any]) -> bool:
    """Return whether any cluster has items of more than one task."""
    import numpy as np

    first = np.full(int(group.max(initial=0)) + 1, -1, dtype=np.int64)
    first[group] = task
    return bool((first[group] != task).any())
