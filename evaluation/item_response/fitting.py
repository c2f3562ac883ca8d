"""Item response models fitted to the replies of several models: difficulty, discrimination, ability.

A model of ability theta answers an item correctly with the probability c + (1 - c) / (1 + exp(-(a theta + d))), where c
is the probability of a right guess, a the item's discrimination and d its easiness.

Benchmarks have many items and few models, so items are treated as draws from a population: a and d are normal over the
items and integrated out; the abilities and the population maximize the likelihood. Psychological tests have many
persons and few items, so abilities are integrated out there instead. One item in twenty is assumed to lie outside the
population, so that an item with a wrong key, on which weak models do best, is not pulled toward it.

Sources: R. D. Bock, M. Aitkin, "Marginal maximum likelihood estimation of item parameters: application of an EM
algorithm", Psychometrika 46 (1981), 443-459; items as draws: P. De Boeck, "Random item IRT models", Psychometrika 73
(2008), 533-559.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_ROUNDS, _CLOSE = 200, 1e-3
"""Largest number of rounds of the EM algorithm, and the change of an ability or of the population at which it ends."""
_WIDTH = 4.5
"""Half the width of the grid around the population mean, in standard deviations of the population."""
_FEWEST_NODES, _MOST_NODES = 11, 81
_LEAST_SPREAD = 0.1
_ODD = 0.05
"""Proportion of items whose discrimination is distributed around 0 instead of the population mean."""
_ODD_WIDTH = 2.5
"""Half the width of the grid around 0 for these items, in their standard deviations."""
_ITEMS_AT_ONCE = 1024


@dataclass(frozen=True)
class ItemResponses:
    """A fitted model of items and of the models that answered them.

    Args:
        discrimination: Posterior mean of each item's a, for abilities of standard deviation 1. Below 0 if weak models
            answer the item correctly and capable ones do not.
        easiness: Posterior mean of each item's d: the logit of the probability that a model of mean ability knows the
            answer.
        covariance: Posterior covariance of discrimination and easiness, items x 2 x 2.
        guessing: Each item's c, 0 to 1.
        ability: Each model's theta; mean 0 and standard deviation 1 across the models.
        ability_error: Standard error of each ability.
        rounds: Number of rounds of the EM algorithm.
        converged: Whether the algorithm converged.
    """

    discrimination: Floats
    easiness: Floats
    covariance: Floats
    guessing: Floats
    ability: Floats
    ability_error: Floats
    rounds: int = 0
    converged: bool = True

    @property
    def discrimination_error(self) -> Floats:
        """Return the posterior standard deviation of each discrimination."""
        import numpy as np

        return np.sqrt(self.covariance[:, 0, 0])

    @property
    def easiness_error(self) -> Floats:
        """Return the posterior standard deviation of each easiness."""
        import numpy as np

        return np.sqrt(self.covariance[:, 1, 1])

    def chances(self, ability: float) -> Floats:
        """Return the probability that a model of the given ability answers each item correctly, 0 to 1.

        Uncertainty about an item moves its probability toward the middle: D. J. C. MacKay, "The evidence framework
        applied to classification networks", Neural Computation 4 (1992), 720-736, equation 10.
        """
        import numpy as np

        chances: Floats = self._chances_at(np.array([ability]))[0]
        return chances

    def _chances_at(self, abilities: Floats) -> Floats:
        """Return the probabilities at several abilities, abilities x items."""
        return _known(self, abilities) * (1 - self.guessing) + self.guessing

    def information(self, ability: float) -> Floats:
        """Return the Fisher information, 0 or above, that a reply to each item gives about abilities near this one."""
        import numpy as np

        knows = _known(self, np.array([ability]))[0]
        chance = knows * (1 - self.guessing) + self.guessing
        told: Floats = self.discrimination**2 * (1 - self.guessing) * (1 - knows) * knows**2 / chance
        return told

    def ability_of(self, right: NDArray[np.bool_], asked: NDArray[np.bool_]) -> tuple[float, float]:
        """Return the posterior mean of a model's ability, and its standard deviation.

        The prior on abilities is normal, with mean 0 and standard deviation 1.5.

        Args:
            right: Whether the model answers each item correctly.
            asked: Whether the model was asked each item.
        """
        import numpy as np

        grid = np.linspace(-6, 6, 241)
        chance = np.clip(self.only(asked)._chances_at(grid), 1e-9, 1 - 1e-9)
        logs = np.log(np.where(right[asked], chance, 1 - chance)).sum(axis=1) - grid**2 / (2 * 1.5**2)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        mean = float(weights @ grid)
        return mean, float(np.sqrt(weights @ (grid - mean) ** 2))

    def only(self, held: NDArray[np.bool_]) -> ItemResponses:
        """Return the model restricted to some of the items."""
        return ItemResponses(
            self.discrimination[held],
            self.easiness[held],
            self.covariance[held],
            self.guessing[held],
            self.ability,
            self.ability_error,
            self.rounds,
            self.converged,
        )


def _known(fitted: ItemResponses, abilities: Floats) -> Floats:
    """Return the probability that a model of each ability knows the answer to each item, excluding guesses, abilities x
    items.
    """
    import numpy as np
    from scipy.special import expit

    at = abilities[:, None]
    variance = at**2 * fitted.covariance[:, 0, 0] + 2 * at * fitted.covariance[:, 0, 1] + fitted.covariance[:, 1, 1]
    logit = at * fitted.discrimination + fitted.easiness
    known: Floats = expit(logit / np.sqrt(1 + np.pi / 8 * variance))
    return known


class _Population(NamedTuple):
    """The distribution of discrimination and easiness across the items: their means and their covariance."""

    mean: Floats
    covariance: Floats


class _Grid(NamedTuple):
    """Nodes of the integral over an item's parameters, nodes x 2, and the logarithms of their weights."""

    nodes: Floats
    log_weights: Floats
    of_population: Floats
    """Probability that an item at the node belongs to the population rather than to the odd items."""


class _Posterior(NamedTuple):
    """The posterior of the items given the replies.

    Args:
        mean: Mean of each item's parameters, items x 2.
        covariance: Covariance of each item's parameters, items x 2 x 2.
        right: Expected number of items at each node that each model answers correctly, by guessing probability, models
            x nodes.
        asked: Expected number of items at each node that each model was asked, in the same form.
        at_nodes: Expected number of items at each node.
    """

    mean: Floats
    covariance: Floats
    right: dict[float, Floats]
    asked: dict[float, Floats]
    at_nodes: Floats


def fit_item_responses(
    right: NDArray[np.bool_], asked: NDArray[np.bool_], guessing: NDArray[np.float64] | float = 0.0
) -> ItemResponses:
    """Fit a model with two parameters per item, and a guessing floor, to the replies of several models.

    The means and spreads of discrimination and easiness are estimated from all items, and items with little evidence
    are shrunk toward the means (empirical Bayes). Even three models therefore suffice for a fit: its discriminations
    are close to one another and have large errors.

    Args:
        right: Models x items; False for items not asked.
        asked: Models x items; every item was asked of at least one model.
        guessing: Probability, below 1, that a model that does not know an item answers it correctly: one per item, or
            one for all items.

    Raises:
        DataError: There are fewer than two models, no items, or items that no model was asked.
    """
    import numpy as np

    models, items = right.shape
    if models < 2 or not items:
        raise DataError(
            f"an item response model needs the replies of two models or more; found {counted(models, 'model')} and "
            f"{counted(items, 'item')}"
        )
    if unasked := int((~asked.any(axis=0)).sum()):
        raise DataError(f"no model was asked {unasked} of {counted(items, 'item')}; leave them out")
    floor = np.broadcast_to(np.asarray(guessing, dtype=np.float64), (items,)).copy()
    y, held = (right & asked).astype(np.float64), asked.astype(np.float64)
    ability, population = _begun(y, held, floor)
    rounds, change = 0, np.inf
    while change >= _CLOSE and rounds < _MOST_ROUNDS:
        rounds += 1
        grid = _grid(population, models)
        posterior = _posterior(y, held, floor, ability, grid)
        moved, _ = _abilities(posterior, ability, grid)
        moved, fresh = _standardized(moved, _population_of(posterior, grid))
        change = max(
            float(np.abs(moved - ability).max()),
            float(np.abs(fresh.mean - population.mean).max()),
            float(np.abs(fresh.covariance - population.covariance).max()),
        )
        ability, population = moved, fresh
    grid = _grid(population, models)
    posterior = _posterior(y, held, floor, ability, grid)
    _, error = _abilities(posterior, ability, grid)
    mean, covariance = posterior.mean, posterior.covariance
    return ItemResponses(mean[:, 0], mean[:, 1], covariance, floor, ability, error, rounds, change < _CLOSE)


def _begun(y: Floats, held: Floats, floor: Floats) -> tuple[Floats, _Population]:
    """Return initial abilities and an initial population; an ability is the logit of a model's proportion of right
    answers.
    """
    import numpy as np
    from scipy.special import logit

    share = ((y.sum(axis=1) + 1) / (held.sum(axis=1) + 2) - floor.mean()) / (1 - floor.mean())
    ability = logit(np.clip(share, 0.02, 0.98))
    of_items = ((y.sum(axis=0) + 1) / (held.sum(axis=0) + 2) - floor) / (1 - floor)
    easiness = logit(np.clip(of_items, 0.05, 0.95))
    spread = max(float(easiness.var()), _LEAST_SPREAD)
    start = _Population(np.array([1.0, easiness.mean()]), np.diag([0.2, spread]))
    return _standardized(ability, start)


def _standardized(ability: Floats, population: _Population) -> tuple[Floats, _Population]:
    """Return abilities with mean 0 and standard deviation 1, and the population of items on that scale."""
    import numpy as np

    middle, scale = float(ability.mean()), float(ability.std())
    scale = scale if scale > 1e-3 else 1.0
    onto = np.array([[scale, 0.0], [middle, 1.0]])
    moved = _Population(onto @ population.mean, onto @ population.covariance @ onto.T)
    return (ability - middle) / scale, moved


def _grid(population: _Population, models: int) -> _Grid:
    """Return a grid fine enough for this many models' evidence about an item: about one node per standard deviation."""
    import numpy as np

    spread = np.sqrt(np.diag(population.covariance))
    left = 1 / np.sqrt(spread**-2.0 + models * np.array([0.15, 0.2]))
    odd = max(0.5, float(population.mean[0]))
    ends = population.mean + np.array([[-_WIDTH], [_WIDTH]]) * spread
    ends[:, 0] = min(ends[0, 0], -_ODD_WIDTH * odd), max(ends[1, 0], _ODD_WIDTH * odd)
    counts = np.clip(np.ceil((ends[1] - ends[0]) / left), _FEWEST_NODES, _MOST_NODES).astype(int)
    axes = (np.linspace(low, high, count) for low, high, count in zip(*ends, counts, strict=True))
    nodes = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    apart = np.linalg.solve(np.linalg.cholesky(population.covariance), (nodes - population.mean).T)
    usual = -(apart**2).sum(axis=0) / 2 - np.log(np.linalg.det(population.covariance)) / 2
    places = (nodes - [0.0, population.mean[1]]) / [odd, spread[1]]
    strange = -(places**2).sum(axis=1) / 2 - np.log(odd * spread[1])
    usual, strange = usual + np.log(1 - _ODD), strange + np.log(_ODD)
    both = np.logaddexp(usual, strange)
    return _Grid(nodes, both - np.log(np.exp(both).sum()), np.exp(usual - both))


def _blocks(floor: Floats) -> Iterator[tuple[float, NDArray[np.int64]]]:
    """Yield the indices of items with equal guessing probability, a limited number at a time."""
    import numpy as np

    for value in np.unique(floor):
        places = np.flatnonzero(floor == value)
        for start in range(0, len(places), _ITEMS_AT_ONCE):
            yield float(value), places[start : start + _ITEMS_AT_ONCE]


def _posterior(y: Floats, held: Floats, floor: Floats, ability: Floats, grid: _Grid) -> _Posterior:
    """Return the posterior of the items, given the abilities and the population."""
    import numpy as np

    items = len(floor)
    mean, covariance = np.empty((items, 2)), np.empty((items, 2, 2))
    right: dict[float, Floats] = {}
    asked: dict[float, Floats] = {}
    at_nodes = np.zeros(len(grid.nodes))
    for value, places in _blocks(floor):
        chance = _chance(ability, grid, value)
        logs = y[:, places].T @ np.log(chance) + (held - y)[:, places].T @ np.log1p(-chance) + grid.log_weights
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        mean[places] = weights @ grid.nodes
        squares = np.einsum("gi,gj->gij", grid.nodes, grid.nodes).reshape(-1, 4)
        covariance[places] = (weights @ squares).reshape(-1, 2, 2)
        at_nodes += weights.sum(axis=0)
        right[value] = right.get(value, 0) + y[:, places] @ weights
        asked[value] = asked.get(value, 0) + held[:, places] @ weights
    covariance -= np.einsum("ni,nj->nij", mean, mean)
    return _Posterior(mean, covariance, right, asked, at_nodes)


def _chance(ability: Floats, grid: _Grid, guessing: float) -> Floats:
    """Return the probability that each model answers correctly at each node, models x nodes."""
    import numpy as np
    from scipy.special import expit

    knows = expit(np.outer(ability, grid.nodes[:, 0]) + grid.nodes[:, 1])
    chance: Floats = np.clip(guessing + (1 - guessing) * knows, 1e-9, 1 - 1e-9)
    return chance


def _abilities(posterior: _Posterior, ability: Floats, grid: _Grid) -> tuple[Floats, Floats]:
    """Return the abilities after two steps of Fisher scoring with a standard normal prior, and their errors."""
    import numpy as np

    slope = grid.nodes[:, 0]
    told = np.ones(len(ability))
    for _ in range(2):
        gradient, told = -ability, np.ones(len(ability))
        for value, asked in posterior.asked.items():
            chance = _chance(ability, grid, value)
            knows = (chance - value) / (1 - value)
            pull = knows / chance
            gradient = gradient + ((posterior.right[value] - asked * chance) * pull) @ slope
            told = told + (asked * (1 - chance) * knows * pull) @ slope**2
        ability = ability + np.clip(gradient / told, -1, 1)
    return ability, 1 / np.sqrt(told)


def _population_of(posterior: _Posterior, grid: _Grid) -> _Population:
    """Return the most likely population of items, given the posterior of each item, leaving out odd items."""
    import numpy as np

    weights = posterior.at_nodes * grid.of_population
    weights = weights / weights.sum()
    mean = weights @ grid.nodes
    apart = grid.nodes - mean
    return _Population(mean, (weights * apart.T) @ apart + np.diag([_LEAST_SPREAD**2] * 2))
