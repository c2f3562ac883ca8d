"""Resampling of whole clusters: sums over clusters drawn with replacement.

Only a cluster's contribution to the sums matters, so clusters with equal contributions form one kind. Drawing G
clusters with replacement and counting kinds is one multinomial draw over the kinds: a million predictions in small
clusters have some dozens of kinds, and thousands of resamples take milliseconds.

Source: A. C. Davison, D. V. Hinkley, Bootstrap Methods and their Application, Cambridge 1997, section 3.8; C. A. Field,
A. H. Welsh, "Bootstrapping clustered data", Journal of the Royal Statistical Society B 69 (2007), 369-390.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 4000
"""Number of resamples, at which the Monte Carlo error of a limit is about a twentieth of the standard error."""

MOST_KINDS = 4096
"""Largest number of kinds; beyond it, resampling draws this many random blocks of clusters instead.

The spread is then off by about a hundredth, and no figure takes longer than a second.
"""

_STEP, _DRAWN_AT_ONCE = "clustered_bootstrap", 1 << 16


class ClusterKinds(NamedTuple):
    """Counts of clusters by kind; clusters of the same kind have equal sums.

    Args:
        sums: Sums of one cluster of each kind, kinds x columns; sorted, each row once.
        counts: Number of clusters of each kind.
    """

    sums: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.counts.sum())


def kinds_of(group: NDArray[Any], *columns: NDArray[Any]) -> ClusterKinds:
    """Return the kinds of clusters of some rows; the first column of their sums is the number of rows.

    Args:
        group: Index of each row's cluster; indices without rows are ignored.
        columns: Whole numbers to sum, one per row.
    """
    import numpy as np

    sizes = np.bincount(group)
    held = sizes > 0
    # Sums of whole numbers are exact in float64.
    sums = [np.rint(np.bincount(group, weights=column)[held]).astype(np.int64) for column in columns]
    table = np.column_stack([sizes[held], *sums])
    _, firsts, counts = np.unique(_row_numbers(table), return_index=True, return_counts=True)
    return ClusterKinds(table[firsts], counts)


def _row_numbers(table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an index for each row, equal for equal rows and sorted like them; sorting integers is much faster."""
    import numpy as np

    numbers, least = np.zeros(len(table), dtype=np.int64), table.min(axis=0)
    for column, low in zip(table.T, least, strict=True):
        span = int(column.max()) - int(low) + 1
        if int(numbers.max()) + 1 > np.iinfo(np.int64).max // span:
            numbers = np.unique(numbers, return_inverse=True)[1]
        numbers = numbers * span + (column - low)
    return numbers


def resampled_sums(kinds: ClusterKinds, *about: str, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """Return sums over clusters drawn with replacement, one draw per cluster; resamples x columns.

    Args:
        kinds: Kinds of clusters to draw from; at least one cluster.
        about: Names of the figure, such as `accuracy/jigsaw`, which seed the draw, so that equal data give equal
            limits.
        resamples: Number of resamples.
    """
    import numpy as np

    from benchwright.seeds import generator_for

    rng = generator_for(0, _STEP, *(about or ("",)))
    if len(kinds.counts) > MOST_KINDS:
        kinds = _blocks(kinds, rng)
    clusters, step = kinds.clusters, max(1, _DRAWN_AT_ONCE // len(kinds.counts))
    chances = kinds.counts / clusters
    # Products of float64 are faster than those of integers, and exact for whole numbers of this size. They are so small
    # that BLAS, which `@` would call, spends ten times as long handing them to threads on a busy machine.
    columns = np.ascontiguousarray(kinds.sums.T, np.float64)
    drawn = [
        np.einsum("ij,kj->ik", times.astype(np.float64), columns)
        for start in range(0, resamples, step)
        for times in (rng.multinomial(clusters, chances, size=min(step, resamples - start)),)
    ]
    return np.concatenate(drawn)


def _blocks(kinds: ClusterKinds, rng: np.random.Generator) -> ClusterKinds:
    """Return clusters joined at random into `MOST_KINDS` blocks whose sizes differ by at most one cluster.

    Source: K. M. Wolter, Introduction to Variance Estimation, 2nd edition, Springer 2007, chapter 2 (random groups).
    """
    import numpy as np

    shuffled = rng.permutation(np.repeat(np.arange(len(kinds.counts)), kinds.counts))
    firsts = np.linspace(0, len(shuffled), MOST_KINDS, endpoint=False).astype(np.int64)
    sums = np.add.reduceat(kinds.sums[shuffled], firsts, axis=0)
    return ClusterKinds(sums, np.ones(MOST_KINDS, dtype=np.int64))
