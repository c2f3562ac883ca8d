"""Draws of items with known probabilities, so that estimates for all items do not depend on a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchwright.seeds import generator_for

from .fitting import ItemResponses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_STEP = "evaluate.subset"


class Batch(NamedTuple):
    """Items that are drawn together from those not drawn before.

    Args:
        places: Indices of the items, in ascending order.
        inclusion: Probability of drawing each item, above 0 and at most 1.
    """

    places: NDArray[np.int64]
    inclusion: NDArray[np.float64]


def average_doubt(fitted: ItemResponses) -> NDArray[np.float64]:
    """Return the standard deviation of the reply to each item, across models of normally distributed ability."""
    import numpy as np

    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    weights = weights / weights.sum()
    variance = sum(w * _variance(fitted, float(node)) for node, w in zip(nodes, weights, strict=True))
    doubt: NDArray[np.float64] = np.sqrt(variance)
    return doubt


def doubt_at(fitted: ItemResponses, ability: float) -> NDArray[np.float64]:
    """Return the standard deviation of the reply to each item by a model of the given ability."""
    import numpy as np

    doubt: NDArray[np.float64] = np.sqrt(_variance(fitted, ability))
    return doubt


def _variance(fitted: ItemResponses, ability: float) -> NDArray[np.float64]:
    chance = fitted.chances(ability)
    return chance * (1 - chance)


def inclusion_probabilities(size: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return probabilities proportional to sizes above 0 that add up to `count`, none of them above 1.

    Items with the least certain replies are drawn most often, as in Neyman's allocation. No item is drawn less than
    half as often as the mean, since the model may be wrong about it.

    Source: C.-E. Särndal, B. Swensson, J. Wretman, Model Assisted Survey Sampling, Springer 1992, sections 3.6 and 6.
    """
    import numpy as np

    wanted = np.maximum(size, size.mean() / 2)
    inclusion = np.zeros(len(wanted))
    certain = np.zeros(len(wanted), dtype=bool)
    while True:
        left = count - int(certain.sum())
        inclusion = np.where(certain, 1.0, left * wanted / max(wanted[~certain].sum(), 1e-300))
        over = (inclusion > 1) & ~certain
        if not over.any():
            return inclusion
        certain |= over


def draw(
    size: NDArray[np.float64], order: NDArray[np.float64], held: NDArray[np.bool_], count: int, *name: str | int
) -> Batch:
    """Draw items by systematic sampling along an order, so that they are spread evenly over it.

    Source: W. G. Madow, "On the theory of systematic sampling, II", Annals of Mathematical Statistics 20 (1949),
    333-354.

    Args:
        size: Size of each item, proportional to its probability of being drawn.
        order: Value by which the items are ordered, such as the probability that a model answers them correctly.
        held: Whether each item can be drawn.
        count: Number of items to draw; if no more can be drawn, all of them are.
        name: Parts of the name that seeds the draw; equal names draw the same items.
    """
    import numpy as np

    places = np.flatnonzero(held)
    if count >= len(places):
        return Batch(places, np.ones(len(places)))
    inclusion = inclusion_probabilities(size[places], count)
    along = np.lexsort((places, order[places]))
    start = generator_for(0, _STEP, "start", *name).random()
    ends = np.concatenate([[0.0], np.cumsum(inclusion[along])])
    ends[-1] = count
    taken = along[np.diff(np.floor(ends + start)) > 0]
    taken.sort()
    return Batch(places[taken], inclusion[taken])
