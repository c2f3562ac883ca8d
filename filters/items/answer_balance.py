"""Right options under all letters alike.

Who always says one letter must gain nothing by it, and a model that likes a letter must not be taken for an able one.
The same holds for the option that declines to answer.

The order of options is free unless the words of the item lean on it: `Yes` before `No`, numbers that run up, options
that name a letter or stand for all the others, questions and explanations that name an option by its letter.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.canonical import digest
from benchwright.records import LETTERS, Choice, Item, ItemImage
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream, Verdict
from benchwright.text_normalization import normal

from .answer_letters import Balance, Placing, balance, levelled

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


def is_free(item: Item) -> bool:
    """Return whether an item's options may stand in any order."""
    texts = [choice.text for choice in item.choices if choice.text is not None]
    if item.kind == "yes_no" or (texts and len(texts) < len(item.choices)):
        return False
    said = [item.question, item.explanation or ""]
    if any(_names_an_option(text) for text in (*texts, *said)):
        return False
    return not _runs(texts)


def _names_an_option(text: str) -> bool:
    return bool(_NAMES_A_LETTER.search(text.strip()) or _NAMES_A_PLACE.search(normal(text)))


def _runs(texts: Sequence[str]) -> bool:
    """Return whether every option begins with a number and the numbers run up or down."""
    found = [_NUMBER.match(text.strip()) for text in texts]
    if len(found) < 3 or not all(found):
        return False
    numbers = [float(re.sub(r"[,.](?=\d{3}\b)", "", match.group()).replace(",", ".")) for match in found if match]
    return numbers in (sorted(numbers), sorted(numbers, reverse=True))


def swapped(item: Item, one: str, other: str, *, evidence: Mapping[str, Any]) -> Item:
    """Return an item as a new revision in which two options have changed places.

    Options that are pictures change places among the item's pictures too, so that a question which names pictures by
    number still names the options in their order.

    Args:
        item: Whose options are free.
        one: Letter of an option.
        other: Letter of another.
        evidence: Added to the item's.
    """
    trade = {one: other, other: one}
    by_key = {choice.key: choice for choice in item.choices}
    choices = tuple(_renamed(by_key[trade.get(key, key)], key) for key in LETTERS[: len(item.choices)])
    return item.model_copy(
        update={
            "choices": choices,
            "images": _traded(item.images, by_key[one].image_id, by_key[other].image_id),
            "answer": item.answer and trade.get(item.answer, item.answer),
            "refusal": item.refusal and trade.get(item.refusal, item.refusal),
            "revision": item.revision + 1,
            "evidence": {**item.evidence, **evidence},
        }
    )


def _renamed(choice: Choice, key: str) -> Choice:
    return choice.model_copy(update={"key": key})


def _traded(images: Sequence[ItemImage], one: str | None, other: str | None) -> tuple[ItemImage, ...]:
    """Return pictures with two of them in each other's place; as they are where options are words."""
    places = {image.image_id: at for at, image in enumerate(images)}
    if one is None or other is None:
        return tuple(images)
    found = list(images)
    found[places[one]], found[places[other]] = images[places[other]], images[places[one]]
    return tuple(found)


REASON = "unbalanced_letters"

Of = Literal["answer", "refusal"]
Per = Literal["task", "all"]
Mend = Literal["reorder", "ask", "none"]


class AnswerPlace(NamedTuple):
    """One item whose answer, or refusal, has a letter."""

    row: int
    placing: Placing
    rank: str


@dataclass(frozen=True)
class Letters:
    """The letters of one group of items.

    Args:
        task: The items' task; None where all tasks stand together.
        of: Which option is looked at.
        placed: The items.
        found: How evenly they use their letters.
    """

    task: str | None
    of: Of
    placed: tuple[AnswerPlace, ...]
    found: Balance

    def told(self) -> dict[str, Any]:
        """Return the group as JSON values."""
        return {"task": self.task, "of": self.of, **self.found.told()}


def letters_of(items: Sequence[Item], *, per: Per, seed: int) -> list[Letters]:
    """Return how evenly each group of items uses its letters, for answers and for refusals.

    Args:
        items: In any order.
        per: Whether each task stands for itself.
        seed: Decides which items would move.
    """
    groups: dict[tuple[str, Of], list[AnswerPlace]] = defaultdict(list)
    for row, item in enumerate(items):
        both: tuple[tuple[Of, str | None, str | None], ...] = (
            ("answer", item.answer, item.refusal), ("refusal", item.refusal, item.answer),
        )  # fmt: skip
        for of, key, taken in both:
            if key is not None:
                placing = Placing(LETTERS.index(key), len(item.choices), LETTERS.index(taken) if taken else None)
                rank = digest([seed, "answer_balance", of, item.item_id])
                groups[item.task if per == "task" else "", of].append(AnswerPlace(row, placing, rank))
    return [
        Letters(task or None, of, tuple(placed), balance([one.placing for one in placed], seed=seed))
        for (task, of), placed in sorted(groups.items())
    ]


@dataclass
class _Plan:
    """What is to become of some items: which options change places, and which items people should look at."""

    swaps: dict[int, str]
    asked: dict[int, dict[str, Any]]

    def level(self, group: Letters, free: Sequence[bool], *, min_p: float, seed: int) -> None:
        """Move what is free to move; where that is not enough, ask about as many items as are too many."""
        movable = [free[one.row] and one.row not in self.swaps for one in group.placed]
        placed = list(group.placed)
        for at, letter in self._moves(placed, movable).items():
            one = placed[at]
            self.swaps[one.row] = LETTERS[one.placing.letter] + LETTERS[letter]
            placed[at] = one._replace(placing=one.placing._replace(letter=letter))
        left = replace(group, placed=tuple(placed), found=balance([one.placing for one in placed], seed=seed))
        if left.found.p < min_p:
            for at in self._moves(placed, [True] * len(placed)):
                self.asked.setdefault(placed[at].row, left.told())

    @staticmethod
    def _moves(placed: Sequence[AnswerPlace], movable: Sequence[bool]) -> dict[int, int]:
        return levelled([one.placing for one in placed], movable, [one.rank for one in placed])


class AnswerLetters(GatherStep):
    """Measure how evenly right options use their letters, and say which should change places."""

    name: ClassVar[str] = "letters"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"swap": "string", "p": "float64"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    per: Per
    min_p: float
    mend: Mend

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare all items."""
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        plan = _Plan({}, {})
        least: dict[int, float] = {}
        free = [self.mend == "reorder" and is_free(item) for item in items]
        for group in letters_of(items, per=self.per, seed=ctx.seed):
            for one in group.placed:
                least[one.row] = min(group.found.p, least.get(one.row, 1.0))
            if group.found.p < self.min_p and self.mend != "none":
                plan.level(group, free, min_p=self.min_p, seed=ctx.seed)
        rows = sorted(least)
        verdicts: list[Verdict] = ["ask" if row in plan.asked else "keep" for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[REASON if row in plan.asked else None for row in rows],
            values={"swap": [plan.swaps.get(row) for row in rows], "p": [round(least[row], 6) for row in rows]},
            evidence=[plan.asked.get(row, {}) for row in rows],
        )


class Reordered(MapStep):
    """Make the new revision of each item whose options change places."""

    name: ClassVar[str] = "reordered"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("letters.swap",)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Let two options change places, or leave the item as it is."""
        swap = ctx.value(record.item_id, "letters.swap")
        if swap is None:
            return Outcome()
        evidence = {"reordered": {"swapped": list(swap), "operation_id": ctx.operation_id}}
        return Outcome(items=(swapped(record, *swap, evidence=evidence),), evidence={"swapped": list(swap)})


class AnswerBalance(Step):
    """Let right options, and those that decline, stand under all letters alike.

    A group is unbalanced where chance alone would spread its letters as unevenly with a probability below `min_p`.
    Then the fewest items whose options may stand in any order get two of them swapped: the right one with that under
    the letter that is too rare. Which items, follows from their ids and the run's seed.

    Args:
        per: Whether each `task` stands for itself, or `all` together.
        min_p: Probability, 0-1.
        mend: `reorder` swaps options, and asks about items where that is not enough; `ask` only asks about as many
            items as are too many; `none` only measures.
    """

    name: ClassVar[str] = "answer_balance"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)

    per: Per = "task"
    min_p: float = Field(0.05, ge=0, le=1)
    mend: Mend = "reorder"

    def parts(self) -> tuple[Step, ...]:
        """Measure, then reorder."""
        return (AnswerLetters(per=self.per, min_p=self.min_p, mend=self.mend), Reordered())
