"""Keys that the words give away: can a rule that never sees the picture pick the right option?

The longest option, the one in another form, the one that shares most words with the others, and whatever a classifier
learns from the other items' texts. A rule that beats chance shows a tell; who scores a model on such items measures
how well it reads the tell.

A rule picks an option by words alone, without the picture: it gives every option its share of the pick.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.records import Item
from benchwright.score_interval import score_interval
from benchwright.seeds import seed_for
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict
from benchwright.text_normalization import normal
from benchwright.text_only_baseline import ItemWords, folds_of, guess, weights_of_folds

from .item_texts import right_key

if TYPE_CHECKING:
    import pyarrow as pa


Words = Sequence[str]
"""The texts of an item's options, in order."""
Rule = Callable[[str, Words], list[float]]
"""From question and options to each option's share of the pick, together 1; options that tie share it alike."""


def _share(scores: Sequence[float]) -> list[float]:
    """Share the pick among the options of the highest score."""
    best = max(scores)
    picked = [score >= best - 1e-12 for score in scores]
    return [chosen / sum(picked) for chosen in picked]


def longest(question: str, options: Words) -> list[float]:
    """Pick the option with the most characters: right options are often put with more care."""
    del question
    return _share([len(text.strip()) for text in options])


def shortest(question: str, options: Words) -> list[float]:
    """Pick the option with the fewest characters."""
    del question
    return _share([-len(text.strip()) for text in options])


def most_shared(question: str, options: Words) -> list[float]:
    """Pick the option that takes up most words of the question, as a share of its own."""
    asked = set(normal(question).split())
    return _share([len(asked & words) / max(1, len(words)) for words in _sets(options)])


def most_typical(question: str, options: Words) -> list[float]:
    """Pick the option that shares most words with the others: wrong options are often made from the right one."""
    del question
    return _share(_kinship(options))


def odd_one_out(question: str, options: Words) -> list[float]:
    """Pick the option that shares fewest words with the others."""
    del question
    return _share([-kinship for kinship in _kinship(options)])


def odd_form(question: str, options: Words) -> list[float]:
    """Pick the option that alone ends or begins otherwise: with a full stop, with a small letter, with a digit."""
    del question
    forms = [(_ending(text), _beginning(text)) for text in options]
    return _share([max(_rarity(form[part], [one[part] for one in forms]) for part in (0, 1)) for form in forms])


RULES: Mapping[str, Rule] = {
    "longest": longest,
    "shortest": shortest,
    "most_shared": most_shared,
    "most_typical": most_typical,
    "odd_one_out": odd_one_out,
    "odd_form": odd_form,
}
"""By name."""


def _sets(options: Words) -> list[set[str]]:
    return [set(normal(text).split()) for text in options]


def _kinship(options: Words) -> list[float]:
    """Return each option's mean Jaccard similarity of words to the others, rounded against the last bit."""
    words = _sets(options)
    found = []
    for at, own in enumerate(words):
        others = [other for number, other in enumerate(words) if number != at]
        shares = sorted(len(own & other) / max(1, len(own | other)) for other in others)
        found.append(round(sum(shares) / len(shares), 9))
    return found


def _ending(text: str) -> str:
    last = text.strip()[-1:]
    return last if last and not last.isalnum() else "word"


def _beginning(text: str) -> str:
    first = re.sub(r"^\W+", "", text.strip())[:1]
    return "digit" if first.isdigit() else "capital" if first.isupper() else "small"


def _rarity(form: str, forms: Sequence[str]) -> float:
    """Return 1 for the only one of its form where all others have another, common one; else 0."""
    others = {one for one in forms if one != form}
    return float(len(forms) > 2 and forms.count(form) == 1 and len(others) == 1)


REASON = "wording_gives_key_away"
LEARNED = "learned"
DRAWS = 100_000

Per = Literal["task", "all"]


class Guessed(NamedTuple):
    """What a rule makes of one item: the share of its pick that each option has, and which option is right."""

    row: int
    shares: tuple[float, ...]
    right: int

    @property
    def share_right(self) -> float:
        """Return how much of the pick falls on the right option, 0-1."""
        return self.shares[self.right]


class RuleFound(NamedTuple):
    """How well a rule does on some items.

    Args:
        task: The items' task; None where all tasks stand together.
        rule: Name of a text rule, or `learned`.
        items: How many.
        accuracy: Share of the items that it gets right, 0-1; ties count in part.
        interval: Wilson's, at 95 %.
        chance: What picking evenly would get.
        p: Probability that a rule which knows nothing does as well.
        rows: Places of the items that it picks right, alone or in a tie of less than all options.
    """

    task: str | None
    rule: str
    items: int
    accuracy: float
    interval: tuple[float, float]
    chance: float
    p: float
    rows: tuple[int, ...]

    def told(self) -> dict[str, Any]:
        """Return it as JSON values, without the rows."""
        return {
            "task": self.task, "rule": self.rule, "items": self.items, "accuracy": round(self.accuracy, 4),
            "ci": [round(end, 4) for end in self.interval], "chance": round(self.chance, 4), "p": round(self.p, 6),
        }  # fmt: skip


def rules_on(items: Sequence[Item], *, per: Per, seed: int) -> list[RuleFound]:
    """Return how well each rule does on each group of items, sorted by task and rule.

    Left out are items without a right option and items with a picture among their options.

    Args:
        items: In any order.
        per: Whether each task stands for itself.
        seed: Of the draws behind the p-values.
    """
    ordered = sorted(range(len(items)), key=lambda row: items[row].item_id)
    worded = {row: words for row in ordered if (words := _worded(items[row])) is not None}
    groups: dict[tuple[str, str], list[Guessed]] = defaultdict(list)
    for row, words in worded.items():
        texts = [text for _, text in words.options]
        right = [key for key, _ in words.options].index(words.key)
        for name, rule in RULES.items():
            groups[_group(items[row], per), name].append(Guessed(row, tuple(rule(words.question, texts)), right))
    for row, picked in _learned(worded).items():
        keys = [key for key, _ in worded[row].options]
        shares = tuple(float(key == picked) for key in keys)
        groups[_group(items[row], per), LEARNED].append(Guessed(row, shares, keys.index(worded[row].key)))
    return [_found(task or None, rule, guessed, seed) for (task, rule), guessed in sorted(groups.items())]


def _group(item: Item, per: Per) -> str:
    return item.task if per == "task" else ""


def _worded(item: Item) -> ItemWords | None:
    key = right_key(item)
    options = tuple((choice.key, choice.text) for choice in item.choices if choice.text is not None)
    if key is None or len(options) < len(item.choices):
        return None
    return ItemWords(item.item_id, item.task, item.question, options, key, item.group_keys)


def _learned(worded: Mapping[int, ItemWords]) -> dict[int, str]:
    """Return the option that a classifier picks for each item after learning from the items of other groups."""
    known = list(worded.values())
    folds = folds_of(known)
    weights = weights_of_folds(known, folds)
    return {row: guess(one, weights[fold]) for (row, one), fold in zip(worded.items(), folds, strict=True)}


def _found(task: str | None, rule: str, guessed: Sequence[Guessed], seed: int) -> RuleFound:
    count = len(guessed)
    right = min(float(count), sum(one.share_right for one in guessed))
    rows = tuple(one.row for one in guessed if one.share_right > 1 / len(one.shares) + 1e-9)
    return RuleFound(
        task, rule, count, right / count, score_interval(right, count),
        sum(1 / len(one.shares) for one in guessed) / count, _p_value(guessed, right, seed), rows,
    )  # fmt: skip


def _p_value(guessed: Sequence[Guessed], right: float, seed: int) -> float:
    """Return how often keys drawn evenly among the options fall on the rule's picks at least as often.

    Items are alike where they have as many options and as many picked ones, so each kind is one binomial draw.
    """
    kinds = Counter((len(one.shares), sum(share > 0 for share in one.shares)) for one in guessed)
    rng = np.random.Generator(np.random.PCG64(seed_for(seed, "wording_bias", "draws")))
    drawn = np.zeros(DRAWS)
    for (options, picked), items in sorted(kinds.items()):
        drawn += rng.binomial(items, picked / options, size=DRAWS) / picked
    return (int((drawn >= right - 1e-9).sum()) + 1) / (DRAWS + 1)


class WordingBias(GatherStep):
    """Ask about items whose key a rule over words alone picks, in tasks where it does so more often than chance.

    A rule gives a task away where it beats chance by more than `max_gain` and its p-value, times the number of rules
    and tasks that were tried, is below `min_p`.

    Args:
        per: Whether each `task` stands for itself, or `all` together.
        max_gain: Accuracy above chance, 0-1, up to which nothing is said.
        min_p: Probability, 0-1.
        verdict: `ask` lets people look at what the rule picks right, `drop` drops it.
    """

    name: ClassVar[str] = "wording_bias"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"rules": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    per: Per = "task"
    max_gain: float = Field(0.1, ge=0, le=1)
    min_p: float = Field(0.05, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"

    def gives_away(self, found: RuleFound, tried: int) -> bool:
        """Return whether a rule does so well that its items are flagged, where `tried` rules and tasks were tried."""
        return found.accuracy - found.chance > self.max_gain and found.p * tried < self.min_p

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Try all rules on all items."""
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        found = rules_on(items, per=self.per, seed=ctx.seed)
        flagged: dict[int, list[RuleFound]] = defaultdict(list)
        for one in found:
            if self.gives_away(one, len(found)):
                for row in one.rows:
                    flagged[row].append(one)
        rows = sorted(flagged)
        verdicts: list[Verdict] = [self.verdict] * len(rows)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[REASON] * len(rows),
            values={"rules": [[one.rule for one in flagged[row]] for row in rows]},
            evidence=[{"rules": [one.told() for one in flagged[row]]} for row in rows],
        )
