"""Orders of options: a question with its options moved, and what its letters mean to the item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from benchwright.records import LETTERS

from ..questions import Question

if TYPE_CHECKING:
    from benchwright.records import Item


def rotations(count: int) -> list[list[int]]:
    """Return every rotation of `count` options, the first as it is; rotation n moves the first n to the end.

    Example:
        >>> rotations(3)
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    return [[(start + place) % count for place in range(count)] for start in range(count)]


def shuffled(item: Item, repeat: int) -> list[int]:
    """Return an order of an item's options drawn evenly; it depends on item and repetition only."""
    from benchwright.seeds import generator_for

    drawn: list[int] = (
        generator_for(0, "evaluate.shuffle", item.item_id, repeat).permutation(len(item.choices)).tolist()
    )
    return drawn


def arranged(question: Question, order: Sequence[int]) -> tuple[Question, dict[str, str]]:
    """Return a question that shows some options in an order, lettered anew, and the item's letter for each it shows."""
    moved = [question.choices[place] for place in order]
    choices = tuple(one.model_copy(update={"key": key}) for key, one in zip(LETTERS, moved, strict=False))
    return replace(question, choices=choices), {key: one.key for key, one in zip(LETTERS, moved, strict=False)}
