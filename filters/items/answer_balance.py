"""A step that spreads right options evenly over all letters.

A model must not gain from always answering with one letter, nor from preferring a letter. The same applies to the
option that declines to answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from benchwright.diagnostics.shortcuts.answer_letters import balance, levelling_moves
from benchwright.diagnostics.shortcuts.letter_groups import (
    MIN_P,
    AnswerPlace,
    LetterGroup,
    Per,
    adjusted_p,
    letter_groups,
)
from benchwright.diagnostics.wording.option_order import may_reorder, names_marks
from benchwright.records import LETTERS, Choice, Item, ItemImage, VisualPrompt
from benchwright.steps import Context, GatherContext, Gathered, GatherStep, MapStep, Outcome, Step, Stream, Verdict

if TYPE_CHECKING:
    import pyarrow as pa


_REASON, _TWIN = "unbalanced_letters", "twin:"

Mend = Literal["reorder", "ask", "none"]
Reorders = Literal["unbalanced", "always"]


def with_options_swapped(item: Item, first: str, second: str, *, evidence: Mapping[str, Any]) -> Item:
    """Return an item as a new revision with two options swapped.

    If options are pictures, they are also swapped among the item's pictures, so that a question that refers to pictures
    by number still refers to the options in order. If options name marks, the positions of the marks are swapped.

    Args:
        item: Item whose options are in arbitrary order, or whose marks may exchange positions.
        first: Letter of an option.
        second: Letter of another option.
        evidence: Evidence to add to the item's evidence.
    """
    trade = {first: second, second: first}
    traded = {
        "answer": item.answer and trade.get(item.answer, item.answer),
        "refusal": item.refusal and trade.get(item.refusal, item.refusal),
        "revision": item.revision + 1,
        "evidence": {**item.evidence, **evidence},
    }
    if names_marks(item):
        return item.model_copy(update={**traded, "images": _with_marks_traded(item.images, trade)})
    by_key = {choice.key: choice for choice in item.choices}
    choices = tuple(_renamed(by_key[trade.get(key, key)], key) for key in LETTERS[: len(item.choices)])
    return item.model_copy(
        update={
            "choices": choices,
            "images": _traded(item.images, by_key[first].image_id, by_key[second].image_id),
            **traded,
        }
    )


def _with_marks_traded(images: Sequence[ItemImage], trade: Mapping[str, str]) -> tuple[ItemImage, ...]:
    """Return the pictures with the marks of some labels, and the sides of their labels, exchanged; colors stay with the
    labels, because questions name them.
    """
    places = {
        prompt.label: {"points": prompt.points, "label_place": prompt.label_place}
        for image in images
        for prompt in image.prompts
    }

    def moved(prompt: VisualPrompt) -> VisualPrompt:
        return prompt.model_copy(update=places[trade.get(prompt.label or "", prompt.label)])

    return tuple(image.model_copy(update={"prompts": tuple(map(moved, image.prompts))}) for image in images)


def _renamed(choice: Choice, key: str) -> Choice:
    return choice.model_copy(update={"key": key})


def _traded(images: Sequence[ItemImage], first: str | None, second: str | None) -> tuple[ItemImage, ...]:
    """Return the pictures with two of them swapped, or unchanged if the options are words."""
    places = {image.image_id: at for at, image in enumerate(images)}
    if first is None or second is None:
        return tuple(images)
    traded = list(images)
    traded[places[first]], traded[places[second]] = images[places[second]], images[places[first]]
    return tuple(traded)


def _may_swap(item: Item) -> bool:
    """Return whether two options may be swapped; the options of a twin keep the order of the other twin's options."""
    is_twin = any(key.startswith(_TWIN) for key in item.group_keys)
    return not is_twin and (may_reorder(item) or names_marks(item))


@dataclass
class _LetterPlan:
    """The options to swap, and the items to ask about, by row."""

    swaps: dict[int, str]
    to_ask: dict[int, dict[str, Any]]

    def level(self, group: LetterGroup, free: Sequence[bool], *, seed: int) -> LetterGroup:
        """Swap options within the group where swapping is allowed, and return the resulting group."""
        movable = [free[place.row] and place.row not in self.swaps for place in group.placed]
        placed = list(group.placed)
        for at, letter in _moves(placed, movable).items():
            place = placed[at]
            self.swaps[place.row] = LETTERS[place.placing.letter] + LETTERS[letter]
            placed[at] = place._replace(placing=place.placing._replace(letter=letter))
        return replace(group, placed=tuple(placed), balance=balance([place.placing for place in placed], seed=seed))

    def ask_about(self, group: LetterGroup) -> None:
        """Ask about the surplus items of each letter that is right too often in the group."""
        for at in _moves(group.placed, [True] * len(group.placed)):
            self.to_ask.setdefault(group.placed[at].row, group.to_json())


def _moves(placed: Sequence[AnswerPlace], movable: Sequence[bool]) -> dict[int, int]:
    return levelling_moves([place.placing for place in placed], movable, [place.rank for place in placed])


class AnswerLetters(GatherStep):
    """Measure how evenly right options are spread over the letters, and name the options to swap."""

    name: ClassVar[str] = "letters"
    version: ClassVar[int] = 2
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
        free = [self.mend == "reorder" and _may_swap(item) for item in items]
        levels_all = self.mend == "reorder" and self.reorders == "always"
        groups = letter_groups(items, per=self.per, seed=ctx.seed)
        for group in groups:
            for place in group.placed:
                least[place.row] = min(group.balance.p, least.get(place.row, 1.0))
        uneven = [p < self.min_p for p in adjusted_p(group.balance for group in groups)]
        left = [
            plan.level(group, free, seed=ctx.seed) if levels_all or (is_uneven and self.mend == "reorder") else group
            for group, is_uneven in zip(groups, uneven, strict=True)
        ]
        if self.mend != "none":
            for group, p in zip(left, adjusted_p(group.balance for group in left), strict=True):
                if p < self.min_p:
                    plan.ask_about(group)
        rows = sorted(least)
        verdicts: list[Verdict] = ["ask" if row in plan.to_ask else "keep" for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[_REASON if row in plan.to_ask else None for row in rows],
            values={"swap": [plan.swaps.get(row) for row in rows], "p": [round(least[row], 6) for row in rows]},
            evidence=[plan.to_ask.get(row, {}) for row in rows],
        )


class Reordered(MapStep):
    """Make the new revision of each item whose options are swapped."""

    name: ClassVar[str] = "reordered"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    reads: ClassVar[tuple[str, ...]] = ("letters.swap",)

    def one(self, record: Item, ctx: Context) -> Outcome:
        """Swap the two named options if there are any, otherwise leave the item unchanged."""
        swap = ctx.value(record.item_id, "letters.swap")
        if swap is None:
            return Outcome()
        evidence = {"reordered": {"swapped": list(swap), "operation_id": ctx.operation_id}}
        return Outcome(
            items=(with_options_swapped(record, *swap, evidence=evidence),),
            evidence={"swapped": list(swap)},
        )


class AnswerBalance(Step):
    """Spread right options, and options that decline, evenly over all letters.

    A group is unbalanced if chance alone would spread its letters as unevenly with a probability below `min_p`,
    adjusted over all groups of the set (Holm). Then two options are swapped in as few items as possible, among those
    with options in arbitrary order: the right option and the option under the letter that is too rare. If options name
    marks on a picture, such as `Point A`, these marks exchange positions. Twins stay unchanged. The choice of items
    follows from their ids and the run's seed.

    Args:
        per: `all` levels letters over the whole set, `task` within each task.
        min_p: Probability, 0-1, adjusted over all groups, below which a group is unbalanced.
        mend: `reorder` swaps options, and asks about items if that is not enough; `ask` only asks about the surplus
            items; `none` only measures.
        reorders: Groups in which options are swapped: `unbalanced` ones, or all, so that the counts of right letters
            differ by at most one where options may move. Only items of unbalanced groups are asked about.

    Reasons:
        unbalanced_letters (ask): Letters are uneven and the options may not move.
    """  # phrase: allowed

    name: ClassVar[str] = "answer_balance"
    consumes: ClassVar[Stream] = "items"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)

    per: Per = "all"
    min_p: float = Field(MIN_P, ge=0, le=1)
    mend: Mend = "reorder"
    reorders: Reorders = "unbalanced"

    @model_validator(mode="after")
    def _swaps_where_it_says_so(self) -> AnswerBalance:
        if self.reorders == "always" and self.mend != "reorder":
            raise ValueError(
                f"`reorders: always` swaps options, `mend: {self.mend}` does not: leave one of them out"
            )  # phrase: allowed
        return self

    def parts(self) -> tuple[Step, ...]:
        """Measure, then reorder."""
        return (AnswerLetters(per=self.per, min_p=self.min_p, mend=self.mend, reorders=self.reorders), Reordered())
