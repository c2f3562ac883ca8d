"""Whether letters give keys away: the letters of right options and of refusal choices, by group of items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from benchwright.canonical import digest
from benchwright.records import LETTERS, Item
from benchwright.statistics import holm

from .answer_letters import Balance, Placing, balance

MIN_P = 0.05
"""Adjusted p-value below which the letters of a group are considered uneven."""
Of = Literal["answer", "refusal"]
Per = Literal["task", "all"]


class AnswerPlace(NamedTuple):
    """The letter of one item's answer or refusal, with the item's index and its rank in the order of moves."""

    row: int
    placing: Placing
    rank: str


@dataclass(frozen=True)
class LetterGroup:
    """The letters of the answers, or of the refusals, of one group of items.

    Args:
        task: The items' task; None for all tasks together.
        of: The options that are counted.
        placed: Places of the items.
        balance: How evenly the items use their letters.
    """

    task: str | None
    of: Of
    placed: tuple[AnswerPlace, ...]
    balance: Balance

    def to_json(self) -> dict[str, Any]:
        """Return the group as JSON values."""
        return {"task": self.task, "of": self.of, **self.balance.to_json()}


def letter_groups(items: Sequence[Item], *, per: Per, seed: int) -> list[LetterGroup]:
    """Return how evenly each group of items uses its letters, for answers and for refusals.

    Args:
        items: Items, in any order.
        per: `task` for one group per task, `all` for one group.
        seed: Seed for the draws behind the p-values; it determines which items would move.
    """
    groups: dict[tuple[str, Of], list[AnswerPlace]] = defaultdict(list)
    for row, item in enumerate(items):
        both: tuple[tuple[Of, str | None, str | None], ...] = (
            ("answer", item.answered_key, item.refusal),
            ("refusal", item.refusal, item.answered_key),
        )
        for of, key, taken in both:
            if key is not None:
                placing = Placing(LETTERS.index(key), len(item.choices), LETTERS.index(taken) if taken else None)
                rank = digest([seed, "answer_balance", of, item.item_id])
                groups[item.task if per == "task" else "", of].append(AnswerPlace(row, placing, rank))
    return [
        LetterGroup(task or None, of, tuple(placed), balance([place.placing for place in placed], seed=seed))
        for (task, of), placed in sorted(groups.items())
    ]


class JudgedLetters(NamedTuple):
    """The letters of a group of items, with the p-value adjusted over all groups of the set.

    Args:
        group: The group.
        p_holm: The group's p-value, Holm-adjusted over all tasks and the set.
        is_uneven: Whether chance would hardly spread the letters so unevenly. A set does not count as uneven if its
            uneven tasks alone explain it.
    """

    group: LetterGroup
    p_holm: float
    is_uneven: bool

    def to_json(self) -> dict[str, Any]:
        """Return the group as JSON values."""
        return {**self.group.to_json(), "p_holm": round(self.p_holm, 6), "uneven": self.is_uneven}


def groups_of_set(items: Sequence[Item], *, seed: int) -> list[LetterGroup]:
    """Return the letters of each task and, if there are several, of the whole set (`letter_groups`)."""
    of_tasks = letter_groups(items, per="task", seed=seed)
    return of_tasks + (letter_groups(items, per="all", seed=seed) if len({item.task for item in items}) > 1 else [])


def judged(groups: Sequence[LetterGroup], *, seed: int, min_p: float = MIN_P) -> list[JudgedLetters]:
    """Return groups of tasks and of the set with their adjusted p-values, as one family of tests.

    Args:
        groups: The groups, from `groups_of_set` or any other source.
        seed: Seed for the draws behind the p-values.
        min_p: Adjusted p-value below which the letters of a group are uneven.
    """
    adjusted = adjusted_p(group.balance for group in groups)
    uneven = [group for group, p in zip(groups, adjusted, strict=True) if p < min_p and group.task is not None]

    def is_uneven(group: LetterGroup, p: float) -> bool:
        explained = [each for each in uneven if each.of == group.of]
        if p >= min_p or group.task is not None or not explained:
            return p < min_p
        rows = {place.row for each in explained for place in each.placed}
        rest = [place.placing for place in group.placed if place.row not in rows]
        return bool(rest) and balance(rest, seed=seed).p < min_p

    return [JudgedLetters(group, p, is_uneven(group, p)) for group, p in zip(groups, adjusted, strict=True)]


def adjusted_p(balances: Iterable[Balance]) -> list[float]:
    """Return the p-value of each group of a set, Holm-adjusted over all of them.

    A group's letters are uneven if its adjusted p-value is below `MIN_P`. One set in twenty therefore counts as uneven
    by chance, whatever its number of tasks.
    """
    return holm([each.p for each in balances])
