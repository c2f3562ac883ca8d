"""Error rates of each rater and the true label of each unit, estimated together when no truth is known.

Dawid and Skene 1979, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm",
doi:10.2307/2346806: every rater has a matrix of error rates, every unit one true label. Expectation-maximization
estimates both, starting from the proportion of each label among a unit's ratings. The estimate is only advisory: the
campaign's rule determines what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from .rating_columns import RatingColumns
from .ratings import MAX_CELLS, Floats, Rating, in_columns

_ROUNDS = 500
_SETTLED = 1e-10
"""Change of the log-likelihood per rating below which error rates are accurate to four digits."""
NEARLY_SETTLED = 1e-6
"""The same for an accuracy of two digits, which takes a tenth of the iterations."""
_FLOOR = 1e-300

_Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DawidSkeneEstimate:
    """The maximum-likelihood estimate.

    Args:
        labels: (K) categories in use, in their order.
        raters: (J) names, sorted.
        shares: (K,) estimated share of each category as the truth.
        error_rates: (J, K, K) probability that a rater gives the category of the last index if that of the middle index
            is true; NaN for true categories of which the rater saw no unit.
        truth: (I, K) probability of each category as a unit's truth, with units ordered by name or number.
        log_likelihood: Log-likelihood of the ratings.
    """

    labels: tuple[str, ...]
    raters: tuple[str, ...]
    shares: Floats
    error_rates: Floats
    truth: Floats
    log_likelihood: float

    def accuracy(self, rater: str) -> float:
        """Return a rater's estimated proportion of right labels, 0 to 1, weighted by the true categories' shares."""
        own = np.diagonal(self.error_rates[self.raters.index(rater)])
        seen = ~np.isnan(own)
        return float((own[seen] * self.shares[seen]).sum() / self.shares[seen].sum())


def dawid_skene(ratings: Iterable[Rating]) -> DawidSkeneEstimate:
    """Estimate error rates and truths; a rater may rate a unit more than once, as in the paper's example.

    Args:
        ratings: Ratings; their order does not matter.

    Raises:
        DataError: The ratings are empty, or labels are free text instead of categories.
    """
    return estimated_from(in_columns(sorted(ratings)))


def estimated_from(columns: RatingColumns, *, settled: float = _SETTLED) -> DawidSkeneEstimate:
    """Return the estimate that `dawid_skene` returns, from ratings in columns; only labels in use become categories.

    Args:
        columns: At least one rating.
        settled: Change of the log-likelihood per rating below which iteration ends; default `_SETTLED`.

    Raises:
        DataError: As `dawid_skene`.
    """
    if not len(columns):
        raise DataError("error rates cannot be estimated without ratings")
    used, labels = np.unique(columns.labels, return_inverse=True)
    present, units = np.unique(columns.units, return_inverse=True)
    judging, raters = np.unique(columns.raters, return_inverse=True)
    many = len(used)
    if max(len(present), len(judging) * many) * many > MAX_CELLS:
        raise DataError(
            f"{counted(many, 'different label')} over {counted(len(present), 'unit')}: labels must be categories, not "
            "free text"
        )
    counts = np.bincount(units * many + labels, minlength=len(present) * many).reshape(-1, many)
    truth = counts / counts.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(_ROUNDS):
        shares, rates = _maximised(truth, units, raters * many + labels, len(judging))
        truth, likelihood = _expected(shares, rates, units, raters, labels)
        if likelihood - before <= settled * len(columns):
            break
        before = likelihood
    label_names = tuple(columns.label_names[place] for place in used)
    rater_names = tuple(columns.rater_names[place] for place in judging)
    return DawidSkeneEstimate(label_names, rater_names, shares, rates, truth, likelihood)


def _maximised(truth: Floats, units: _Ints, labels: _Ints, raters: int) -> tuple[Floats, Floats]:
    """Return the maximum-likelihood proportions and error rates (rater, true label, given label), given the truths."""
    many = truth.shape[1]
    weight = np.stack(
        [np.bincount(labels, truth[units, true], raters * many).reshape(raters, many) for true in range(many)], axis=1
    )
    of_true = weight.sum(axis=2, keepdims=True)
    return truth.mean(axis=0), np.divide(weight, of_true, out=np.full_like(weight, np.nan), where=of_true > 0)


def _expected(shares: Floats, rates: Floats, units: _Ints, raters: _Ints, labels: _Ints) -> tuple[Floats, float]:
    """Return the probability of each truth for each unit, and the log-likelihood of all ratings."""
    with np.errstate(invalid="ignore"):
        logs = np.log(np.maximum(np.nan_to_num(rates), _FLOOR))
    count = int(units.max()) + 1
    score = np.stack(
        [np.bincount(units, logs[raters, true, labels], count) for true in range(len(shares))], axis=1
    ) + np.log(np.maximum(shares, _FLOOR))
    highest = score.max(axis=1, keepdims=True)
    relative = np.exp(score - highest)
    total = relative.sum(axis=1, keepdims=True)
    return relative / total, float((highest + np.log(total)).sum())
