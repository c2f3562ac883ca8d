"""A solver's picks among the options of items, and the distance of its accuracy from chance."""

from __future__ import annotations

from math import lcm, sqrt
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from benchwright.statistics import HELD_OUT_EFFECT, share_right
from benchwright.statistics.score_interval import Interval

from .cue_table import Floats

Sides = Literal["both", "above"]
"""Whether accuracy below chance counts too. It does not for a solver fitted to other items: in sets with balanced keys,
whatever is too rare among the other items is too frequent among the held-out items, so the solver's accuracy falls
below chance without any cue."""


LEAST_DECIDED = 10
"""Smallest number of items that a solver must decide to be tested."""


class Keyed(Protocol):
    """The keys of some items."""

    @property
    def right(self) -> NDArray[np.int64]:
        """Return the index of each item's right option."""

    @property
    def options(self) -> NDArray[np.int64]:
        """Return the number of options of each item."""

    @property
    def groups(self) -> NDArray[np.int64]:
        """Return the index of each item's cluster; items of a cluster share a source image, pair or scene."""


class Picks(NamedTuple):
    """The picks of a solver.

    Args:
        shares: Share of the pick that each option gets, with sum 1; shape (items, most options).
        decided: Whether the solver prefers any option of the item to others.
    """

    shares: Floats
    decided: NDArray[np.bool_]

    def right(self, table: Keyed) -> Floats:
        """Return the share of the pick, 0-1, that the right option of each item gets."""
        return np.asarray(self.shares[np.arange(len(table.right)), table.right], np.float64)


class Accuracy(NamedTuple):
    """A solver's accuracy on the items it decides.

    Args:
        items: Number of items that the solver decides.
        value: Proportion of them that it answers correctly, 0-1; ties count in part.
        interval: 95 % interval of that proportion, by clusters (`benchwright.statistics.share_right`).
        chance: Accuracy of a uniform pick, 0-1.
        p: Probability, 0-1, that a solver without any information is equally far from chance.
    """

    items: int
    value: float
    interval: Interval
    chance: float
    p: float


class Bounds(NamedTuple):
    """Conditions under which items carry a cue.

    Args:
        max_gain: Distance of accuracy from chance, 0-1, up to which a solver passes the test.
        min_p: Holm-adjusted p-value, 0-1, below which a distance is significant.
    """

    max_gain: float = 0.05
    min_p: float = 0.05

    def is_passed(self, accuracy: Accuracy, p: float) -> bool:
        """Return whether an accuracy is farther from chance than allowed and, by its p-value, significantly so."""
        return abs(accuracy.value - accuracy.chance) > self.max_gain and p < self.min_p


def best_options(scores: Floats, exists: NDArray[np.bool_]) -> Picks:
    """Return picks of the options with the highest scores; options that tie share the pick.

    Args:
        scores: Score of each option, shape (items, most options); NaN for an option without a score, which is never
            picked.
        exists: Which options exist.
    """
    known = np.isfinite(scores) & exists
    filled = np.where(known, scores, -np.inf)
    best = filled.max(axis=1, keepdims=True)
    picked = known & (filled >= best - 1e-12)
    decided = (known.sum(axis=1) >= 2) & (picked.sum(axis=1) < known.sum(axis=1))
    picked = np.where(decided[:, None], picked, exists)
    return Picks(picked / picked.sum(axis=1, keepdims=True), decided)


def accuracy_of(picks: Picks, table: Keyed, *, sides: Sides) -> Accuracy | None:
    """Return the accuracy of picks on the items that they decide; None if there are no such items.

    The p-value is exact for keys drawn uniformly (a sum of binomial draws over items with equal numbers of options and
    of picked options). Its normal deviate is divided by the root of the design effect of clusters (J. N. K. Rao, A. J.
    Scott, "A simple method for the analysis of clustered binary data", Biometrics 48 (1992), 577-585) and compared with
    Student's t with one degree of freedom less than there are clusters. Answers of a solver fitted to other items also
    depend on each other (`benchwright.statistics.HELD_OUT_EFFECT`).

    Args:
        picks: The picks.
        table: The items.
        sides: Whether accuracy below chance counts as well; `above` for a solver fitted to other items.
    """
    rows = np.flatnonzero(picks.decided)
    if not len(rows):
        return None
    options, group = table.options[rows], table.groups[rows]
    picked = (picks.shares[rows] > 0).sum(axis=1)
    right = picks.right(table)[rows]
    parts = lcm(*np.unique(picked).tolist())
    units = np.rint(right * parts).astype(np.int64)
    estimate = share_right(units, np.unique(group, return_inverse=True)[1], parts=parts)
    assert estimate.value is not None
    assert estimate.interval is not None
    above, below = _tails(units, options, picked, parts)
    effect, clusters = _design_effect(right, options, picked, group)
    if sides == "above":
        effect *= HELD_OUT_EFFECT
    above, below = (_clustered(tail, effect, clusters) for tail in (above, below))
    p = above if sides == "above" else min(1.0, 2 * min(above, below))
    return Accuracy(len(rows), estimate.value, estimate.interval, float((1 / options).mean()), p)


def _tails(
    units: NDArray[np.int64], options: NDArray[np.int64], picked: NDArray[np.int64], parts: int
) -> tuple[float, float]:
    """Return the probabilities that uniform keys give at least, and at most, as many right answers."""
    kinds, counts = np.unique(np.stack([options, picked], axis=1), axis=0, return_counts=True)
    distribution = np.ones(1)
    for (of, chosen), items in zip(kinds.tolist(), counts.tolist(), strict=True):
        step = parts // chosen
        draws = np.zeros(items * step + 1)
        draws[::step] = _binomial(items, chosen / of)
        distribution = _convolved(distribution, draws) if len(distribution) > 1 else draws * distribution
    distribution = np.maximum(distribution, 0)
    total = int(units.sum())
    return float(distribution[total:].sum()), float(distribution[: total + 1].sum())


def _binomial(items: int, chance: float) -> Floats:
    """Return the probability of each number of right answers; importing `scipy.stats` would take .7 s."""
    from scipy.special import gammaln, xlog1py, xlogy

    right = np.arange(items + 1)
    ways = gammaln(items + 1) - gammaln(right + 1) - gammaln(items - right + 1)
    probabilities: Floats = np.exp(ways + xlogy(right, chance) + xlog1py(items - right, -chance))
    return probabilities


def _convolved(first: Floats, second: Floats) -> Floats:
    """Return the convolution of two distributions by Fourier transforms.

    Equivalent to `scipy.signal.fftconvolve`, whose import takes longer than all convolutions of an audit.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    size = len(first) + len(second) - 1
    fast = next_fast_len(size, real=True)
    convolved: Floats = irfft(rfft(first, fast) * rfft(second, fast), fast)[:size]
    return convolved


def _design_effect(
    right: Floats, options: NDArray[np.int64], picked: NDArray[np.int64], group: NDArray[np.int64]
) -> tuple[float, int]:
    """Return the factor, at least 1, by which clusters increase the variance of right answers, and their number."""
    _, cluster = np.unique(group, return_inverse=True)
    clusters = int(cluster.max()) + 1
    if clusters == len(right) or clusters < 2:
        return 1.0, clusters
    chance = picked / options
    variance = float((chance * (1 - chance) / picked**2).sum())
    residuals = np.bincount(cluster, weights=right - right.mean())
    return max(1.0, clusters / (clusters - 1) * float(residuals @ residuals) / variance), clusters


def _clustered(tail: float, effect: float, clusters: int) -> float:
    """Return a tail's probability, given that the answers of a cluster depend on each other."""
    if effect == 1.0 or clusters < 2:
        return min(1.0, tail)
    from scipy.special import ndtri, stdtr

    return float(stdtr(clusters - 1, ndtri(min(1.0, max(tail, 1e-300))) / sqrt(effect)))
