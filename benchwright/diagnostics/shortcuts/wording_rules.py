"""Keys that the words give away: tests whether a rule that never sees the picture can pick the right option.

The rules pick the longest option, the one in another form, the one that shares most words with the others, and the one
that a classifier picks after learning from the other items' texts. A rule that beats chance shows a bias in the
texts; a model's score on such items partly measures how well it exploits that bias.

A rule picks an option by words alone, without the picture: it gives every option its share of the pick.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from benchwright.canonical import digest
from benchwright.records import Item
from benchwright.score_interval import score_interval
from benchwright.seeds import seed_for
from benchwright.statistics import HELD_OUT_EFFECT
from benchwright.text_normalization import normal
from benchwright.text_only_baseline import ItemWords, folds_of, held_out_guesses

if TYPE_CHECKING:
    pass


Words = Sequence[str]
"""The texts of an item's options, in order."""
Rule = Callable[[str, Words], list[float]]
"""From question and options to each option's share of the pick, together 1; options that tie share it alike."""


def _share(scores: Sequence[float]) -> list[float]:
    """Share the pick among the options of the highest score."""
    best = max(scores)
    picked = [score >= best - 1e-12 for score in scores]
    share = 1 / sum(picked)
    return [share if chosen else 0.0 for chosen in picked]


def longest(question: str, options: Words) -> list[float]:
    """Pick the option with the most characters: right options are often written with more care."""
    del question
    return _share([len(text.strip()) for text in options])


def shortest(question: str, options: Words) -> list[float]:
    """Pick the option with the fewest characters."""
    del question
    return _share([-len(text.strip()) for text in options])


def most_shared(question: str, options: Words) -> list[float]:
    """Pick the option with the largest share of words that stand in the question too."""
    question_words = set(normal(question).split())
    return _share([len(question_words & words) / max(1, len(words)) for words in word_sets(options)])


def most_typical(question: str, options: Words) -> list[float]:
    """Pick the option that shares most words with the others: wrong options are often made from the right one."""
    del question
    return _share(kinship(options))


def odd_one_out(question: str, options: Words) -> list[float]:
    """Pick the option that shares fewest words with the others."""
    del question
    return _share([-mean for mean in kinship(options)])


def odd_form(question: str, options: Words) -> list[float]:
    """Pick the only option that ends or begins differently, such as with a full stop, a small letter or a digit."""
    del question
    endings, beginnings = [_ending(text) for text in options], [_beginning(text) for text in options]
    return _share(
        [
            max(_rarity(ending, endings), _rarity(beginning, beginnings))
            for ending, beginning in zip(endings, beginnings, strict=True)
        ]
    )


RULES: Mapping[str, Rule] = {
    "longest": longest,
    "shortest": shortest,
    "most_shared": most_shared,
    "most_typical": most_typical,
    "odd_one_out": odd_one_out,
    "odd_form": odd_form,
}
"""By name."""


def word_sets(options: Words) -> list[frozenset[str]]:
    """Return the words of each option, normalised."""
    return [_word_set(text) for text in options]


@lru_cache(maxsize=256)  # several rules in turn look at one item
def _word_set(text: str) -> frozenset[str]:
    return frozenset(normal(text).split())


def kinship(options: Words) -> list[float]:
    """Return each option's mean Jaccard similarity of words to the others, rounded to remove errors of the last bit."""
    return list(_kinship(tuple(options)))


@lru_cache(maxsize=64)
def _kinship(options: tuple[str, ...]) -> tuple[float, ...]:
    shares: list[list[float]] = [[] for _ in options]
    for (at, own), (other, its) in combinations(enumerate(word_sets(options)), 2):
        share = len(own & its) / max(1, len(own | its))
        shares[at].append(share)
        shares[other].append(share)
    return tuple(round(sum(sorted(of_one)) / len(of_one), 9) for of_one in shares)


def _ending(text: str) -> str:
    last = text.strip()[-1:]
    return last if last and not last.isalnum() else "word"


def _beginning(text: str) -> str:
    first = re.sub(r"^\W+", "", text.strip())[:1]
    return "digit" if first.isdigit() else "capital" if first.isupper() else "small"


def _rarity(form: str, forms: Sequence[str]) -> float:
    """Return 1 for a form that occurs once while all other forms are equal; else 0."""
    return float(len(forms) > 2 and len(set(forms)) == 2 and forms.count(form) == 1)


LEARNED = "learned"
DRAWS = 100_000

Per = Literal["task", "all"]


class RulePick(NamedTuple):
    """The pick of a rule for one item: the share of the pick that each option gets, and which option is right."""

    row: int
    shares: tuple[float, ...]
    right: int

    @property
    def share_right(self) -> float:
        """Return the share of the pick, 0-1, that the right option gets."""
        return self.shares[self.right]


class RuleResult(NamedTuple):
    """Accuracy of a rule on some items.

    Args:
        task: Task of the items; None where all tasks are counted together.
        rule: Name of a text rule, or `learned`.
        items: Number of items.
        accuracy: Share of the items that it gets right, 0-1; ties count in part.
        interval: Wilson's interval of the accuracy, at 95 %.
        chance: Accuracy, 0-1, of a uniform pick.
        p: Probability, 0-1, that a rule without any information does as well.
        rows: Rows of the items whose right option it picks, alone or in a tie of fewer than all options.
    """

    task: str | None
    rule: str
    items: int
    accuracy: float
    interval: tuple[float, float]
    chance: float
    p: float
    rows: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values, without the rows."""
        return {
            "task": self.task,
            "rule": self.rule,
            "items": self.items,
            "accuracy": round(self.accuracy, 4),
            "ci": [round(end, 4) for end in self.interval],
            "chance": round(self.chance, 4),
            "p": round(self.p, 6),
        }


def rule_results(
    items: Sequence[Item],
    *,
    per: Per,
    seed: int,
    most_learned: int | None = None,
    learned: Callable[[Sequence[ItemWords]], Sequence[str]] | None = None,
) -> list[RuleResult]:
    """Return the result of each rule on each group of items, sorted by task and rule.

    Items without a right option and items with a picture among their options are left out.

    Args:
        items: Items, in any order.
        per: `task` for a group a task, `all` for one group.
        seed: Seed of the draws behind the p-values.
        most_learned: Number of items that the classifier learns from and answers, those with the smallest digests of
            their ids where there are more; all where None.
        learned: Function that gives the classifier's picks for items, where they may be known from before;
            `learned_picks` where None.
    """
    ordered = sorted(range(len(items)), key=lambda row: items[row].item_id)
    worded = {row: words for row in ordered if (words := _item_words(items[row])) is not None}
    groups: dict[tuple[str, str], list[RulePick]] = defaultdict(list)
    for row, words in worded.items():
        texts = [text for _, text in words.options]
        right = [key for key, _ in words.options].index(words.key)
        for name, rule in RULES.items():
            groups[_group(items[row], per), name].append(RulePick(row, tuple(rule(words.question, texts)), right))
    sample = _sample(worded, most_learned)
    for row, picked in zip(sample, (learned or learned_picks)(list(sample.values())), strict=True):
        keys = [key for key, _ in worded[row].options]
        shares = tuple(float(key == picked) for key in keys)
        groups[_group(items[row], per), LEARNED].append(RulePick(row, shares, keys.index(worded[row].key)))
    return [_rule_result(task or None, rule, picks, seed) for (task, rule), picks in sorted(groups.items())]


def _group(item: Item, per: Per) -> str:
    return item.task if per == "task" else ""


def _item_words(item: Item) -> ItemWords | None:
    key = item.right_key
    options = tuple((choice.key, choice.text) for choice in item.choices if choice.text is not None)
    if key is None or len(options) < len(item.choices):
        return None
    return ItemWords(item.item_id, item.task, item.question, options, key, item.group_keys)


def _sample(worded: Mapping[int, ItemWords], most: int | None) -> Mapping[int, ItemWords]:
    if most is None or len(worded) <= most:
        return worded
    chosen = set(sorted(worded, key=lambda row: digest(worded[row].item_id))[:most])
    return {row: words for row, words in worded.items() if row in chosen}


def learned_picks(items: Sequence[ItemWords]) -> list[str]:
    """Return the option that a classifier picks for each item after learning from the items of other groups."""
    return held_out_guesses(items, folds_of(items))


def _rule_result(task: str | None, rule: str, picks: Sequence[RulePick], seed: int) -> RuleResult:
    count = len(picks)
    right = min(float(count), sum(pick.share_right for pick in picks))
    rows = tuple(pick.row for pick in picks if pick.share_right > 1 / len(pick.shares) + 1e-9)
    return RuleResult(
        task,
        rule,
        count,
        right / count,
        score_interval(right, count),
        sum(1 / len(pick.shares) for pick in picks) / count,
        _p_value(picks, right, seed, effect=HELD_OUT_EFFECT if rule == LEARNED else 1.0),
        rows,
    )


def _p_value(picks: Sequence[RulePick], right: float, seed: int, *, effect: float) -> float:
    """Return the probability that uniformly drawn keys fall on the rule's picks at least as often.

    Items with equal numbers of options and of picked options are one binomial draw; `effect` is by how much more the
    number of right picks varies.
    """
    kinds = Counter((len(pick.shares), sum(share > 0 for share in pick.shares)) for pick in picks)
    rng = np.random.Generator(np.random.PCG64(seed_for(seed, "wording_bias", "draws")))
    drawn = np.zeros(DRAWS)
    for (options, picked), items in sorted(kinds.items()):
        drawn += (rng.binomial(items, picked / options, size=DRAWS) - items * picked / options) / picked
    drawn = drawn * effect**0.5 + sum(items / options for (options, _), items in kinds.items())
    return (int((drawn >= right - 1e-9).sum()) + 1) / (DRAWS + 1)
