"""A text-only baseline: a classifier that guesses the right option from words alone, trained on other items.

It shows how much the texts of a benchmark reveal. The classifier is a conditional logistic regression over an item's
options, on hashed features of the words of question and option. It is cross-validated in five folds, so that it answers
only items outside its training set. Items that share a group key, directly or through others, are in the same fold. The
baseline `text_classifier` and the filter `wording_bias` use it.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import digest
from benchwright.statistics.components import components_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDS = 5
FEATURES = 1 << 16
PENALTY = 1e-3
ROUNDS = 150
_TIE = 1e-9
"""Largest difference between tied scores: sums in another order differ in the last bits."""
_WORD = re.compile(r"\w+")
_FEW = 6
"""Largest number of items that share an option, and of items that form a group."""
_AROUND = " \t\n.;,"


class ItemWords(NamedTuple):
    """The words of an item.

    Args:
        item_id: Id of the item.
        task: Task of the item.
        question: Text of the question.
        options: Key and text of each option, in order; an option that is a picture has no text.
        key: Key of the right option; any value if it is unknown and the item is not used for training.
        group_keys: Group keys of the item; items that share one stay in one fold.
    """

    item_id: str
    task: str
    question: str
    options: tuple[tuple[str, str], ...]
    key: str
    group_keys: tuple[str, ...]


def joined_by_options(items: Sequence[ItemWords]) -> list[ItemWords]:
    """Return items with additional group keys for those that share two options found in few other items.

    Questions about one problem, such as its steps and the whole problem, often have the same options, and one reveals
    the key of the other. Options from a vocabulary, which many items have, link no items. Neither do options such as
    years, of which each item shares some with the next.

    Args:
        items: The items.

    Example:
        >>> steps = [ItemWords(f"q{n}", "t", "?", (("A", "31.4 cm"), ("B", "62.8 cm")), "A", ()) for n in range(2)]
        >>> [len(item.group_keys) for item in joined_by_options(steps)]
        [1, 1]
    """
    offered = [sorted({text.strip(_AROUND).casefold() for _, text in item.options}) for item in items]
    counts = Counter(text for texts in offered for text in texts)
    few = min(_FEW, max(2, len(items) // 50))
    pairs = [list(combinations([text for text in texts if 1 < counts[text] <= few], 2)) for texts in offered]
    shared = Counter(pair for of_item in pairs for pair in of_item)
    problems = components_of(["\n".join(pair) for pair in of_item if shared[pair] > 1] for of_item in pairs)
    sizes = Counter(problems)
    return [
        item._replace(group_keys=(*item.group_keys, f"options:{problem}")) if 1 < sizes[problem] <= _FEW else item
        for item, problem in zip(items, problems, strict=True)
    ]


def folds_of(items: Sequence[ItemWords]) -> list[int]:
    """Return each item's fold, 0 to `FOLDS` - 1; items that share a group key are in the same fold.

    Groups are assigned from the largest to the smallest, ties in the order of a hash, each to the fold with the fewest
    items.
    """
    groups: dict[int, list[int]] = {}
    for number, component in enumerate(components_of(item.group_keys for item in items)):
        groups.setdefault(component, []).append(number)
    drawn = sorted(groups.values(), key=lambda g: (-len(g), digest(min(items[k].item_id for k in g))))
    sizes, folds = [0] * FOLDS, [0] * len(items)
    for group in drawn:
        fold = sizes.index(min(sizes))
        sizes[fold] += len(group)
        for number in group:
            folds[number] = fold
    return folds


class _KnownItem(NamedTuple):
    """An item from which to learn, with the features of each option."""

    words: ItemWords
    features: list[NDArray[np.int64]]


def weights_of_folds(items: Sequence[ItemWords], folds: Sequence[int]) -> list[NDArray[np.float64] | None]:
    """Return, for each fold, the weights trained on all other folds; None if there are no training data."""
    return _weights(_known(items), folds)


def _known(items: Sequence[ItemWords], *, with_places: bool = True) -> list[_KnownItem]:
    import numpy as np

    return [_KnownItem(item, [np.array(cells) for cells in _features_of(item, with_places)]) for item in items]


def _weights(known: Sequence[_KnownItem], folds: Sequence[int]) -> list[NDArray[np.float64] | None]:
    return [
        _learn([item for item, its in zip(known, folds, strict=True) if its != fold]) if known else None
        for fold in range(FOLDS)
    ]


def held_out_guesses(items: Sequence[ItemWords], folds: Sequence[int], *, with_places: bool = True) -> list[str]:
    """Return, for each item, the key that `guess` returns with the weights trained on all other folds.

    Args:
        items: Items to learn from and to answer.
        folds: Fold of each item (`folds_of`).
        with_places: Whether the classifier learns the positions of options in addition to their words, so that keys of
            one letter help it.
    """
    known = _known(items, with_places=with_places)
    weights = _weights(known, folds)
    return [_best_option(item, weights[fold]) for item, fold in zip(known, folds, strict=True)]


def guess(item: ItemWords, weights: NDArray[np.float64] | None) -> str:
    """Return the key of the option with the highest score; if there are no weights, of the first option."""
    return _best_option(_known([item])[0], weights)


def _best_option(item: _KnownItem, weights: NDArray[np.float64] | None) -> str:
    options = item.words.options
    if weights is None:
        return options[0][0]
    totals = [float(weights[cells].sum()) / len(cells) ** 0.5 for cells in item.features]
    best = [key for (key, _), total in zip(options, totals, strict=True) if total >= max(totals) - _TIE]
    # The first of tied options would always be A, which may be right in all items.
    return best[0] if len(best) == 1 else best[int(digest(item.words.item_id)[:8], 16) % len(best)]


class WordLearner:
    """Learns from a selection of the items, once per selection, and scores the options of all items.

    Args:
        items: The items.
    """

    def __init__(self, items: Sequence[ItemWords]) -> None:
        import numpy as np

        self._known = _known(items)
        features = [
            (row, place, cells) for row, item in enumerate(self._known) for place, cells in enumerate(item.features)
        ]
        self._rows, self._places = [row for row, _, _ in features], [place for _, place, _ in features]
        self._lengths = np.array([len(cells) for _, _, cells in features])
        self._cells = np.concatenate([cells for _, _, cells in features]) if features else np.zeros(0, np.int64)
        self._scored: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def scores(self, learned: Sequence[int], most_options: int) -> NDArray[np.float64]:
        """Return the score of each option of all items, shape (items, `most_options`); NaN where an item has fewer.

        Args:
            learned: Indices of the items from which to learn.
            most_options: Largest number of options of an item.
        """
        import numpy as np

        learns_from = tuple(learned)
        if learns_from not in self._scored:
            self._scored[learns_from] = self._learned(learns_from)
        scores = np.full((len(self._known), most_options), np.nan)
        scores[self._rows, self._places] = self._scored[learns_from]
        return scores

    def _learned(self, learned: Sequence[int]) -> NDArray[np.float64]:
        """Return the scores of the options, one item after another."""
        import numpy as np

        weights = _learn([self._known[row] for row in learned])
        if weights is None or not len(self._cells):
            return np.zeros(len(self._lengths))
        totals = np.add.reduceat(weights[self._cells], np.cumsum(self._lengths) - self._lengths)
        return np.asarray(totals / np.sqrt(self._lengths), np.float64)


def _features_of(item: ItemWords, with_places: bool) -> list[list[int]]:
    """Return the hashed features of each option: its words and, if requested, its position."""
    question_words = _words(item.question)
    texts = [text.strip() for _, text in item.options]
    lengths = sorted({len(text) for text in texts}, reverse=True)
    features = []
    for (key, _), text in zip(item.options, texts, strict=True):
        words = _words(text)
        names = [f"place {key} of {len(texts)}", f"place {key} in {item.task}"] if with_places else []
        names += [f"length rank {lengths.index(len(text))}", f"words {min(len(words), 20)}"]
        names += [f"shares {min(len(set(words) & set(question_words)), 5)}", f"text {text.lower()}"]
        names += [f"word {word}" for word in words]
        names += [f"{word} after {neighbour}" for word in set(words) for neighbour in set(question_words)]
        features.append([zlib.crc32(name.encode("utf-8", "surrogatepass")) % FEATURES for name in sorted(set(names))])
    return features


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())[:64]


def _learn(items: Sequence[_KnownItem]) -> NDArray[np.float64] | None:
    """Return weights trained to make the right options likely; None if there are no training data.

    Training is gradient ascent with Nesterov's momentum, starting at zero, for a fixed number of rounds: the same items
    in the same order give the same weights.
    """
    import numpy as np
    from scipy import sparse

    if not items:
        return None
    rows: Any = [
        (cells, item.words.key == key)
        for item in items
        for cells, (key, _) in zip(item.features, item.words.options, strict=True)
    ]
    counts = np.array([len(cells) for cells, _ in rows])
    # Only the weights of cells that occur in some option ever leave zero, so only they are trained.
    used, cells = np.unique(np.concatenate([cells for cells, _ in rows]), return_inverse=True)
    ends = np.concatenate([[0], np.cumsum(counts)])
    # Sums over the cells of options, and over the options of cells, each in the order of the options.
    of_options = sparse.csr_array((np.ones(len(cells)), cells, ends), shape=(len(rows), len(used)))
    of_cells = of_options.T.tocsr()
    scale = 1 / np.sqrt(counts)
    right = np.array([float(is_right) for _, is_right in rows])
    options = np.array([len(item.words.options) for item in items])
    starts = np.concatenate([[0], np.cumsum(options)[:-1]])
    weights = ahead = np.zeros(len(used))
    step = 1 / (1 + PENALTY)  # features of an option have length 1, so the slope changes no faster than this
    for number in range(ROUNDS):
        scores = of_options @ ahead * scale
        scores -= np.repeat(np.maximum.reduceat(scores, starts), options)
        chances = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, starts), options)
        gradient = of_cells @ ((right - chances) * scale) / len(items) - PENALTY * ahead
        moved = ahead + step * gradient
        ahead = moved + number / (number + 3) * (moved - weights)
        weights = moved
    everywhere = np.zeros(FEATURES)
    everywhere[used] = weights
    return everywhere
