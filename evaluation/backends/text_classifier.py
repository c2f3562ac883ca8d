"""A baseline that learns from words alone: can anybody guess the key who has never seen a picture?

A conditional logistic regression over an item's options, on hashed features of the words of question and option. It
learns on all other items of the release and answers those that it did not learn from (five folds; items that share a
group key, directly or through others, lie in one fold). What it reaches above chance is what the texts give away.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest

from ..questions import Question, Reply
from .base import Asking, Backend, Labelled, Options, without_argument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDS = 5
FEATURES = 1 << 16
PENALTY = 1e-3
ROUNDS = 150
_WORD = re.compile(r"\w+")


def text_classifier(argument: str, options: Options) -> Backend:
    """Return the baseline that learns which options are right from questions and options alone."""
    del options
    without_argument("text_classifier", argument)
    return TextClassifier()


class TextClassifier:
    """Learns on the release's own questions and answers each from folds that it is not in."""

    name = "text_classifier"
    tasks = None
    settings = {"version": 1, "folds": FOLDS, "features": FEATURES, "penalty": PENALTY, "rounds": ROUNDS}  # noqa: RUF012

    def answer(self, questions: Iterable[Question], asking: Asking) -> Generator[Reply]:
        """Yield replies one by one, once everything has been learned."""
        known = list(asking.labelled())
        folds = folds_of(known)
        fold_of = {one.question.item_id: fold for one, fold in zip(known, folds, strict=True)}
        weights = [
            _learn([one for one, its in zip(known, folds, strict=True) if its != fold]) if known else None
            for fold in range(FOLDS)
        ]
        for question in questions:
            # An item without a right option was learned from by nobody: any fold's weights will do.
            yield Reply(question.item_id, text=_guess(question, weights[fold_of.get(question.item_id, 0)]))


def folds_of(items: Sequence[Labelled]) -> list[int]:
    """Return each item's fold, 0 to `FOLDS` - 1; items that share a group key have the same.

    Groups are taken largest first, equals in an order drawn by hash, and each goes where the fewest items are.
    """
    parent = list(range(len(items)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    first: dict[str, int] = {}
    for number, one in enumerate(items):
        for key in one.group_keys:
            parent[root(number)] = root(first.setdefault(key, number))
    groups: dict[int, list[int]] = {}
    for number in range(len(items)):
        groups.setdefault(root(number), []).append(number)
    drawn = sorted(groups.values(), key=lambda g: (-len(g), digest(min(items[k].question.item_id for k in g))))
    sizes, folds = [0] * FOLDS, [0] * len(items)
    for group in drawn:
        fold = sizes.index(min(sizes))
        sizes[fold] += len(group)
        for number in group:
            folds[number] = fold
    return folds


def features_of(question: Question) -> list[list[int]]:
    """Return the hashed features that each option has."""
    asked = _words(question.text)
    texts = [(choice.text or "").strip() for choice in question.choices]
    lengths = sorted({len(text) for text in texts}, reverse=True)
    found = []
    for choice, text in zip(question.choices, texts, strict=True):
        words = _words(text)
        names = [f"place {choice.key} of {len(texts)}", f"place {choice.key} in {question.task}"]
        names += [f"length rank {lengths.index(len(text))}", f"words {min(len(words), 20)}"]
        names += [f"shares {min(len(set(words) & set(asked)), 5)}", f"text {text.lower()}"]
        names += [f"word {word}" for word in words]
        names += [f"{word} after {other}" for word in set(words) for other in set(asked)]
        found.append([zlib.crc32(name.encode("utf-8", "surrogatepass")) % FEATURES for name in sorted(set(names))])
    return found


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())[:64]


def _guess(question: Question, weights: NDArray[np.float64] | None) -> str:
    if weights is None:
        return f"({question.choices[0].key})"
    totals = [float(weights[cells].sum()) / len(cells) ** 0.5 for cells in features_of(question)]
    return f"({question.choices[totals.index(max(totals))].key})"


def _learn(items: Sequence[Labelled]) -> NDArray[np.float64] | None:
    """Return the weights that make the right options likely; None where there is nothing to learn from.

    Gradient ascent with Nesterov's momentum, a fixed number of rounds from zero: the same items in the same order
    give the same weights.
    """
    import numpy as np

    if not items:
        return None
    rows: Any = [(cells, one.key == choice.key) for one in items
                 for cells, choice in zip(features_of(one.question), one.question.choices, strict=True)]  # fmt: skip
    counts = np.array([len(cells) for cells, _ in rows])
    cells = np.concatenate([np.array(cells) for cells, _ in rows])
    row_of = np.repeat(np.arange(len(rows)), counts)
    scale = 1 / np.sqrt(counts)
    right = np.array([float(is_right) for _, is_right in rows])
    options = np.array([len(one.question.choices) for one in items])
    starts = np.concatenate([[0], np.cumsum(options)[:-1]])
    weights = ahead = np.zeros(FEATURES)
    step = 1 / (1 + PENALTY)  # features of an option have length 1, so the slope changes no faster than this
    for number in range(ROUNDS):
        scores = np.bincount(row_of, weights=ahead[cells], minlength=len(rows)) * scale
        scores -= np.repeat(np.maximum.reduceat(scores, starts), options)
        chances = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, starts), options)
        pull = np.repeat((right - chances) * scale, counts)
        gradient = np.bincount(cells, weights=pull, minlength=FEATURES) / len(items) - PENALTY * ahead
        moved = ahead + step * gradient
        ahead = moved + number / (number + 3) * (moved - weights)
        weights = moved
    return weights
