"""Differences between two models that a benchmark can detect, by task.

Two models answer the same items, so the relevant quantity is psi, the proportion of items that exactly one of them
answers correctly. With n items worth n / d independent ones, where d is the design effect of items that share a
picture, pair or scene, a paired test at 5 % finds a difference delta of accuracies with 80 % power if

    sqrt(n / d) delta = z_a sqrt(psi) + z_b sqrt(psi - delta^2).

psi and d come from replies if available, otherwise from stated assumptions.

Sources: E. Miller, "Adding error bars to evals", arXiv 2411.00640 (2024), sections 4 and 5: paired differences,
clustered errors and the smallest difference that an evaluation can detect; the formula with psi - delta^2 under the
alternative is that of R. J. Connor, Biometrics 43 (1987), 207-211, as in `benchwright.statistics.paired_power`.
"""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.replies.model_replies import LetterMatrix
from benchwright.statistics import kinds_of
from benchwright.statistics.paired_difference import paired_design_effect
from benchwright.statistics.paired_power import items_needed, least_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST_ITEMS = 10
"""Smallest number of items of a task that two models must both have been asked for their replies to be used."""
TARGET = 0.05
"""Difference of accuracies for which the required number of items is given."""


class PowerAssumptions(NamedTuple):
    """Assumptions about two models if no replies are available.

    Args:
        accuracy: Accuracy near which both models lie, above 0 and below 1; one half is the hardest case.
        correlation: Correlation of their correctness on an item, 0 to below 1. Miller (2024, section 4.2) reports 0.3
            to 0.7 for models of a similar kind.
        within_cluster: Correlation of the difference of two models between items of one cluster, 0 to 1.
    """

    accuracy: float = 0.5
    correlation: float = 0.5
    within_cluster: float = 0.2

    @property
    def discordant(self) -> float:
        """Return the proportion of items that exactly one of the models answers correctly: 2 p (1 - p) (1 - r)."""
        return 2 * self.accuracy * (1 - self.accuracy) * (1 - self.correlation)

    def __str__(self) -> str:
        """Return a description of the assumptions."""
        return (
            f"both models near an accuracy of {self.accuracy:.0%}, correlation of correctness {self.correlation:g}, "
            f"within clusters {self.within_cluster:g}"
        )


class TaskPower(NamedTuple):
    """Power of one task, or of all items.

    Args:
        task: Name of the task; empty for all items.
        items: Number of items with a key.
        clusters: Number of clusters of these items.
        pairs: Number of pairs of models whose replies were used; 0 if psi and d are assumed.
        discordant: psi, the median over pairs.
        design_effect: d, the median over pairs.
        least_difference: Smallest difference of accuracies that is found with 80 % power, 0 to 1; None if no possible
            difference between two such models is found.
        items_needed: Number of items for a difference of `TARGET`.
        too_close: Pairs of models whose difference is smaller than `least_difference`, with the difference.
    """

    task: str
    items: int
    clusters: int
    pairs: int
    discordant: float
    design_effect: float
    least_difference: float | None
    items_needed: int | None
    too_close: tuple[tuple[str, str, float], ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Return whether psi and d are assumed rather than determined from replies."""
        return self.pairs == 0


def assumed_design_effect(sizes: NDArray[Any], within_cluster: float) -> float:
    """Return the design effect of clusters of these sizes, 1 + (sum m_g^2 / sum m_g - 1) rho.

    Source: L. Kish, Survey Sampling, Wiley 1965, section 5.4.
    """
    return 1 + (float((sizes * sizes).sum() / sizes.sum()) - 1) * within_cluster


def power_by_task(matrix: LetterMatrix, assumptions: PowerAssumptions | None = None) -> list[TaskPower]:
    """Return the power of all items together and of each task, in the order of `matrix.tasks`.

    Args:
        matrix: Items with keys, and replies of models; without replies of at least two models, all values are assumed.
        assumptions: Values to assume if there are no replies; `PowerAssumptions()` by default.
    """
    import numpy as np

    given = assumptions or PowerAssumptions()
    keyed = matrix.key >= 0
    if not keyed.any():
        return []
    rows = [_power("", keyed, matrix, given)]
    for number, name in enumerate(matrix.tasks):
        of_task = keyed & (matrix.task == number)
        if of_task.any() and not np.array_equal(of_task, keyed):
            rows.append(_power(name, of_task, matrix, given))
    return rows


def _power(task: str, some: NDArray[np.bool_], matrix: LetterMatrix, given: PowerAssumptions) -> TaskPower:
    import numpy as np

    items = int(some.sum())
    _, sizes = np.unique(matrix.group[some], return_counts=True)
    pairs = _pairs(some, matrix)
    if pairs:
        discordant = median(pair.discordant for pair in pairs)
        effect = median(pair.design_effect for pair in pairs)
    else:
        discordant, effect = given.discordant, assumed_design_effect(sizes, given.within_cluster)
    least = least_difference(items, discordant, effect)
    close = [
        (pair.first, pair.second, abs(pair.difference))
        for pair in pairs
        if least is None or abs(pair.difference) < least
    ]
    needed = items_needed(discordant, TARGET, effect) if discordant >= TARGET else None
    return TaskPower(task, items, len(sizes), len(pairs), discordant, effect, least, needed, tuple(close))


class _ModelPair(NamedTuple):
    first: str
    second: str
    difference: float
    discordant: float
    design_effect: float


def _pairs(some: NDArray[np.bool_], matrix: LetterMatrix) -> list[_ModelPair]:
    """Return the statistics of the replies of each pair of models."""
    import numpy as np

    pairs = []
    for a, b in combinations(range(len(matrix.models)), 2):
        both = some & matrix.asked[a] & matrix.asked[b]
        n = int(both.sum())
        if n < _LEAST_ITEMS:
            continue
        difference = matrix.right[a, both].astype(np.int8) - matrix.right[b, both].astype(np.int8)
        only_first, only_second = int((difference > 0).sum()), int((difference < 0).sum())
        kinds = kinds_of(matrix.group[both], difference)
        effect = 1.0 if kinds.clusters == n else paired_design_effect(kinds, only_first, only_second)
        shares = (only_first - only_second) / n, (only_first + only_second) / n
        pairs.append(_ModelPair(matrix.models[a], matrix.models[b], *shares, effect))
    return pairs
