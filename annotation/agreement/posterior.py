"""The probability of each decision on a task, given each rater's vote: Dawid and Skene's model with a prior.

Dawid and Skene 1979 (doi:10.2307/2346806) give every rater a matrix of error rates. Here each of its rows has a
Dirichlet prior, as in Raykar et al. 2010, "Learning from crowds" (JMLR 11), and Passonneau and Carpenter 2014, "The
benefits of a model of annotation" (doi:10.1162/tacl_a_00185). A rater with little data is assumed to be right four
times in five, and their ratings update that estimate. Units whose truth is known (gold) enter as known.

Whether another vote is worth its price then depends on the certainty of the present votes: Sheng, Provost and Ipeirotis
2008, "Get another label?" (doi:10.1145/1401890.1401965). The model assumes that raters err independently, which fails
on hard units. Compare the lower end of the interval, not the middle, with a threshold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .ratings import Floats

_PRIOR_WEIGHT = 5.0
"""Weight of a rater's prior, in ratings of each true label, and of the shares' prior, in units of each label."""
_PRIOR_ACCURACY = 0.8
"""Proportion of right ratings in the prior; the wrong ones are spread evenly over the other labels."""
_INTERVAL = 0.9
"""Probability of a credible interval; half of the rest lies below it."""
_DRAWS = 400
"""Number of draws of the error rates for an interval."""
_ROUNDS = 100
_SETTLED = 1e-4
"""Change of a truth's probability below which the iteration stops."""

_Ints = NDArray[np.int64]


class Posterior(NamedTuple):
    """The most probable decision on a unit, its probability, and that probability's credible interval, all 0 to 1."""

    decision: str
    probability: float
    low: float
    high: float


@dataclass(frozen=True)
class RaterModel:
    """Estimates of the raters' behavior, as parameters of Dirichlet distributions.

    Args:
        labels: (K) possible labels, at least two.
        shares: (K,) parameters of the share of each label as the truth.
        rates: (K, K) parameters of each rater's error rates, true label by given label, by rater.
    """

    labels: tuple[str, ...]
    shares: Floats
    rates: Mapping[int, Floats] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the model as JSON values, rounded so that every platform writes the same values."""
        return {
            "labels": list(self.labels),
            "shares": np.round(self.shares, 6).tolist(),
            "rates": {str(rater): np.round(rates, 6).tolist() for rater, rates in sorted(self.rates.items())},
        }


def prior_model(labels: Sequence[str]) -> RaterModel:
    """Return the model of the raters before any data are seen."""
    return RaterModel(tuple(labels), np.full(len(labels), _PRIOR_WEIGHT))


def model_of(document: Mapping[str, Any]) -> RaterModel:
    """Return the model described by JSON values."""
    rates = {int(rater): np.array(rows, dtype=np.float64) for rater, rows in document["rates"].items()}
    return RaterModel(tuple(document["labels"]), np.array(document["shares"], dtype=np.float64), rates)


def _prior_rates(many: int) -> Floats:
    wrong = _PRIOR_WEIGHT * (1 - _PRIOR_ACCURACY) / (many - 1)
    return np.full((many, many), wrong) + np.eye(many) * (_PRIOR_WEIGHT * _PRIOR_ACCURACY - wrong)


def fitted(
    labels: Sequence[str],
    units: Sequence[int],
    raters: Sequence[int],
    ratings: Sequence[str],
    known: Mapping[int, str] | None = None,
) -> RaterModel:
    """Return the raters' model fitted to their ratings by expectation maximization that starts from vote proportions.

    Args:
        labels: Possible labels, at least two.
        units: Unit of each rating, as an arbitrary number.
        raters: Rater of each rating, as an arbitrary number.
        ratings: Label of each rating; ratings with other labels are left out.
        known: True label of each unit for which it is known; default none.
    """
    many, place = len(labels), {label: number for number, label in enumerate(labels)}
    kept = [row for row in zip(units, raters, ratings, strict=True) if row[2] in place]
    if not kept:
        return prior_model(labels)
    unit_ids, unit_of = np.unique(np.array([row[0] for row in kept], dtype=np.int64), return_inverse=True)
    rater_ids, rater_of = np.unique(np.array([row[1] for row in kept], dtype=np.int64), return_inverse=True)
    label_of = np.array([place[row[2]] for row in kept], dtype=np.int64)
    fixed = {int(unit): place[known[int(unit)]] for unit in unit_ids if known and known.get(int(unit)) in place}
    rows = np.searchsorted(unit_ids, sorted(fixed))
    truth = np.bincount(unit_of * many + label_of, minlength=len(unit_ids) * many).reshape(-1, many) + 1 / many
    truth = truth / truth.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        truth[rows] = np.eye(many)[[fixed[unit] for unit in sorted(fixed)]] if fixed else truth[rows]
        shares, rates = _parameters(truth, unit_of, rater_of * many + label_of, len(rater_ids))
        before, truth = truth, _truths(shares, rates, unit_of, rater_of, label_of, len(unit_ids))
        if fixed:
            truth[rows] = before[rows]
        if np.abs(truth - before).max() < _SETTLED:
            break
    shares, rates = _parameters(truth, unit_of, rater_of * many + label_of, len(rater_ids))
    return RaterModel(tuple(labels), shares, {int(rater): rates[number] for number, rater in enumerate(rater_ids)})


def _parameters(truth: Floats, units: _Ints, labels: _Ints, raters: int) -> tuple[Floats, Floats]:
    """Return the parameters of the shares and error rates: the prior's plus the expected counts."""
    many = truth.shape[1]
    counts = np.stack(
        [np.bincount(labels, truth[units, true], raters * many).reshape(raters, many) for true in range(many)], axis=1
    )
    return _PRIOR_WEIGHT + truth.sum(axis=0), _prior_rates(many) + counts


def _truths(shares: Floats, rates: Floats, units: _Ints, raters: _Ints, labels: _Ints, count: int) -> Floats:
    """Return the probability of each truth for each unit, given the means of the parameters."""
    logs = np.log(rates / rates.sum(axis=2, keepdims=True))
    score = np.stack(
        [np.bincount(units, logs[raters, true, labels], count) for true in range(len(shares))], axis=1
    ) + np.log(shares / shares.sum())
    relative = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(relative / relative.sum(axis=1, keepdims=True))


class PosteriorSampler:
    """Computes the certainty of decisions under one model, always from the same draws of the raters' error rates.

    A rater's error rates are drawn at their first vote, and units with equal votes are computed once, so that tens of
    thousands of units take about a second.

    Args:
        model: Estimates of the raters; a rater missing from it has the prior.
        seed: Seed of the draws, 0 or greater.
    """

    def __init__(self, model: RaterModel, *, seed: int) -> None:
        self._model, self._seed = model, seed
        self._shares = np.log(_drawn(np.random.default_rng([seed, 0]), model.shares[None, :]))[:, 0, :]
        self._rates: dict[int, Floats] = {}
        self._cached: dict[tuple[tuple[int, str], ...], Posterior] = {}

    def posterior(self, votes: Sequence[tuple[int, str]]) -> Posterior | None:
        """Return the most probable decision on a unit, or None if a vote has a label that the model lacks.

        The probability is the mean over draws of the error rates, and the interval contains a proportion `_INTERVAL` of
        them.

        Args:
            votes: Rater number, from 1, and label of each vote; their order does not matter.
        """
        labels, key = self._model.labels, tuple(sorted(votes))
        if any(label not in labels for _, label in key):
            return None
        if key not in self._cached:
            scores = self._shares.copy()
            for rater, label in key:
                scores += self._log_rates(rater)[:, :, labels.index(label)]
            relative = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances = relative / relative.sum(axis=1, keepdims=True)
            mean = chances.mean(axis=0)
            leading = int(mean.argmax())
            low, high = np.quantile(chances[:, leading], [(1 - _INTERVAL) / 2, (1 + _INTERVAL) / 2])
            self._cached[key] = Posterior(labels[leading], float(mean[leading]), float(low), float(high))
        return self._cached[key]

    def _log_rates(self, rater: int) -> Floats:
        """Return (DRAWS, K, K) logarithms of error rates drawn for a rater."""
        if rater not in self._rates:
            parameters = self._model.rates.get(rater, _prior_rates(len(self._model.labels)))
            self._rates[rater] = np.log(_drawn(np.random.default_rng([self._seed, rater]), parameters))
        return self._rates[rater]


def _drawn(rng: np.random.Generator, parameters: Floats) -> Floats:
    """Return (DRAWS, rows, K) draws from the Dirichlet distribution of each row."""
    gammas = rng.standard_gamma(np.broadcast_to(parameters, (_DRAWS, *parameters.shape))) + 1e-300
    return np.asarray(gammas / gammas.sum(axis=2, keepdims=True))
