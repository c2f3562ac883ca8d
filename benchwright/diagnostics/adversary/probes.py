"""Tests of whether measures tell the right option, exact for keys drawn uniformly, and what a learner picks by them.

Measures of an item's options, less their mean, make one row an option. Of them three learners are made:

- the strongest single measure: of each, the sum over right options in units of its standard deviation under uniform
  keys (the score test of a conditional logistic regression); the largest of all counts (P. H. Westfall, S. S. Young,
  "Resampling-based multiple testing", 1993);
- the template: right options of other folds, less wrong ones, by which options are scored;
- ridge regression on the options of other folds.

The latter two are judged by how far the right option of an item left out is above its others, which tells more than how
often it is the first. All three are linear in the keys, so that keys can be drawn thousands of times: the keys of each
cluster are moved on by one number, the same for all its items, so that what its items share stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_FIRST_DRAWS, _DRAWS = 199, 1999
_DOUBTFUL = 0.1
"""p-value of the first draws from which on no more are made."""
_COUNTED = 1
"""Number of draws as extreme as what was measured from which on their share is the p-value; without any, the tail is
fitted by a distribution of Pearson's type III (J. Josse, J. Pages, F. Husson, "Testing the significance of the RV
coefficient", Computational Statistics & Data Analysis 53 (2008))."""
_LEAST_SKEW = 0.5
_CLIP = 4.0
_SINGLES = 3
"""Measures that the learner of single ones goes by."""
_WAYS = 3
_TOGETHER = 512
"""Measures that are centred at a time, so that memory holds few of them twice."""
_DRAWS_TOGETHER = 250
"""Draws of keys that are tried at a time, which bounds memory."""
_ROWS_TOGETHER = 256
"""Rows of options that are copied at a time."""
_ONE_THREAD = 10_000_000
"""Number of values up to which one thread does the algebra; several would wait for each other most of the time."""


class KeyedItems(NamedTuple):
    """The keys of items, and which belong together.

    Args:
        right: Number of each item's right option, from 0.
        options: Number of options of each item.
        groups: Number of each item's cluster, from 0.
        folds: Fold of each item; items of a cluster share one.
    """

    right: NDArray[np.int64]
    options: NDArray[np.int64]
    groups: NDArray[np.int64]
    folds: NDArray[np.int64]

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Return which options exist, shape (items, most options)."""
        return np.asarray(np.arange(int(self.options.max())) < self.options[:, None], np.bool_)

    def rows(self, chosen: NDArray[np.int64]) -> KeyedItems:
        """Return some of the items."""
        return KeyedItems(self.right[chosen], self.options[chosen], self.groups[chosen], self.folds[chosen])


class Largest(NamedTuple):
    """A Pearson type III distribution: mean, deviation and skewness."""

    mean: float
    spread: float
    skew: float

    def tail(self, value: float) -> float:
        """Return the probability of a larger value."""
        from scipy.special import gammaincc

        shape = 4 / self.skew**2
        return float(gammaincc(shape, max(0.0, shape + 2 * (value - self.mean) / self.spread / self.skew)))

    def limit(self, p: float) -> float:
        """Return the value that is passed with a probability."""
        from scipy.special import gammainccinv

        shape = 4 / self.skew**2
        return self.mean + self.spread * self.skew / 2 * float(gammainccinv(shape, p) - shape)


class Tested(NamedTuple):
    """What a probe finds.

    Args:
        p: Probability, 0-1, that keys drawn uniformly are told as well.
        scores: Score of each option by the learner that tells most, held out; shape (items, most options), NaN where
            there is no option.
        strongest: Numbers of the measures that tell most, strongest first.
        deviations: By how many standard deviations under uniform keys each of these tells; positive where the right
            option has more.
        drawn: The largest single deviation under uniform keys.
    """

    p: float
    scores: NDArray[np.float64]
    strongest: tuple[int, ...]
    deviations: tuple[float, ...]
    drawn: Largest


def drawn_keys(items: KeyedItems, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the keys and then so many draws of them, shape (items, 1 + draws)."""
    moved = rng.integers(0, 27720, (int(items.groups.max()) + 1, draws))  # a multiple of all numbers up to 12
    keys = (items.right[:, None] + moved[items.groups]) % items.options[:, None]
    return np.concatenate([items.right[:, None], keys], axis=1)


def centred(values: NDArray[Any], items: KeyedItems, *, by_place: bool) -> Array:
    """Return measures of options less their mean over the item, in units of their deviation under uniform keys.

    Args:
        values: Shape (items, most options, measures), of any type of numbers.
        items: The items.
        by_place: Whether to take out what all options of one letter share as well, so that letters alone tell nothing.
    """
    found = np.empty(values.shape, np.float32)
    for start in range(0, values.shape[2], _TOGETHER):
        some = slice(start, start + _TOGETHER)
        found[:, :, some] = _centred(values[:, :, some], items, by_place=by_place)
    return found


def _centred(values: NDArray[Any], items: KeyedItems, *, by_place: bool) -> Array:
    exists = items.exists[:, :, None]
    options = items.options[:, None, None].astype(np.float32)
    deviation = np.where(exists, values, 0).astype(np.float32)
    deviation -= deviation.sum(axis=1, keepdims=True) / options
    deviation *= exists
    limit = _CLIP * np.sqrt((deviation**2).sum(axis=(0, 1)) / max(1, int(exists.sum())))
    np.clip(deviation, -limit, limit, out=deviation)
    if by_place:
        for count in np.unique(items.options).tolist():
            of_count = items.options == count
            deviation[of_count] -= deviation[of_count].mean(axis=0)
    deviation -= deviation.sum(axis=1, keepdims=True) / options * exists
    deviation *= exists
    variance = np.square(deviation, dtype=np.float64).sum(axis=1) / items.options[:, None]
    scale = np.sqrt(variance.sum(axis=0))
    return np.asarray(np.where(scale > 1e-9, deviation / np.maximum(scale, 1e-9), 0), np.float32)


def tested(measures: Array, items: KeyedItems, rng: np.random.Generator) -> Tested:
    """Return how well measures tell the right option.

    Args:
        measures: Measures of options (`centred`), shape (items, most options, measures).
        items: The items.
        rng: Generator of the draws.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1 if measures.size < _ONE_THREAD else None):
        return _tested(measures, items, rng)


def _tested(measures: Array, items: KeyedItems, rng: np.random.Generator) -> Tested:
    learner = _Learners(measures, items)
    keys = drawn_keys(items, _FIRST_DRAWS, rng)
    p, way, drawn = learner.p_values(keys)
    if p < _DOUBTFUL:
        keys = drawn_keys(items, _DRAWS, rng)
        p, way, drawn = learner.p_values(keys)
    single = learner.singles(items.right)
    order = np.argsort(-np.abs(single), kind="stable")[:_SINGLES]
    return Tested(
        p,
        learner.scores(way, items.right),
        tuple(order.tolist()),
        tuple(float(value) for value in single[order]),
        _fitted(drawn),
    )


class _Learners:
    """The three learners of one set of measures.

    Rows are ordered by fold. What is learned without a fold is what all rows say less what the fold's own say, so that
    no fold takes products over all others again; where measures are more than rows, products of rows with one another
    take their place.
    """

    def __init__(self, measures: Array, items: KeyedItems) -> None:
        self.items = items
        item, place = np.nonzero(items.exists)
        order = np.argsort(items.folds[item], kind="stable")
        self.item, self.place = item[order], place[order]
        low, high = (measures.min(axis=(0, 1), initial=0), measures.max(axis=(0, 1), initial=0))
        self.used = np.flatnonzero((low < 0) | (high > 0))
        self.rows = _taken(measures, self.item, self.place, self.used)
        folds = items.folds[self.item]
        starts = np.flatnonzero(np.diff(folds, prepend=folds[0] - 1)).tolist()
        self.folds = [slice(start, stop) for start, stop in zip(starts, [*starts[1:], len(folds)], strict=True)]
        self.is_dual = len(self.rows) <= max(self.rows.shape[1], 1)
        self.gram = self.rows @ self.rows.T if self.is_dual else self.rows.T @ self.rows
        self.smoothers = [self._smoother(fold) for fold in self.folds]
        if not self.is_dual:
            self.gram = np.zeros((0, 0), np.float32)

    def _smoother(self, fold: slice) -> Array | None:
        """Return what gives the ridge scores of a fold from the targets, or from the sums, of the others."""
        test = self.rows[fold]
        if len(test) == len(self.rows):
            return None
        if self.is_dual:
            others = self._others(fold)
            return _solved(self.gram[np.ix_(others, others)], self.gram[others, fold]).T
        return _solved(self.gram - test.T @ test, np.ascontiguousarray(test.T)).T

    def _others(self, fold: slice) -> NDArray[np.int64]:
        return np.concatenate([np.arange(fold.start), np.arange(fold.stop, len(self.rows))])

    def _targets(self, keys: NDArray[np.int64]) -> Array:
        """Return 1 for right options, less their share; shape (rows, draws)."""
        is_right = keys[self.item] == self.place[:, None]
        return np.asarray(is_right - (1 / self.items.options)[self.item, None], np.float32)

    def singles(self, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the deviation of each measure for one vector of keys, in the order of the measures given."""
        found = np.zeros(int(self.used.max(initial=-1)) + 1)
        found[self.used] = (self.rows.T @ self._targets(keys[:, None]))[:, 0]
        return found

    def p_values(self, keys: NDArray[np.int64]) -> tuple[float, int, NDArray[np.float64]]:
        """Return the p-value of all three, which tells most, and the largest single deviation of each draw."""
        parts = [
            self._ways(keys[:, start : start + _DRAWS_TOGETHER]) for start in range(0, keys.shape[1], _DRAWS_TOGETHER)
        ]
        ways = [np.concatenate(way) for way in zip(*parts, strict=True)]
        values = [_tail(way) for way in ways]
        best = int(np.argmin(values))
        return min(1.0, _WAYS * values[best]), best, ways[0][1:]

    def _ways(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Return what each learner reaches for each draw: the largest deviation, and two margins."""
        targets = self._targets(keys)
        answers = self.rows.T @ targets
        single = np.maximum(answers.max(axis=0, initial=0), -answers.min(axis=0, initial=0)).astype(np.float64)
        return single, *(self._margin(scores, targets) for scores in self._held_out(targets, answers))

    def _held_out(self, targets: Array, answers: Array) -> tuple[Array, Array]:
        """Return scores of the template and of ridge regression for all draws, shape (rows, draws).

        Args:
            targets: The targets of all rows.
            answers: Their sums over all rows by each measure.
        """
        template, ridge = np.zeros_like(targets), np.zeros_like(targets)
        for fold, smoother in zip(self.folds, self.smoothers, strict=True):
            if smoother is None:
                continue
            if self.is_dual:
                others = self._others(fold)
                template[fold] = self.gram[fold, others] @ targets[others]
                ridge[fold] = smoother @ targets[others]
            else:
                weights = answers - self.rows[fold].T @ targets[fold]
                template[fold] = self.rows[fold] @ weights
                ridge[fold] = smoother @ weights
        return template, ridge

    def _margin(self, scores: Array, targets: Array) -> NDArray[np.float64]:
        """Return by how much right options are above the mean of their item, in units of its deviation."""
        counts = self.items.options[:, None]
        starts = np.flatnonzero(np.diff(self.item, prepend=-1))
        mean = np.add.reduceat(scores, starts, axis=0) / counts
        scores = np.asarray(scores - mean[self.item], np.float32)
        variance = (np.add.reduceat(scores**2, starts, axis=0) / counts).sum(axis=0, dtype=np.float64)
        margin = (scores * targets).sum(axis=0, dtype=np.float64)
        return np.asarray(margin / np.sqrt(np.maximum(variance, 1e-30)), np.float64)

    def scores(self, way: int, right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the held-out scores of one learner, shape (items, most options)."""
        targets = self._targets(right[:, None])
        answers = self.rows.T @ targets
        if way:
            flat = self._held_out(targets, answers)[way - 1][:, 0]
        else:
            flat = np.zeros(len(self.rows), np.float32)
            for fold, smoother in zip(self.folds, self.smoothers, strict=True):
                if smoother is None:
                    continue
                weights = (answers - self.rows[fold].T @ targets[fold])[:, 0]
                weights[np.argsort(-np.abs(weights), kind="stable")[_SINGLES:]] = 0
                flat[fold] = self.rows[fold] @ weights
        found = np.full(self.items.exists.shape, np.nan)
        # Rounded, since the last bits depend on the build of NumPy.
        found[self.item, self.place] = np.round(flat.astype(np.float64), 7)
        return found


def _taken(measures: Array, item: NDArray[np.int64], place: NDArray[np.int64], used: NDArray[np.int64]) -> Array:
    """Return the rows of options with the measures that are used, few rows at a time so that no whole copy is made."""
    if len(used) == measures.shape[2]:
        return measures[item, place]
    rows = np.empty((len(item), len(used)), np.float32)
    for start in range(0, len(item), _ROWS_TOGETHER):
        some = slice(start, start + _ROWS_TOGETHER)
        rows[some] = measures[item[some], place[some]][:, used]
    return rows


def _solved(gram: Array, targets: Array) -> Array:
    """Return the solution of ridge regression, whose penalty is the mean of the matrix's diagonal."""
    from scipy.linalg import solve

    gram[np.diag_indices_from(gram)] += max(1e-9, float(np.trace(gram)) / len(gram))
    return np.asarray(solve(gram, targets, assume_a="pos", overwrite_a=True, check_finite=False), np.float32)


def _tail(values: NDArray[np.float64]) -> float:
    """Return the probability of a first value among those after it, by their number or by a fitted tail."""
    observed, drawn = float(values[0]), values[1:]
    beyond = int((drawn >= observed - 1e-6).sum())
    share = (beyond + 1) / (len(drawn) + 1)
    if beyond >= _COUNTED or not drawn.std():
        return share
    return min(share, _fitted(drawn).tail(observed))


def _fitted(drawn: NDArray[np.float64]) -> Largest:
    mean, spread = float(drawn.mean()), max(1e-9, float(drawn.std()))
    return Largest(mean, spread, max(_LEAST_SKEW, float((((drawn - mean) / spread) ** 3).mean())))


def sequence_scores(
    items: KeyedItems, order: NDArray[np.int64], lags: Sequence[int], rng: np.random.Generator
) -> Tested:
    """Return how well the keys of the items before an item tell its own.

    Of each lag it is counted how often the key is so many letters further, and this is compared with the same keys in
    other orders, so that a frequent letter alone tells nothing; the count that is farthest above these counts.

    Args:
        items: The items.
        order: Rows of the items in the order of their source.
        lags: Distances to items before.
        rng: Generator of the draws.
    """
    right, options = items.right[order], items.options[order]
    most = int(options.max())
    drawn = np.repeat(right[:, None], 1 + _DRAWS, axis=1)
    for count in np.unique(options).tolist():
        of_count = np.flatnonzero(options == count)
        drawn[of_count, 1:] = rng.permuted(drawn[of_count, 1:], axis=0)
    deviations = np.zeros((len(lags) * most, drawn.shape[1]))
    for number, lag in enumerate(lags):
        step = (drawn[lag:] - drawn[:-lag]) % options[lag:, None]
        for further in range(most if len(right) > lag else 0):
            counts = (step == further).sum(axis=0)
            spread = counts[1:].std()
            if spread > 0:
                deviations[number * most + further] = (counts - counts[1:].mean()) / spread
    p = _tail(deviations.max(axis=0))
    best = int(deviations[:, 0].argmax())
    lag, further = lags[best // most], best % most
    scores = np.where(items.exists, 0.0, np.nan)
    told = (right[:-lag] + further) % options[lag:]
    scores[order[lag:], told] = 1.0
    return Tested(p, scores, (best,), (float(deviations[best, 0]),), _fitted(deviations[:, 1:].max(axis=0)))
