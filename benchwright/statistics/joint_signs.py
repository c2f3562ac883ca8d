"""A joint test of pairwise differences of many models, by signs that each cluster draws once for all pairs.

If no model of some pairs is better, a cluster's differences in all these pairs are equally likely to have the opposite
signs. Each cluster therefore draws one sign for all pairs. Models with similar answers then give statistics that rise
and fall together, which a correction of single p-values, such as Holm's, cannot use. The test takes pairs in the order
of their statistics, largest first. It compares each with the largest statistic of the remaining pairs under the drawn
signs. The probability of finding a difference in any pair that has none does not exceed the level.

Source: J. P. Romano, M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", Journal of the
American Statistical Association 100 (2005), 94-108; P. H. Westfall, S. S. Young, Resampling-Based Multiple Testing,
Wiley 1993, algorithm 2.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.statistics.score_interval import Z_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DRAWS = 9_999
"""Number of drawn assignments of signs; with the observed one, p is a multiple of 1/10,000."""
_MOST_LISTED = 14
"""Largest number of clusters for which all sign assignments are enumerated; opposite ones give equal statistics."""
_STEP, _CELLS_AT_ONCE, _MOST_AT_ONCE = "joint_signs", 1 << 22, 2048
"""Limits on simultaneous draws times clusters, and on simultaneous draws; changing them would change the drawn
signs."""
_TOLERANCE = 1e-5
"""Relative tolerance within which statistics count as equal despite rounding."""


class JointTest(NamedTuple):
    """A joint test of several pairs.

    Args:
        p: p-value of each pair, adjusted over all pairs together.
        threshold: Statistic that the first pair with a difference must exceed at the 5 % level: the 95th percentile,
            under drawn signs, of the largest statistic of all pairs, at least 1.96.
    """

    p: NDArray[np.float64]
    threshold: float


def joint_test(right: NDArray[Any], firsts: NDArray[Any], seconds: NDArray[Any], *about: str) -> JointTest:
    """Test all pairs together.

    The statistic of a pair with differences d_g is |sum of d_g| / sqrt(sum of d_g^2).

    Args:
        right: Number of right items, clusters x columns; a column is a model on the items of its pairs.
        firsts: Column of each pair's first model.
        seconds: Column of its second model, on the same items.
        about: Names that seed the draws. The same number of clusters has the same signs for any models, so that adding
            a model does not change a p-value by chance.
    """
    import numpy as np

    counts = np.asarray(right, dtype=np.float64)  # sums and products of whole numbers are exact
    products = counts.T @ counts
    squares = products[firsts, firsts] + products[seconds, seconds] - 2 * products[firsts, seconds]
    scale = np.where(squares == 0, np.inf, np.sqrt(squares))
    totals = counts.sum(axis=0)
    observed = np.abs(totals[firsts] - totals[seconds]) / scale
    order = np.argsort(-observed, kind="stable")
    bound = observed[order] * (1 - _TOLERANCE)
    firsts, seconds, scale = firsts[order], seconds[order], scale[order].astype(np.float32)
    reached, drawn = np.zeros(len(order), dtype=np.int64), 0
    largest_of_all = []
    at_once = min(_MOST_AT_ONCE, max(1, _CELLS_AT_ONCE // max(len(counts), 1)))
    counts = counts.astype(np.float32)
    for signs in _signs(len(counts), at_once, *about):
        # One row per column of counts, so that each pair works on adjacent numbers; from the least pair to the largest.
        flipped = np.ascontiguousarray((signs.astype(np.float32) @ counts).T)
        statistic, largest = np.empty(len(signs), np.float32), np.zeros(len(signs), np.float32)
        for pair in reversed(range(len(order))):
            np.subtract(flipped[firsts[pair]], flipped[seconds[pair]], out=statistic)
            np.abs(statistic, out=statistic)
            statistic /= scale[pair]
            np.maximum(largest, statistic, out=largest)
            reached[pair] += np.count_nonzero(largest >= bound[pair])
        drawn += len(signs)
        largest_of_all.append(largest)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(reached / drawn)
    return JointTest(adjusted, max(Z_95, float(np.quantile(np.concatenate(largest_of_all), 0.95))))


def least_joint_p(clusters: int) -> float:
    """Return the smallest possible p-value of any pair, for any number of pairs: 2 / 2^m for m enumerated clusters.

    Example:
        >>> least_joint_p(6)
        0.03125
    """
    return 2.0 ** (1 - clusters) if 1 <= clusters <= _MOST_LISTED else 1 / (1 + DRAWS) if clusters else 1.0


def _signs(clusters: int, at_once: int, *about: str) -> Iterator[NDArray[np.int8]]:
    """Yield sign assignments in batches of rows, the observed one first: either all of them or `DRAWS` random ones."""
    import numpy as np

    from benchwright.seeds import generator_for

    if clusters <= _MOST_LISTED:
        numbers = np.arange(1 << max(0, clusters - 1))
        yield (1 - 2 * ((numbers[:, None] >> np.arange(clusters)) & 1)).astype(np.int8)
        return
    yield np.ones((1, clusters), dtype=np.int8)
    rng = generator_for(0, _STEP, *(about or ("",)))
    for start in range(0, DRAWS, at_once):
        yield 2 * rng.integers(0, 2, size=(min(at_once, DRAWS - start), clusters), dtype=np.int8) - 1
