"""The best blind strategy on a set of items: one value, chosen on some source pictures and measured on the others.

Strategies see the question, the options, their order and the task, but no picture. They are constant letters and texts,
every rule of the shortcut battery over words, lengths and numbers, the most frequent right letter of the task, the most
frequent right text, the best rule of each task, and a classifier of words. The items are divided into five parts that
share no source picture. The strategy that is best on four parts answers the fifth; on the four parts, strategies that
learn are judged by cross-validation. The value therefore does not rise with the number of strategies: if no strategy
beats chance, it is about chance, within the margin of `BlindStrategy.beats_chance`.

Source: S. Varma and R. Simon, "Bias in error estimation when using cross-validation for model selection", BMC
Bioinformatics 7 (2006), 91.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.records import Item
from benchwright.release.format.blind_strategy import BlindStrategy
from benchwright.steps import CueFamily
from benchwright.texts.normalization import normal

from .cue_table import CueTable, Floats, table_of, with_source_image
from .item_cues import ItemCues, word_cues
from .picks import LEAST_DECIDED, Picks, accuracy_of, best_options
from .rules import rule_picks
from .text_only_baseline import FOLDS, WordLearner

MOST_ITEMS = 5000
"""Largest number of items to measure, in order of their ids: enough to know a proportion to within two points."""
_MOST_LEARNED = 800
"""Largest number of items from which the classifier of words learns."""
_LEAST_OF_TASK = 10
_FITTED: frozenset[CueFamily] = frozenset({"question", "reference_position"})
"""Families whose battery rules learn from other items in the battery's folds; strategies here use their own folds."""

Rows = NDArray[np.bool_]


class _Strategy(NamedTuple):
    """A strategy.

    Args:
        name: Name of the strategy.
        shares: Function from the items to learn from to each option's share of the pick, for all items; a strategy that
            does not learn ignores the items to learn from.
        learns: Whether the strategy learns.
    """

    name: str
    shares: Callable[[Rows], Floats]
    learns: bool


def blind_strategy(items: Iterable[Item], *, cues_of: Callable[[Item], ItemCues] = word_cues) -> BlindStrategy | None:
    """Return how accurate the best blind strategy is; None if fewer than `LEAST_DECIDED` items have a right option.

    Equal items give an equal value, whatever their order.

    Args:
        items: The items; those without a right option are omitted.
        cues_of: Function that returns the cues of an item's words, if these are already known.
    """
    keyed = measured_items(items)
    if len(keyed) < LEAST_DECIDED:
        return None
    groups = [with_source_image(item.group_keys, item.root_image_id) for item in keyed]
    if len({group for keys in groups for group in keys}) < FOLDS or _are_one(groups):
        groups = [(item.item_id,) for item in keyed]  # pictures shared by all do not divide the items
    table = table_of([cues_of(item) for item in keyed], groups, without=frozenset({"question"}))
    strategies = list(_strategies(table))
    shares = np.zeros(table.exists.shape)
    chosen: Counter[str] = Counter()
    for fold in range(FOLDS):
        answered, others = table.folds == fold, table.folds != fold
        if not answered.any() or not others.any():
            continue
        best = max(strategies, key=lambda strategy: round(_accuracy(strategy, table, others), 9))
        shares[answered] = best.shares(others)[answered]
        chosen[best.name] += int(answered.sum())
    accuracy = accuracy_of(Picks(shares, np.ones(len(shares), np.bool_)), table, sides="above")
    assert accuracy is not None  # there are items, and all are decided
    low, high = accuracy.interval
    return BlindStrategy(
        strategy=min(chosen, key=lambda name: (-chosen[name], name)),
        accuracy=round(accuracy.value, 4),
        ci=(round(low, 4), round(high, 4)),
        chance=round(accuracy.chance, 4),
        items=accuracy.items,
        tried=len(strategies),
    )


def measured_items(items: Iterable[Item]) -> list[Item]:
    """Return the items to measure: the `MOST_ITEMS` with the smallest ids among those with a right option."""
    has_key = (item for item in items if item.right_key is not None)
    return nsmallest(MOST_ITEMS, has_key, key=lambda item: item.item_id)  # memory does not grow with the items


def _are_one(groups: Sequence[Sequence[str]]) -> bool:
    """Return whether too many items are linked to each other for a division into parts."""
    from benchwright.statistics.components import components_of

    sizes = Counter(components_of(groups)).values()
    return len(sizes) < FOLDS or max(sizes) > len(groups) / 2


def _accuracy(strategy: _Strategy, table: CueTable, rows: Rows) -> float:
    """Return the proportion of items that a strategy answers correctly, by cross-validation among them if it learns."""
    right = np.zeros(len(table.right))
    if strategy.learns:
        for fold in np.unique(table.folds[rows]):
            held = rows & (table.folds == fold)
            others = rows & ~held
            if others.any():
                right[held] = _right(strategy.shares(others), table)[held]
    else:
        right = _right(strategy.shares(rows), table)
    return float(right[rows].mean())


def _right(shares: Floats, table: CueTable) -> Floats:
    return np.asarray(shares[np.arange(len(table.right)), table.right], np.float64)


def _strategies(table: CueTable) -> Iterable[_Strategy]:
    """Yield all strategies, simple ones first, because ties go to the first."""
    rules = {each.solver: each.picks.shares for each in rule_picks(table, without=_FITTED)}

    def fixed(shares: Floats) -> Callable[[Rows], Floats]:
        return lambda _: shares

    for name, shares in rules.items():
        yield _Strategy(name, fixed(shares), learns=False)
    tasks = np.unique([item.task for item in table.items], return_inverse=True)[1]
    yield _Strategy("most frequent right text", _frequent_text(table), learns=True)
    if len(np.unique(tasks)) > 1:
        letters = {name: shares for name, shares in rules.items() if name.startswith("always ")}
        yield _Strategy("most frequent letter of the task", _best_of_task(table, tasks, letters), learns=True)
        yield _Strategy("best rule of the task", _best_of_task(table, tasks, rules), learns=True)
    learner = WordLearner(table.words)

    def learned(rows: Rows) -> Floats:
        some = list(islice(np.flatnonzero(rows).tolist(), _MOST_LEARNED))
        return best_options(learner.scores(some, table.exists.shape[1]), table.exists).shares

    yield _Strategy("classifier of words", learned, learns=True)


def _frequent_text(table: CueTable) -> Callable[[Rows], Floats]:
    """Return the strategy that picks the option whose text is most often right when it is offered."""
    numbers: dict[str, int] = {}
    texts = np.full(table.exists.shape, -1, np.int64)
    for row, item in enumerate(table.items):
        for place, text in enumerate(item.texts):
            if text is not None:
                texts[row, place] = numbers.setdefault(normal(text), len(numbers))
    rows, places = np.nonzero(texts >= 0)
    of_text = texts[rows, places]
    is_right = table.is_right[rows, places].astype(np.float64)
    chance = 1 / table.options[rows]

    def shares(train: Rows) -> Floats:
        known = train[rows]
        size = max(1, len(numbers))
        offered = np.bincount(of_text[known], minlength=size)
        surplus = np.bincount(of_text[known], weights=(is_right - chance)[known], minlength=size)
        scores = np.full(texts.shape, np.nan)
        scores[rows, places] = (surplus / (offered + 1))[of_text]
        return best_options(scores, table.exists).shares

    return shares


def _best_of_task(table: CueTable, tasks: NDArray[np.int64], rules: dict[str, Floats]) -> Callable[[Rows], Floats]:
    """Return the strategy that answers each task by its best rule, or by the best overall if the task has few items."""
    candidates = list(rules.values())
    right = np.stack([_right(shares, table) for shares in candidates])

    def shares(train: Rows) -> Floats:
        overall = int(right[:, train].mean(axis=1).argmax())
        picked = np.empty(table.exists.shape)
        for task in np.unique(tasks):
            of_task = tasks == task
            known = of_task & train
            best = overall if known.sum() < _LEAST_OF_TASK else int(right[:, known].mean(axis=1).argmax())
            picked[of_task] = candidates[best][of_task]
        return picked

    return shares
