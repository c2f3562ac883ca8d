"""Tests of whether measures reveal the right option, exact for uniform keys, and the choices that a learner makes.

Measures of an item's options, minus their mean, make one row per option. Three learners use them:

- the strongest single measure: for each measure, the sum over right options in units of its standard deviation under
  uniform keys (the score test of a conditional logistic regression); the largest of all is used (P. H. Westfall, S. S.
  Young, "Resampling-based multiple testing", 1993);
- the template: right options minus wrong options in other folds, by which options are scored;
- ridge regression on the options of other folds.

The latter two are judged by how far the right option of a held-out item lies above its others, which reveals more than
how often it comes first. All three are linear in the keys, so that keys can be drawn thousands of times. A draw shifts
all keys of a cluster by the same number, which preserves what its items share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_FIRST_DRAWS, _DRAWS = 199, 1999
_DOUBTFUL = 0.1
"""p-value of the first draws at which no further draws are made."""
_COUNTED = 1
"""Number of draws at least as extreme as the measured value from which on the p-value is their share; with fewer, a
distribution of Pearson's type III is fitted to the tail (J. Josse, J. Pages, F. Husson, "Testing the significance of
the RV coefficient", Computational Statistics & Data Analysis 53 (2008))."""
_LEAST_SKEW = 0.5
_CLIP = 4.0
_SINGLES = 3
"""Number of measures used by the learner of single measures."""
_WAYS = 3
_TOGETHER = 128
"""Number of measures centered at a time, so that only few of them are in memory twice."""
_ITEMS_TOGETHER = 64
"""Number of items whose options are converted to contrasts at a time."""
_DRAWS_TOGETHER = 250
"""Number of draws of keys tried at a time, which limits memory use."""
_ONE_THREAD = 10_000_000
"""Number of values up to which linear algebra uses one thread; several would mostly wait for each other."""


class KeyedItems(NamedTuple):
    """The keys of items, and their clusters.

    Args:
        right: Index of each item's right option.
        options: Number of options of each item.
        groups: Index of each item's cluster.
        folds: Fold of each item; items of a cluster are in the same fold.
    """

    right: NDArray[np.int64]
    options: NDArray[np.int64]
    groups: NDArray[np.int64]
    folds: NDArray[np.int64]

    @property
    def exists(self) -> NDArray[np.bool_]:
        """Return a mask of the options that exist, shape (items, largest number of options)."""
        return np.asarray(np.arange(int(self.options.max())) < self.options[:, None], np.bool_)

    def rows(self, chosen: NDArray[np.int64]) -> KeyedItems:
        """Return the keys of the chosen items."""
        return KeyedItems(self.right[chosen], self.options[chosen], self.groups[chosen], self.folds[chosen])


class Largest(NamedTuple):
    """A Pearson type III distribution, given by its mean, deviation and skewness."""

    mean: float
    spread: float
    skew: float

    def tail(self, value: float) -> float:
        """Return the probability of exceeding a value."""
        from scipy.special import gammaincc

        shape = 4 / self.skew**2
        return float(gammaincc(shape, max(0.0, shape + 2 * (value - self.mean) / self.spread / self.skew)))

    def limit(self, p: float) -> float:
        """Return the value that is exceeded with a given probability."""
        from scipy.special import gammainccinv

        shape = 4 / self.skew**2
        return self.mean + self.spread * self.skew / 2 * float(gammainccinv(shape, p) - shape)


class Tested(NamedTuple):
    """The result of a probe.

    Args:
        p: Probability, 0-1, of an equally good result with keys drawn uniformly.
        scores: Score of each option by the most revealing learner, held out; shape (items, most options), NaN where an
            item has fewer.
        strongest: Indices of the most revealing measures, the strongest first.
        deviations: Deviation of each of these measures in standard deviations under uniform keys; positive if the right
            option has the larger value.
        drawn: The largest deviation of a single measure under uniform keys.
    """

    p: float
    scores: NDArray[np.float64]
    strongest: tuple[int, ...]
    deviations: tuple[float, ...]
    drawn: Largest


def drawn_keys(items: KeyedItems, draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the keys, followed by the requested number of draws of them, shape (items, 1 + draws)."""
    moved = rng.integers(0, 27720, (int(items.groups.max()) + 1, draws))  # a multiple of all numbers up to 12
    keys = (items.right[:, None] + moved[items.groups]) % items.options[:, None]
    return np.concatenate([items.right[:, None], keys], axis=1)


def centred(values: NDArray[Any], items: KeyedItems, *, by_place: bool) -> Array:
    """Return measures of options minus their item's mean, in units of their deviation under uniform keys.

    Args:
        values: Measures of any numeric type, shape (items, most options, measures).
        items: The items.
        by_place: Whether also to subtract what all options with the same letter share, so that letters alone reveal
            nothing.
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


class OfItems(NamedTuple):
    """Measures of whole items that all have the same number of options, each used once per letter.

    For a letter, a measure x of an item with n options is x (1 - 1/n) in the row of that option and -x/n in the others.
    Any linear function of such rows is a sum over items, so that rows of options need not be made.

    Args:
        values: Measures, shape (items, measures), in units of their deviation under uniform keys.
        options: Number of options of each item.
        letters: Number of letters for which each measure is used: all, or only the first of two, since the second
            repeats it.
    """

    values: Array
    options: int
    letters: int

    @property
    def size(self) -> int:
        """Return the number of values."""
        return self.values.size

    def any(self) -> bool:
        """Return whether any measure differs from zero."""
        return bool(self.values.any())

    def rows(self) -> Array:
        """Return the measures as rows of options, shape (items, options, letters times measures)."""
        return self.columns(np.arange(self.letters * self.values.shape[1]))

    def columns(self, numbers: NDArray[np.int64]) -> Array:
        """Return the columns of `rows` with the given indices."""
        letters, measures = np.divmod(numbers, self.values.shape[1])
        parts = np.eye(self.options, dtype=np.float32)[:, letters] - np.float32(1 / self.options)
        return np.asarray(parts * self.values[:, None, measures], np.float32)


def of_letters(values: Array, items: KeyedItems) -> OfItems:
    """Return measures of whole items in the form that `centred` gives to rows, once per letter.

    Args:
        values: Measures less their mean over the items, shape (items, measures).
        items: The items, which all have the same number of options.
    """
    options = int(items.options[0])
    own, other = values * np.float32(1 - 1 / options), values * np.float32(-1 / options)
    size = np.square(values, dtype=np.float64).mean(axis=0) * (options - 1) / options**2
    limit = (_CLIP * np.sqrt(size)).astype(np.float32)
    apart = np.clip(own, -limit, limit) - np.clip(other, -limit, limit)
    scale = np.sqrt(np.square(apart, dtype=np.float64).sum(axis=0) * (options - 1) / options**2)
    found = np.asarray(np.where(scale > 1e-9, apart / np.maximum(scale, 1e-9), 0), np.float32)
    return OfItems(found, options, 1 if options == 2 else options)


def tested(measures: Array | OfItems, items: KeyedItems, rng: np.random.Generator) -> Tested:
    """Test how well measures reveal the right option.

    Args:
        measures: Measures of options (`centred`), shape (items, most options, measures), or of whole items.
        items: The items.
        rng: Random generator for the draws.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1 if measures.size < _ONE_THREAD else None):
        return _tested(measures, items, rng)


def _tested(measures: Array | OfItems, items: KeyedItems, rng: np.random.Generator) -> Tested:
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


def _contrasts(options: int) -> Array:
    """Return orthonormal columns that are orthogonal to a constant, shape (options, options - 1) (Helmert, 1876)."""
    found = np.zeros((options, max(0, options - 1)))
    for column in range(options - 1):
        found[: column + 1, column] = 1
        found[column + 1, column] = -(column + 1)
        found[:, column] /= np.sqrt((column + 1) * (column + 2))
    return found.astype(np.float32)


class _Learners:
    """The three learners applied to one set of measures.

    Measures and targets sum to 0 over the options of an item. An item with n options therefore has n - 1 rows, which
    are contrasts of its options. With measures of whole items, it has one row, and n - 1 columns of targets per draw.
    Rows are sorted by fold.
    """

    def __init__(self, measures: Array | OfItems, items: KeyedItems) -> None:
        self.items, self.measures = items, measures
        self.order = np.argsort(items.folds, kind="stable")
        self.options = items.options[self.order]
        self.contrasts = {count: _contrasts(count) for count in np.unique(self.options).tolist()}
        self.letters = measures.letters if isinstance(measures, OfItems) else 0
        rows = measures.values[self.order] if isinstance(measures, OfItems) else self._rows_of(measures)
        self.item = np.repeat(np.arange(len(self.order)), 1 if self.letters else self.options - 1)
        used = (rows.max(axis=0, initial=0) > 0) | (rows.min(axis=0, initial=0) < 0)
        self.used, self.given = np.flatnonzero(used), len(used)
        self.rows = rows if used.all() else np.ascontiguousarray(rows[:, used])
        self.is_dual = len(self.rows) <= self.rows.shape[1]
        self.gram = self.rows @ self.rows.T if self.is_dual else self.rows.T @ self.rows
        self.sizes = np.einsum("ij,ij->i", self.rows, self.rows)
        folds = items.folds[self.order][self.item]
        self.parts = [self._part(folds == fold) for fold in np.unique(folds).tolist()]

    def _rows_of(self, measures: Array) -> Array:
        """Return the contrasts of the options of each item."""
        starts = np.cumsum(self.options - 1) - (self.options - 1)
        found = np.empty((int((self.options - 1).sum()), measures.shape[2]), np.float32)
        for count, contrasts in self.contrasts.items():
            of_count = np.flatnonzero(self.options == count)
            for start in range(0, len(of_count), _ITEMS_TOGETHER):
                some = of_count[start : start + _ITEMS_TOGETHER]
                places = starts[some, None] + np.arange(count - 1)
                found[places] = contrasts.T @ measures[self.order[some], :count]
        return found

    def _part(self, test: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Array | None]:
        """Return the held-out rows, and the matrix that gives their ridge scores from the other rows."""
        if test.all():
            return test, None
        gram = self.gram[np.ix_(~test, ~test)] if self.is_dual else self.gram - self.rows[test].T @ self.rows[test]
        beside = self.gram[np.ix_(~test, test)] if self.is_dual else np.ascontiguousarray(self.rows[test].T)
        return test, _solved(gram, self._penalty(test), beside).T

    def _penalty(self, test: NDArray[np.bool_]) -> float:
        """Return the mean of the diagonal of the smaller of two Gram matrices: of the rows or of the measures."""
        trained = np.unique(self.item[~test])
        each = int(self.options[0] - 1) if self.letters else 1
        size = float(self.sizes[~test].sum()) * each
        measures = len(self.used) * max(1, self.letters)
        return size / (int(self.options[trained].sum()) if int(self.options.sum()) <= max(measures, 1) else measures)

    def _targets(self, keys: NDArray[np.int64]) -> Array:
        """Return the targets as contrasts: 1 for a right option and 0 for others, minus their mean; shape (rows,
        draws), or more for whole items.
        """
        keys = keys[self.order]
        if self.letters:
            of_key = self.contrasts[int(self.options[0])][keys]
            return np.ascontiguousarray(np.moveaxis(of_key, 2, 1)).reshape(len(keys), -1)
        return np.take_along_axis(self._lookup(), keys[self.item], axis=1)

    def _lookup(self) -> Array:
        """Return the target of each row for every possible key, shape (rows, largest number of options)."""
        found = np.zeros((len(self.rows), int(self.options.max())), np.float32)
        for count, contrasts in self.contrasts.items():
            of_count = self.options[self.item] == count
            found[of_count, :count] = np.tile(contrasts.T, (int(of_count.sum()) // max(1, count - 1), 1))
        return found

    def _by_measure(self, answers: Array, draws: int) -> Array:
        """Return sums over contrasts as sums over right options; shape (measures in the order given, draws)."""
        if not self.letters:
            return answers
        contrasts = self.contrasts[int(self.options[0])][: self.letters]
        parts = contrasts @ answers.reshape(len(self.used), -1, draws)
        return np.moveaxis(parts, 1, 0).reshape(-1, draws)

    def _places(self) -> NDArray[np.int64]:
        """Return the indices of the measures in use, in their original order."""
        return (np.arange(max(1, self.letters))[:, None] * self.given + self.used).ravel()

    def singles(self, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the deviation of each measure for one vector of keys, in the order of the measures given."""
        found = np.zeros(self.given * max(1, self.letters))
        found[self._places()] = self._by_measure(self.rows.T @ self._targets(keys[:, None]), 1)[:, 0]
        return found

    def p_values(self, keys: NDArray[np.int64]) -> tuple[float, int, NDArray[np.float64]]:
        """Return the joint p-value of all learners, the most revealing one, and the largest deviation per draw."""
        parts = [
            self._ways(keys[:, start : start + _DRAWS_TOGETHER]) for start in range(0, keys.shape[1], _DRAWS_TOGETHER)
        ]
        ways = [np.concatenate(way) for way in zip(*parts, strict=True)]
        values = [_tail(way) for way in ways]
        best = int(np.argmin(values))
        return min(1.0, _WAYS * values[best]), best, ways[0][1:]

    def _ways(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
        """Return the result of each learner for each draw: the largest deviation, and two margins."""
        targets = self._targets(keys)
        answers = self.rows.T @ targets
        single = self._by_measure(answers, keys.shape[1])
        most = np.maximum(single.max(axis=0, initial=0), -single.min(axis=0, initial=0)).astype(np.float64)
        margins = (self._margin(scores, targets, keys.shape[1]) for scores in self._held_out(targets, answers))
        return most, *margins

    def _held_out(self, targets: Array, answers: Array) -> tuple[Array, Array]:
        """Return the scores of the template and of ridge regression for all draws, in the shape of the targets."""
        template, ridge = np.zeros_like(targets), np.zeros_like(targets)
        for test, smoother in self.parts:
            if smoother is None:
                continue
            if self.is_dual:
                trained = targets[~test]
                template[test] = self.gram[np.ix_(test, ~test)] @ trained
            else:
                trained = answers - self.rows[test].T @ targets[test]
                template[test] = self.rows[test] @ trained
            ridge[test] = smoother @ trained
        return template, ridge

    def _margin(self, scores: Array, targets: Array, draws: int) -> NDArray[np.float64]:
        """Return by how much right options exceed the mean of their item, in units of its deviation."""
        shape = (len(scores), -1, draws)
        share = (1 / self.options[self.item])[:, None, None].astype(np.float32)
        variance = (np.square(scores).reshape(shape) * share).sum(axis=(0, 1), dtype=np.float64)
        margin = (scores * targets).reshape(shape).sum(axis=(0, 1), dtype=np.float64)
        return np.asarray(margin / np.sqrt(np.maximum(variance, 1e-30)), np.float64)

    def scores(self, way: int, right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the held-out scores of one learner, shape (items, largest number of options)."""
        targets = self._targets(right[:, None])
        answers = self.rows.T @ targets
        found = np.full(self.items.exists.shape, np.nan)
        if way == 0:
            strongest = self._by_strongest(targets, answers)
            found[self.items.exists] = np.round(strongest[self.items.exists], 7)
            return found
        flat = self._held_out(targets, answers)[way - 1].astype(np.float64)
        for count, contrasts in self.contrasts.items():
            of_count = self.options == count
            parts = flat[of_count[self.item]].reshape(int(of_count.sum()), count - 1)
            # Rounded, since the last bits depend on the build of NumPy.
            found[self.order[of_count], :count] = np.round(parts @ contrasts.T, 7)
        return found

    def _by_strongest(self, targets: Array, answers: Array) -> NDArray[np.float64]:
        """Return the scores from the strongest single measures of other folds, shape (items, largest number of
        options).
        """
        scores = np.zeros(self.items.exists.shape)
        for test, smoother in self.parts:
            if smoother is None:
                continue
            weights = self._by_measure(answers - self.rows[test].T @ targets[test], 1)[:, 0]
            strongest = np.argsort(-np.abs(weights), kind="stable")[:_SINGLES]
            columns = self._places()[strongest]
            held_out = self.order[np.unique(self.item[test])]
            # Rows of options, not contrasts: tied options must tie exactly.
            if isinstance(self.measures, OfItems):
                rows = self.measures._replace(values=self.measures.values[held_out]).columns(columns)
            else:
                rows = self.measures[held_out[:, None], :, columns].swapaxes(1, 2)
            scores[held_out] = rows @ weights[strongest]
        return scores


def _solved(gram: Array, penalty: float, targets: Array) -> Array:
    """Return the solution of ridge regression with a given penalty."""
    from scipy.linalg import solve

    gram[np.diag_indices_from(gram)] += max(1e-9, penalty)
    return np.asarray(solve(gram, targets, assume_a="pos", overwrite_a=True, check_finite=False), np.float32)


def _tail(values: NDArray[np.float64]) -> float:
    """Return the probability of reaching the first value under the distribution of the later ones, from their ranks or
    from a fitted tail.
    """
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
    """Return how well the keys of preceding items reveal the key of each item.

    For each lag, the number of keys that are a given number of letters further on is compared with the same keys in
    random order, so that a frequent letter alone reveals nothing. The result is that of the count with the largest
    excess.

    Args:
        items: The items.
        order: Rows of the items in the order of their source.
        lags: Distances to preceding items.
        rng: Random generator for the draws.
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
