"""Variance components of crossed and nested random effects, balanced or not, by Henderson's first method.

Each effect is a grouping of the rows. With T = sum over groups of (sum of the group)^2 / (its number of rows), the
expectation of T is linear in the squared mean and the variances. The coefficients follow from the numbers of rows
alone. As many values of T as there are unknowns are equated with their expectations, and the equations are solved. For
balanced rows, the results are the estimates of the analysis of variance; in all cases, they are unbiased, and they do
not assume a normal distribution.

Source: C. R. Henderson, "Estimation of variance and covariance components", Biometrics 9 (1953), 226-252, method 1;
S. R. Searle, G. Casella, C. E. McCulloch, Variance Components, Wiley 1992, section 5.3; R. L. Brennan, Generalizability
Theory, Springer 2001, section 7.1 ("analogous ANOVA").

The mixed models of statsmodels (`MixedLM` with `vc_formula`) do not suit this purpose. Effects that cross all items
leave one group, whose dense covariance of all rows is factored at each step. With four answers to each of 20, 40 and 80
items it took 5, 10 and 22 s on one core, and each fit ended without convergence at the edge of the parameters. Here
twelve answers to each of 5,000 items take 0.2 s, including the jackknife. The tests compare both on balanced rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int64]


class VarianceComponents(NamedTuple):
    """Estimates of variances.

    Args:
        values: Estimates for the effects, in their order; some may be below 0, because unbiased estimates of small
            variances can be.
        without: The same without the rows of each block, blocks x effects, for a jackknife; NaN if an estimate is
            impossible.
        in_mean: Contribution of each effect, with a variance of 1, to the variance of the mean of all rows.
        mean: Mean of all rows.
    """

    values: NDArray[np.float64]
    without: NDArray[np.float64]
    in_mean: NDArray[np.float64]
    mean: float


class _Effect(NamedTuple):
    """A grouping: the group of each row, the size of each group, and each group's parts within single blocks.

    Args:
        codes: Index of each row's group, from 0 without gaps.
        size: Number of rows of each group.
        part: Part of each row.
        part_group: Group of each part.
        part_block: Block of each part.
        part_size: Number of rows of each part.
    """

    codes: Codes
    size: Codes
    part: Codes
    part_group: Codes
    part_block: Codes
    part_size: Codes


def grouping_of(*labels: NDArray[Any]) -> Codes:
    """Return consecutive numbers from 0 for rows, equal for equal labels; labels are whole numbers from 0.

    Example:
        >>> import numpy as np
        >>> grouping_of(np.array([0, 0, 1]), np.array([5, 5, 5])).tolist()
        [0, 0, 1]
    """
    import numpy as np

    codes = np.zeros(len(labels[0]), dtype=np.int64)
    for label in labels:
        codes = np.unique(codes * (int(label.max()) + 1) + label, return_inverse=True)[1]
    return codes


def refines(fine: Codes, coarse: Codes) -> bool:
    """Return whether each group of the first grouping is contained in one group of the second."""
    import numpy as np

    of_group = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    of_group[fine] = coarse
    return bool((of_group[fine] == coarse).all())


def variance_components(values: NDArray[Any], groupings: Sequence[Codes], block: Codes) -> VarianceComponents:
    """Return the estimated variances of effects.

    Args:
        values: Value of each row.
        groupings: Group of each row for each effect, from 0 without gaps; no two effects group the rows alike. In the
            finest grouping, every row is a separate group, whose variance is that of the residual.
        block: Block of each row, from 0 without gaps; the jackknife omits blocks one at a time.
    """
    import numpy as np

    y = np.asarray(values, dtype=np.float64)
    blocks = int(block.max()) + 1
    effects = [_effect(codes, block) for codes in (np.zeros(len(y), dtype=np.int64), *groupings)]
    totals = np.stack([_totals(effect, y, blocks) for effect in effects], axis=1)
    rows = len(y) - np.concatenate([[0], np.bincount(block, minlength=blocks)])
    factors = np.empty((blocks + 1, len(effects), len(effects)))
    for i, effect in enumerate(effects):
        for k, other in enumerate(effects):
            is_finer = k in {i, 0} or (i > 0 and refines(effect.codes, other.codes))
            factors[:, i, k] = rows if is_finer else _coefficients(effect, other, blocks)
    solved = np.stack([_solved(factor, total) for factor, total in zip(factors, totals, strict=True)])[:, 1:]
    return VarianceComponents(solved[0], solved[1:], factors[0, 0, 1:] / len(y), float(y.mean()))


def jackknife_error(without: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of each estimate from the estimates without each of b blocks; NaN with fewer than two.

    It is the root of (b - 1) / b times the sum of squared deviations from their mean.

    Source: K. M. Wolter, Introduction to Variance Estimation, 2nd edition, Springer 2007, section 4.2.
    """
    import numpy as np

    usable = without[np.isfinite(without).all(axis=1)]
    if len(usable) < 2:
        return np.full(without.shape[1], np.nan)
    deviations = usable - usable.mean(axis=0)
    errors: NDArray[np.float64] = np.sqrt((len(usable) - 1) / len(usable) * (deviations**2).sum(axis=0))
    return errors


def _effect(codes: Codes, block: Codes) -> _Effect:
    import numpy as np

    blocks = int(block.max()) + 1
    pairs, part, part_size = np.unique(codes * blocks + block, return_inverse=True, return_counts=True)
    return _Effect(codes, np.bincount(codes), part, pairs // blocks, pairs % blocks, part_size)


def _totals(effect: _Effect, y: NDArray[np.float64], blocks: int) -> NDArray[np.float64]:
    """Return T for all rows, followed by T without each block."""
    import numpy as np

    in_part = np.bincount(effect.part, weights=y)
    in_group = np.bincount(effect.codes, weights=y)
    left = in_group[effect.part_group] - in_part
    return _left_out(effect, in_group**2, left**2, blocks)


def _coefficients(effect: _Effect, other: _Effect, blocks: int) -> NDArray[np.float64]:
    """Return the other effect's coefficient in the expectation of T, for all rows, then for those without each block.

    It is the sum over groups g of (sum over the other's groups h of n_gh^2) / n_g, with n the numbers of rows.
    """
    import numpy as np

    width = len(other.size)
    cells, cell, cell_size = np.unique(effect.codes * width + other.codes, return_inverse=True, return_counts=True)
    in_group = np.bincount(cells // width, weights=cell_size.astype(np.float64) ** 2)
    if len(effect.part_group) == len(effect.size):  # no group lies in two blocks: it is omitted whole or not at all
        return _left_out(effect, in_group, np.zeros(len(effect.part_group)), blocks)
    pieces, counts = np.unique(effect.part * len(cells) + cell, return_counts=True)
    whole = cell_size[pieces % len(cells)]
    lost = np.bincount(pieces // len(cells), weights=(2.0 * whole - counts) * counts)
    return _left_out(effect, in_group, in_group[effect.part_group] - lost, blocks)


def _left_out(effect: _Effect, in_group: NDArray[Any], left: NDArray[Any], blocks: int) -> NDArray[np.float64]:
    """Return the sum of values over sizes of groups, and that sum without each block.

    Args:
        effect: Grouping.
        in_group: Value of each group.
        left: Value of each part's group after removal of the part.
        blocks: Number of blocks.
    """
    import numpy as np

    shares = in_group / effect.size
    remaining = effect.size[effect.part_group] - effect.part_size
    shares_left = np.divide(left, remaining, out=np.zeros(len(left)), where=remaining > 0)
    change = shares[effect.part_group] - shares_left
    changes = np.bincount(effect.part_block, weights=change, minlength=blocks)
    sums: NDArray[np.float64] = float(shares.sum()) - np.concatenate([[0.0], changes])
    return sums


def _solved(factors: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    try:
        solved: NDArray[Any] = np.linalg.solve(factors, totals)
    except np.linalg.LinAlgError:
        return np.full(len(totals), np.nan)
    return solved
