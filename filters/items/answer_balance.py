"""A step that spreads right options evenly over all letters.

Always answering with one letter must not pay off, and a model with a preferred letter must not be taken for a good one.
The same holds for the option that declines to answer.

The order of options is free unless the words of the item depend on it: `Yes` before `No`, ascending numbers, options
that name a letter or stand for all the others, questions and explanations that name an option by its letter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from benchwright.canonical import digest
from benchwright.diagnostics.shortcuts.answer_letters import Balance, Placing, balance, levelling_moves
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream, Verdict
from benchwright.text_normalization import normal

if TYPE_CHECKING:
    import pyarrow as pa


_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_NAMES_A_LETTER = re.compile(
    r"\([A-Z]\)|\b(?i:option|choice|answer)s?\s+[A-Z]\b|^[A-Z][.)]?$|\s[A-Z]\.?$",
)
_NAMES_A_PLACE = re.compile(
    r"\b(?:of|all|both|none|neither|any) (?:the |these |those )?(?:above|below|other option|other options|others)\b"
    r"|\b(?:none|all|both|neither|either) of (?:the above|these|those|them)\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth|last|former|latter|previous|following|next)"
    r" (?:option|choice|answer)\b"
)


def may_reorder(item: Item) -> bool:
    """Return whether the order of an item's options is free."""
    texts = [choice.text for choice in item.choices if choice.text is not None]
    if item.kind == "yes_no" or (texts and len(texts) < len(item.choices)):
        return False
    sentences = [item.question, item.explanation or ""]
    if any(_names_an_option(text) for text in (*texts, *sentences)):
        return False
    return not _is_number_sequence(texts)


def _names_an_option(text: str) -> bool:
    return bool(_NAMES_A_LETTER.search(text.strip()) or _NAMES_A_PLACE.search(normal(text)))


def _is_number_sequence(texts: Sequence[str]) -> bool:
    """Return whether every option begins with a number and the numbers ascend or descend."""
    matches = [_NUMBER.match(text.strip()) for text in texts]
    if len(matches) < 3 or not all(matches):
        return False
    numbers = [float(re.sub(r"[,.](?=\d{3}\b)", "", match.group()).replace(",", ".")) for match in matches if match]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))


def with_options_swapped(item: Item, first: str, second: str, *, evidence: Mapping[str, Any]) -> Item:
    """Return an item as a new revision in which two options have changed places.

    Options that are pictures are swapped among the item's pictures too, so that a question which names pictures by
    number still names the options in their order.

    Args:
        item: Item whose options may stand in any order.
        first: Letter of an option.
        second: Letter of another option.
        evidence: Evidence to add to the item's.
    """
    trade = {first: second, second: first}
    by_key = {choice.key: choice for choice in item.choices}
    choices = tuple(_renamed(by_key[trade.get(key, key)], key) for key in LETTERS[: len(item.choices)])
    return item.model_copy(
        update={
            "choices": choices,
            "images": _traded(item.images, by_key[first].image_id, by_key[second].image_id),
            "answer": item.answer and trade.get(item.answer, item.answer),
            "refusal": item.refusal and trade.get(item.refusal, item.refusal),
            "revision": item.revision + 1,
            "evidence": {**item.evidence, **evidence},
        }
    )


def _renamed(choice: Choice, key: str) -> Choice:
    return choice.model_copy(update={"key": key})


def _traded(images: Sequence[ItemImage], first: str | None, second: str | None) -> tuple[ItemImage, ...]:
    """Return the pictures with two of them swapped; unchanged where options are words."""
    places = {image.image_id: at for at, image in enumerate(images)}
    if first is None or second is None:
        return tuple(images)
    traded = list(images)
    traded[places[first]], traded[places[second]] = images[places[second]], images[places[first]]
    return tuple(traded)


REASON = "unbalanced_letters"

Of = Literal["answer", "refusal"]
Per = Literal["task", "all"]
Mend = Literal["reorder", "ask", "none"]
Reorders = Literal["unbalanced", "always"]


class AnswerPlace(NamedTuple):
    """The letter of one item's answer or refusal, with the item's row and its rank in the order of moves."""

    row: int
    placing: Placing
    rank: str


@dataclass(frozen=True)
class LetterGroup:
    """The letters of the answers, or of the refusals, of one group of items.

    Args:
        task: The items' task; None where all tasks stand together.
        of: Which option is counted.
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
        per: `task` for a group a task, `all` for one group.
        seed: Seed that decides which items would move.
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


@dataclass
class _LetterPlan:
    """The options that change places, and the items to ask about, by row."""

    swaps: dict[int, str]
    to_ask: dict[int, dict[str, Any]]

    def level(self, group: LetterGroup, free: Sequence[bool], *, min_p: float, seed: int) -> None:
        """Move the options that may move; if that is not enough, ask about the surplus items."""
        movable = [free[place.row] and place.row not in self.swaps for place in group.placed]
        placed = list(group.placed)
        for at, letter in self._moves(placed, movable).items():
            place = placed[at]
            self.swaps[place.row] = LETTERS[place.placing.letter] + LETTERS[letter]
            placed[at] = place._replace(placing=place.placing._replace(letter=letter))
        left = replace(group, placed=tuple(placed), balance=balance([place.placing for place in placed], seed=seed))
        if left.balance.p < min_p:
            for at in self._moves(placed, [True] * len(placed)):
                self.to_ask.setdefault(placed[at].row, left.to_json())

    @staticmethod
    def _moves(placed: Sequence[AnswerPlace], movable: Sequence[bool]) -> dict[int, int]:
        return levelling_moves([place.placing for place in placed], movable, [place.rank for place in placed])


class AnswerLetters(GatherStep):
    """Measure how evenly right options use their letters, and name the options that should change places."""

    name: ClassVar[str] = "letters"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"swap": "string", "p": "float64"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    per: Per
    min_p: float
    mend: Mend
    reorders: Reorders = "unbalanced"

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare all items."""
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        plan = _LetterPlan({}, {})
        least: dict[int, float] = {}
        free = [self.mend == "reorder" and may_reorder(item) for item in items]
        levels_all = self.mend == "reorder" and self.reorders == "always"
        for group in letter_groups(items, per=self.per, seed=ctx.seed):
            for place in group.placed:
                least[place.row] = min(group.balance.p, least.get(place.row, 1.0))
            if levels_all or (group.balance.p < self.min_p and self.mend != "none"):
                plan.level(group, free, min_p=self.min_p, seed=ctx.seed)
        rows = sorted(least)
        verdicts: list[Verdict] = ["ask" if row in plan.to_ask else "keep" for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[REASON if row in plan.to_ask else None for row in rows],
            values={"swap": [plan.swaps.get(row) for row in rows], "p": [round(least[row], 6) for row in rows]},
            evidence=[plan.to_ask.get(row, {}) for row in rows],
        )


class Reordered(MapStep):
    """Make the new revision of each item whose options change places."""

    name: ClassVar[str] = "reordered"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("letters.swap",)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Swap the two options that are named, or leave the item as it is."""
        swap = ctx.value(record.item_id, "letters.swap")
        if swap is None:
            return Outcome()
        evidence = {"reordered": {"swapped": list(swap), "operation_id": ctx.operation_id}}
        return Outcome(
            items=(with_options_swapped(record, *swap, evidence=evidence),),
            evidence={"swapped": list(swap)},
        )


class AnswerBalance(Step):
    """Let right options, and those that decline, stand under all letters alike.

    A group is unbalanced where chance alone would spread its letters as unevenly with a probability below `min_p`.
    Then two options are swapped in as few items as possible whose options may stand in any order: the right option and
    the option under the letter that is too rare. The choice of items follows from their ids and the run's seed.

    Args:
        per: `task` for a group a task, `all` for one group.
        min_p: Probability, 0-1, below which a group is unbalanced.
        mend: `reorder` swaps options, and asks about items where that is not enough; `ask` only asks about as many
            items as are too many; `none` only measures.
        reorders: Groups in which options are swapped: `unbalanced` ones, or all, so that no letter is right more than
            once oftener than another as far as options may move. Items are asked about in unbalanced groups alone.

    Reasons:
        unbalanced_letters (ask): Letters are uneven and the options may not move.
    """

    name: ClassVar[str] = "answer_balance"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)

    per: Per = "task"
    min_p: float = Field(0.05, ge=0, le=1)
    mend: Mend = "reorder"
    reorders: Reorders = "unbalanced"

    @model_validator(mode="after")
    def _swaps_where_it_says_so(self) -> AnswerBalance:
        if self.reorders == "always" and self.mend != "reorder":
            raise ValueError(f"`reorders: always` swaps options, `mend: {self.mend}` does not: leave one of them out")
        return self

    def parts(self) -> tuple[Step, ...]:
        """Measure, then reorder."""
        return (AnswerLetters(per=self.per, min_p=self.min_p, mend=self.mend, reorders=self.reorders), Reordered())
