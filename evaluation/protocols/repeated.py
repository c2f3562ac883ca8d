"""Protocols that ask an item several times: with rotations or shuffles of its options, or without the refusal choice.

An item is asked again without the refusal choice if a model chose that choice. An order of options moves them in the
question and maps the shown letters to the item's own letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from ..metrics.base import chance_of
from ..prompting.question import Question, Released, question_of
from .base import Ask, ItemVerdict, JudgedReply, ProtocolQuestion, most_frequent_letter, worst_state
from .templated import Templated
from .wordings import Name

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.release import Release
from dataclasses import replace
from typing import TYPE_CHECKING

from benchwright.records import LETTERS


def rotations(count: int) -> list[list[int]]:
    """Return every rotation of `count` options, the first unchanged; rotation n moves the first n options to the end.

    Example:
        >>> rotations(3)
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    return [[(start + place) % count for place in range(count)] for start in range(count)]


def shuffled(item: Item, repeat: int) -> list[int]:
    """Return a uniformly drawn order of an item's options, which depends only on the item and the repetition."""
    return shuffled_order(item.item_id, len(item.choices), repeat)


def shuffled_order(item_id: str, options: int, repeat: int) -> list[int]:
    """Return the order that `shuffled` gives for an item's id and number of options."""
    from benchwright.seeds import generator_for

    drawn: list[int] = generator_for(0, "evaluate.shuffle", item_id, repeat).permutation(options).tolist()
    return drawn


def _arranged(question: Question, order: Sequence[int]) -> tuple[Question, dict[str, str]]:
    """Return a question that shows some options in the given order with new letters, and the item's letter for each."""
    moved = [question.choices[place] for place in order]
    choices = tuple(choice.model_copy(update={"key": key}) for key, choice in zip(LETTERS, moved, strict=False))
    return replace(question, choices=choices), {key: choice.key for key, choice in zip(LETTERS, moved, strict=False)}


AGAIN = "again"


class Circular(Templated):
    """Ask with every rotation of the options; an item is right if the answer is right in all of them.

    A yes/no question is asked once, unchanged: its answers are words, not letters of a list.
    """

    name: ClassVar[str] = "circular"
    source: ClassVar[str] = "MVP-Bench section 3 (CircularEval)"
    asks_once: ClassVar[bool] = False

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return a question for each rotation; `r0` has the item's own order."""
        del earlier
        item, question = released.item, question_of(released)
        questions = []
        for start, order in enumerate(_rotations(item)):
            moved, keys = _arranged(question, order)
            questions.append(self.put(item, moved, variant=f"r{start}", keys=keys))
        return questions

    def chance(self, item: Item) -> float:
        """Return the probability that a uniformly drawn letter is right in every rotation."""
        return float(chance_of(item) ** len(_rotations(item)))

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict, which is right if every rotation is right; otherwise the most severe state and the most
        frequent letter.
        """
        del item
        right = all(attempt.right for attempt in attempts)
        return ItemVerdict("answered" if right else worst_state(attempts), most_frequent_letter(attempts), right)


class Shuffle(Templated):
    """Ask k times, each time in a newly drawn order of options; metrics count every repetition."""

    name: ClassVar[str] = "shuffle"
    source: ClassVar[str] = "MM-SAP section 4.2 (five times)"
    repeats: ClassVar[bool] = True

    k: int = Field(5, ge=1, le=100)
    """Number of repetitions."""

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return a question for each repetition, `s1` to `s<k>`."""
        del earlier
        item, question = released.item, question_of(released)
        orders = {f"s{repeat}": shuffled(item, repeat) for repeat in range(1, self.k + 1)}
        return [self._in_order(item, question, variant, order) for variant, order in orders.items()]

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict, which is right if more than half of the repetitions are; it is used by figures that count
        items, not replies.
        """
        del item
        first = [attempt for attempt in attempts if attempt.round == 0]
        right = 2 * sum(attempt.right for attempt in first) > len(first)
        return ItemVerdict("answered" if right else worst_state(first), most_frequent_letter(first), right)

    def _in_order(self, item: Item, question: Question, variant: str, order: Sequence[int]) -> ProtocolQuestion:
        moved, keys = _arranged(question, order)
        return self.put(item, moved, variant=variant, keys=keys)


class Forced(Templated):
    """Ask once and, if the model chose the option that declines, again without it, to see whether the model knows.

    The verdict is that of the first reply; the second only decides what metrics of self-awareness count as unknown.
    Sealed items are asked again without the chosen option, whichever it is (`_asked_again_sealed`).
    """

    name: ClassVar[str] = "forced"
    source: ClassVar[str] = "MM-SAP section 4.1 (equation 3)"
    rounds: ClassVar[int] = 2
    repeats: ClassVar[bool] = True

    def asking_items(self, release: Release) -> Ask:
        """Return the function that asks: first the unchanged question, then the same question without the option that
        declines.
        """

        def first(released: Released) -> Sequence[ProtocolQuestion]:
            return [self.put(released.item, question_of(released), variant="first")]

        return _forcing(self, release, first)

    def verdict(self, item: Item, attempts: Sequence[JudgedReply]) -> ItemVerdict:
        """Return the verdict on the first reply."""
        return super().verdict(item, attempts[:1])


class MMSAP(Shuffle):
    """Ask like MM-SAP: k shuffles, each once more without the option that declines if the model chose it.

    Sealed items are asked again without the chosen option, whichever it is (`_asked_again_sealed`).
    """

    name: ClassVar[str] = "mm-sap"
    source: ClassVar[str] = "MM-SAP sections 4.1, 4.2 and 4.5 (refusal prompt: wording=mm-sap-refusal)"
    rounds: ClassVar[int] = 2

    wording: Name = "mm-sap"

    def asking_items(self, release: Release) -> Ask:
        """Return the function that asks: first every repetition, then the declined ones once more."""
        return _forcing(self, release, lambda released: self.ask(released, ()))


def _forcing(protocol: Templated, release: Release, first: Callable[[Released], Sequence[ProtocolQuestion]]) -> Ask:
    """Return the function that asks the first round with `first`, and the second depending on the options chosen."""
    sealed = release.withheld_splits

    def ask(released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        if not earlier:
            return first(released)
        again = _asked_again_sealed if released.split in sealed else _asked_again
        return again(protocol, released, earlier)

    return ask


def _asked_again(protocol: Templated, released: Released, earlier: Sequence[JudgedReply]) -> list[ProtocolQuestion]:
    """Return the declined questions without the option that declines, and with the other options in the same order.

    An item that nothing in the picture answers is not asked again, because it is unknown in any case.
    """
    item = released.item
    if item.answered_key is None or item.refusal is None:
        return []
    return [_without_chosen(protocol, released, attempt) for attempt in earlier if attempt.letter == item.refusal]


def _asked_again_sealed(
    protocol: Templated, released: Released, earlier: Sequence[JudgedReply]
) -> list[ProtocolQuestion]:
    """Return every answered question of a sealed item without the chosen option.

    Only the key states which option declines, and whether declining is right. Everything that `_asked_again` may ask
    with the key is therefore asked, whichever option was chosen, so that the questions reveal neither.
    """
    return [_without_chosen(protocol, released, attempt) for attempt in earlier if attempt.letter is not None]


def _without_chosen(protocol: Templated, released: Released, attempt: JudgedReply) -> ProtocolQuestion:
    item, order = released.item, _order_of(released.item, attempt.variant)
    left = [place for place in order if item.choices[place].key != attempt.letter]
    moved, keys = _arranged(question_of(released), left)
    return protocol.put(item, moved, variant=f"{attempt.variant}{AGAIN}", keys=keys)


def _order_of(item: Item, variant: str) -> list[int]:
    return shuffled(item, int(variant[1:])) if variant != "first" else list(range(len(item.choices)))


def _rotations(item: Item) -> list[list[int]]:
    count = len(item.choices)
    return [list(range(count))] if item.kind == "yes_no" else rotations(count)
