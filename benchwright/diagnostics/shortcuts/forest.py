"""A random forest over all cues of a task, trained on the items of other clusters, and the cues on which it relies.

Each option is one example, right or wrong; the probabilities of an item's options are scaled to sum to 1. The
probability of the key, out of fold, is the item's bias score, as in the Test-set Stress-Test (E. Brown et al. 2025,
arXiv 2511.04655), here relative to chance. Trees: L. Breiman, "Random forests", Machine Learning 45 (2001), 5-32.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.shortcuts.text_only_baseline import FOLDS
from benchwright.errors import PrerequisiteError
from benchwright.seeds import generator_for, seed_for

from .cue_table import CueTable, Floats
from .picks import Picks, best_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEAST_ITEMS = 40
"""Smallest number of items for a forest: with fewer, it would learn nothing and its accuracy would have wide
intervals."""
_TREES = 60
_MOST_EXAMPLES = 6000
"""Largest number of examples from which a tree is grown."""
_DEPTH, _LEAF = 10, 5
_ONE_THREAD = 4000
"""Number of examples up to which one thread grows a forest; several would mostly wait for each other."""
_PERMUTED_ITEMS = 1000
"""Largest number of items on which the weights of cues are measured."""
_MISSING = -9.0
"""Placeholder for a value that cannot be measured; it is smaller than any cue except differences of positions."""


class Forest(NamedTuple):
    """A forest's result for the items of a task.

    Args:
        probability: Out-of-fold probability of each option, with sum 1 over an item's options; shape (items, most
            options).
        picks: The options with the highest probability.
        weights: Loss of accuracy, 0-1, when the values of one cue are exchanged between items, by title of the cue,
            largest first; empty unless requested.
    """

    probability: Floats
    picks: Picks
    weights: Mapping[str, float]

    def bias(self, table: CueTable) -> Floats:
        """Return the bias score of each item: the probability of its key above chance, -1 to 1."""
        key = self.probability[np.arange(len(table.right)), table.right]
        return np.asarray(key - 1 / table.options, np.float64)


class _Examples(NamedTuple):
    """The options of all items as examples.

    Args:
        rows: Index of each example's item.
        places: Index of each example's option.
        features: Features, shape (examples, columns).
        columns: Columns of each cue, by its title.
    """

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    features: NDArray[np.float32]
    columns: Mapping[str, tuple[int, ...]]


def require_forests() -> None:
    """Check that scikit-learn can grow forests.

    Raises:
        PrerequisiteError: scikit-learn is not installed.
    """
    if find_spec("sklearn") is None:
        raise PrerequisiteError("growing a forest needs scikit-learn: pip install 'benchwright[filters]'")


def forest_of(table: CueTable, *, seed: int, is_weighed: Callable[[Picks], bool] = lambda _: False) -> Forest | None:
    """Return a forest's result for each item after training on the items of other clusters.

    The result is None if there are fewer than `LEAST_ITEMS` items, no cues, or fewer than two folds.

    Args:
        table: The items.
        seed: Seed of the trees.
        is_weighed: Function from the forest's picks to whether to measure the weights of its cues (permutation
            importance, Breiman 2001); by default, weights are not measured.

    Raises:
        PrerequisiteError: scikit-learn is not installed.
    """
    grown = _grown(table, seed)
    if grown is None:
        return None
    forest = grown.forest(table)
    return forest._replace(weights=grown.weights(table, seed)) if is_weighed(forest.picks) else forest


class _Grown(NamedTuple):
    """The forests of all folds, with the examples from which they grew."""

    examples: _Examples
    forests: tuple[Any, ...]

    def forest(self, table: CueTable) -> Forest:
        probability = self.probability(table, self.examples.features, np.ones(len(table.right), np.bool_))
        return Forest(probability, best_options(probability, table.exists), {})

    def probability(self, table: CueTable, features: NDArray[np.float32], rows: NDArray[np.bool_]) -> Floats:
        """Return the probability of each option of some items, from the forest that was not trained on the item."""
        probability = np.full(table.exists.shape, np.nan)
        folds = table.folds[self.examples.rows]
        for fold, forest in enumerate(self.forests):
            of_fold = (folds == fold) & rows[self.examples.rows]
            if forest is not None and of_fold.any():
                right = forest.predict_proba(features[of_fold])[:, list(forest.classes_).index(1)]
                probability[self.examples.rows[of_fold], self.examples.places[of_fold]] = right
        probability = np.where(table.exists & np.isnan(probability), 1 / table.options[:, None], probability)
        probability = np.maximum(probability, 1e-6)
        # Rounded, since the last bit depends on the build of NumPy.
        return np.asarray(np.round(probability / np.nansum(probability, axis=1, keepdims=True), 9), np.float64)

    def weights(self, table: CueTable, seed: int) -> dict[str, float]:
        """Return the loss of accuracy when a cue's values come from another item with the same number of options."""
        rng = generator_for(seed, "shortcuts", table.task, "permutation")
        rows = np.sort(rng.permutation(len(table.right))[:_PERMUTED_ITEMS])
        chosen = np.zeros(len(table.right), np.bool_)
        chosen[rows] = True
        features = self.examples.features
        before = self._accuracy(table, features, chosen)
        start = np.searchsorted(self.examples.rows, np.arange(len(table.right)))
        source = np.arange(len(features))
        for options in np.unique(table.options[rows]).tolist():
            alike = rows[table.options[rows] == options]
            for place in range(options):
                source[start[alike] + place] = start[rng.permutation(alike)] + place
        falls = {}
        for title, columns in self.examples.columns.items():
            permuted = features.copy()
            permuted[:, columns] = features[source][:, columns]
            falls[title] = round(before - self._accuracy(table, permuted, chosen), 4)
        return dict(sorted(falls.items(), key=lambda entry: (-entry[1], entry[0])))

    def _accuracy(self, table: CueTable, features: NDArray[np.float32], rows: NDArray[np.bool_]) -> float:
        picks = best_options(self.probability(table, features, rows), table.exists)
        return float(picks.right(table)[rows].mean())


def _grown(table: CueTable, seed: int) -> _Grown | None:
    require_forests()
    if len(table.items) < LEAST_ITEMS or not (table.of_options or table.of_items):
        return None
    examples = _examples(table)
    folds = table.folds[examples.rows]
    is_right = table.is_right[examples.rows, examples.places]
    if len(np.unique(table.folds)) < 2:
        return None
    forests = [_fitted(table, examples, is_right, folds != fold, fold, seed) for fold in range(FOLDS)]
    return _Grown(examples, tuple(forests))


def _fitted(
    table: CueTable,
    examples: _Examples,
    is_right: NDArray[np.bool_],
    train: NDArray[np.bool_],
    fold: int,
    seed: int,
) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    if len(np.unique(is_right[train])) < 2:
        return None
    forest = RandomForestClassifier(
        n_estimators=_TREES,
        max_depth=_DEPTH,
        min_samples_leaf=_LEAF,
        max_samples=min(1.0, _MOST_EXAMPLES / int(train.sum())),
        random_state=seed_for(seed, "shortcuts", table.task, fold) % 2**32,
        n_jobs=1 if train.sum() <= _ONE_THREAD else -1,
    )
    forest.fit(
        examples.features[train], is_right[train].astype(np.int8), sample_weight=_weights(table, examples, train)
    )
    # Threads add up the trees' probabilities in any order, which affects the last bit.
    return forest.set_params(n_jobs=1)


def _weights(table: CueTable, examples: _Examples, train: NDArray[np.bool_]) -> Floats:
    """Return weights of examples under which every text is right as often as by chance.

    In sets with balanced keys, a text that is right too often among the other items is right too rarely among the
    held-out items. Without these weights, a forest would learn the former, and its accuracy would fall below chance.
    """
    rows, places = examples.rows[train], examples.places[train]
    chance = 1 / table.options[rows]
    is_right = table.is_right[rows, places]
    # Options of one letter if texts have no fixed vocabulary.
    kind = table.texts[rows, places] if table.vocabulary else places
    total = np.bincount(kind)
    right = np.bincount(kind, weights=is_right) / np.maximum(1, total)
    expected = np.bincount(kind, weights=chance) / np.maximum(1, total)
    right, expected = np.clip(right, 1e-3, 1 - 1e-3)[kind], expected[kind]
    return np.asarray(np.where(is_right, expected / right, (1 - expected) / (1 - right)), np.float64)


def _examples(table: CueTable) -> _Examples:
    rows, places = np.nonzero(table.exists)
    features: list[Floats] = []
    columns: dict[str, tuple[int, ...]] = {}
    for cue in table.of_options:
        values = np.where(table.exists, cue.values, np.nan)
        known = np.isfinite(values)
        count = np.maximum(1, known.sum(axis=1, keepdims=True))
        mean = np.where(known, values, 0).sum(axis=1, keepdims=True) / count
        # Rank among the item's options: the share with a smaller value, ties counted half.
        less = (values[:, None, :] < values[:, :, None]).sum(axis=2) + 0.5 * (
            values[:, None, :] == values[:, :, None]
        ).sum(axis=2)
        kinds = (values, values - mean, np.where(known, less / count, np.nan))
        columns[cue.title] = tuple(range(len(features), len(features) + len(kinds)))
        features += [kind[rows, places] for kind in kinds]
    for cue in table.of_items:
        columns[cue.title] = (len(features),)
        features.append(cue.values[rows, places])
    if table.of_items:
        features += [(table.texts[rows, places] == number) for number in range(len(table.vocabulary))]
    matrix = np.column_stack(features).astype(np.float32)
    return _Examples(rows, places, np.where(np.isfinite(matrix), matrix, np.float32(_MISSING)), columns)
