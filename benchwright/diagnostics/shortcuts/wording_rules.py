"""Keys that the words give away: tests of whether a rule that never sees the picture can pick the right option.

The rules pick the longest option, the one with a different form, the one that shares the most words with the others, or
the choice of a classifier that learned from the other items' texts. A rule that beats chance shows a bias in the texts;
a model's score on such items partly measures how well it exploits that bias.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.diagnostics.shortcuts.text_only_baseline import (
    ItemWords,
    folds_of,
    held_out_guesses,
    joined_by_options,
)
from benchwright.records import Item
from benchwright.statistics import holm
from benchwright.statistics.components import components_of

from .cue_table import with_source_image
from .picks import LEAST_DECIDED, Accuracy, Bounds, accuracy_of, best_options
from .text_rules import RULES

LEARNED = "learned"
_OF_QUESTION = "most_shared"
"""The rule that uses the words of the question."""

Per = Literal["task", "all", "both"]
"""Whether to try rules on each task, on all items together, or on both, as one family of tests."""


class RuleResult(NamedTuple):
    """Accuracy of a rule on some items.

    Args:
        task: Task of the items; None for all tasks together.
        rule: Name of a text rule, or `learned`.
        measured: The rule's accuracy on the items that it decides.
        p_holm: The p-value, Holm-adjusted over all rules and tasks; None if the rule decides too few items for a test.
        rows: Indices of the items whose right option it picks, alone or in a tie of fewer than all options.
        is_explained: Whether this is the result on a whole set and is explained by tasks that the rule gives away.
    """

    task: str | None
    rule: str
    measured: Accuracy
    p_holm: float | None
    rows: tuple[int, ...]
    is_explained: bool = False

    def gives_away(self, bounds: Bounds) -> bool:
        """Return whether the rule gives keys away: it is right significantly more often than allowed."""
        is_above = self.measured.value > self.measured.chance
        return (
            is_above
            and not self.is_explained
            and self.p_holm is not None
            and bounds.is_passed(self.measured, self.p_holm)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, without the rows."""
        return {
            "task": self.task,
            "rule": self.rule,
            "items": self.measured.items,
            "accuracy": round(self.measured.value, 4),
            "ci": [round(end, 4) for end in self.measured.interval],
            "chance": round(self.measured.chance, 4),
            "p": float(f"{self.measured.p:.3g}"),
            "p_holm": None if self.p_holm is None else float(f"{self.p_holm:.3g}"),
        }


_Shares = Mapping[str, Mapping[int, Sequence[float]]]
"""Share of the pick that a rule gives to each option, by rule and row."""


class _KeyedWords(NamedTuple):
    """The worded items of one group: their rows, and right option, number of options and cluster of each."""

    rows: tuple[int, ...]
    right: NDArray[np.int64]
    options: NDArray[np.int64]
    groups: NDArray[np.int64]


def rule_results(
    items: Sequence[Item],
    *,
    per: Per,
    most_learned: int | None = None,
    learned: Callable[[Sequence[ItemWords]], Sequence[str]] | None = None,
) -> list[RuleResult]:
    """Return the result of each rule on each group of items, sorted by task and rule.

    Items without a right option and items with a picture among their options are omitted. Accuracy, interval and
    p-value are those of the shortcut battery's solvers (`picks.accuracy_of`).

    Args:
        items: Items, in any order.
        per: `task` for one group per task, `all` for one group, `both` for all of these.
        most_learned: Largest number of items from which the classifier learns and which it answers, those with the
            smallest ids; None for all.
        learned: Function that returns the classifier's picks for the items of one group, if these may already be known;
            if None, `learned_picks` is used.
    """
    ordered = sorted(range(len(items)), key=lambda row: items[row].item_id)
    worded = {row: words for row in ordered if (words := _item_words(items[row])) is not None}
    worded = dict(zip(worded, joined_by_options(list(worded.values())), strict=True))
    groups: dict[str, dict[int, ItemWords]] = defaultdict(dict)
    for row, words in worded.items():
        groups["" if per == "all" else items[row].task][row] = words
    if per == "both" and len(groups) > 1:
        groups[""] = worded
    sample = worded if most_learned is None else frozenset([*worded][:most_learned])
    shares = {
        name: {row: rule(words.question, [text for _, text in words.options]) for row, words in worded.items()}
        for name, rule in RULES.items()
    }
    results: list[RuleResult] = []
    picks: dict[str, dict[int, str]] = {}
    for task, of_task in sorted(groups.items()):
        learns = {row: words for row, words in of_task.items() if row in sample}
        picked = dict(zip(learns, (learned or learned_picks)(list(learns.values())), strict=True)) if learns else {}
        picks[task] = picked
        results += _results_of(task or None, of_task, picked, shares)
    tested = [number for number, result in enumerate(results) if result.measured.items >= LEAST_DECIDED]
    for number, p in zip(tested, holm([results[number].measured.p for number in tested]), strict=True):
        results[number] = results[number]._replace(p_holm=p)
    return [
        result._replace(is_explained=_is_explained(result, results, items, worded, picks[""], shares))
        if result.task is None and per == "both"
        else result
        for result in results
    ]


def _is_explained(
    whole: RuleResult,
    results: Sequence[RuleResult],
    items: Sequence[Item],
    worded: Mapping[int, ItemWords],
    picked: Mapping[int, str],
    shares: _Shares,
) -> bool:
    """Return whether a rule gives a whole set away only through tasks that it also gives away separately."""
    given = {each.task for each in results if each.rule == whole.rule and each.task and each.gives_away(Bounds())}
    if not given:
        return False
    rest = {row: words for row, words in worded.items() if items[row].task not in given}
    left = [each for each in _results_of(None, rest, picked, shares) if each.rule == whole.rule] if rest else []
    return not any(each._replace(p_holm=each.measured.p).gives_away(Bounds()) for each in left)


def _results_of(
    task: str | None, worded: Mapping[int, ItemWords], picked: Mapping[int, str], shares: _Shares
) -> Iterator[RuleResult]:
    """Yield the results of all rules on one group of items, sorted by rule, without rules that decide no item.

    If all items have the same question (“Which caption fits the picture?”), options share its words only by accident.
    """
    keys_of_all = _keyed(worded) if worded else None  # the same for every rule that does not learn
    for name in sorted((*RULES, LEARNED)):
        of_item = shares.get(name)
        of_rule = worded if of_item is not None else {row: words for row, words in worded.items() if row in picked}
        if not of_rule or (name == _OF_QUESTION and len({words.question for words in of_rule.values()}) == 1):
            continue
        keyed, exists = keys_of_all if of_item is not None and keys_of_all is not None else _keyed(of_rule)
        scores = np.full(exists.shape, np.nan)
        for number, (row, words) in enumerate(of_rule.items()):
            is_picked = [float(key == picked[row]) for key, _ in words.options] if of_item is None else of_item[row]
            scores[number, : len(is_picked)] = is_picked
        picks = best_options(scores, exists)
        accuracy = accuracy_of(picks, keyed, sides="above" if of_item is None else "both")
        if accuracy is not None:
            helped = picks.decided & (picks.right(keyed) > 1 / keyed.options + 1e-9)
            yield RuleResult(task, name, accuracy, None, tuple(keyed.rows[at] for at in np.flatnonzero(helped)))


def _keyed(worded: Mapping[int, ItemWords]) -> tuple[_KeyedWords, NDArray[np.bool_]]:
    """Return the keys of the items, and a mask of the options that exist, shape (items, largest number of options)."""
    options = np.array([len(words.options) for words in worded.values()], np.int64)
    right = [[key for key, _ in words.options].index(words.key) for words in worded.values()]
    groups = components_of(words.group_keys for words in worded.values())
    keyed = _KeyedWords(tuple(worded), np.array(right, np.int64), options, np.array(groups, np.int64))
    return keyed, np.asarray(np.arange(int(options.max())) < options[:, None], np.bool_)


def _item_words(item: Item) -> ItemWords | None:
    key = item.right_key
    options = tuple((choice.key, choice.text) for choice in item.choices if choice.text is not None)
    if key is None or len(options) < len(item.choices):
        return None
    groups = with_source_image(item.group_keys, item.root_image_id)
    return ItemWords(item.item_id, item.task, item.question, options, key, groups)


def learned_picks(items: Sequence[ItemWords]) -> list[str]:
    """Return a classifier's pick for each item after learning from the words of other groups' items.

    It does not learn the positions of options, because uneven letters are not a fault of the words.
    """
    return held_out_guesses(items, folds_of(items), with_places=False)
