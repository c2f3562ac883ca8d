"""Counting, as in BLINK (section 3.2): how many are there? The right number is offered among three others.

BLINK takes its questions from TallyQA; boxes around all instances of an object also yield such questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from benchwright.records import ImageRecord
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.seeds import generator_for, seed_for

from ..distractors.sources import other_numbers
from ..ground_truth.truths import MARKED_BY, CountQuestion, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import SizeWH
from ..item_parts.options.even_shares import even_shares, served
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.wording.english_words import count_wordings
from ..truth_tasks.truth_plans import (
    CONTRADICTED,
    ChosenRecord,
    ItemPlan,
    ItemWording,
    TruthPictures,
    UnusedTruth,
    with_contradictions,
)
from ..truth_tasks.truth_tasks import TWIN, TruthTask

OPTIONS = 4
_NO_NEAR = "no_near_counts"
_NEIGHBOURS = 6
"""Number of larger counts from which the options other than the smallest are chosen; limits the running time."""


class OfferedCount(CountQuestion):
    """A question with the four numbers offered, which include its count.

    Args:
        options: The numbers.
        is_placed: Whether their order is fixed, as for twins.
    """

    options: tuple[int, ...]
    is_placed: bool = False


class _Serves(NamedTuple):
    """The numbers that a question offers, and the name shared with its twin."""

    options: tuple[int, ...]
    twin: str | None = None


class _QuestionPair(NamedTuple):
    """The same question about two pictures."""

    first: RecordTruth[CountQuestion]
    second: RecordTruth[CountQuestion]

    @property
    def counts(self) -> tuple[int, int]:
        """Return both counts, the smaller one first."""
        low, high = sorted((self.first.truth.count, self.second.truth.count))
        return low, high


def option_shares(frequencies: Mapping[int, int], reach: int) -> dict[tuple[int, ...], float]:
    """Return for how many questions each set of four numbers may be used so that each of the four is right equally
    often.

    If all four are equally likely, they do not reveal which one is right, however common a number is among the
    questions. The result is the maximum-entropy solution given the frequencies, found by Bregman projections (the
    weight of each number is lowered until its questions suffice).

    Args:
        frequencies: Number of questions by their count.
        reach: Largest difference of any two of the four.

    Returns:
        For each set of four ascending numbers, the expected number of questions that have each of them as their count.
        The sum over all sets that contain a number is at most the frequency of that number.
    """
    numbers = sorted(frequencies)
    fours = [
        four
        for place, least in enumerate(numbers)
        for more in combinations(numbers[place + 1 : place + 1 + _NEIGHBOURS], OPTIONS - 1)
        if (four := (least, *more))[-1] - least <= reach
    ]
    return dict(zip(fours, even_shares(dict(frequencies), fours), strict=True))


def pair_shares(
    frequencies: Mapping[tuple[int, int], int], reach: int
) -> dict[tuple[int, ...], dict[tuple[int, int], float]]:
    """Return for how many pairs of questions each set of four numbers may be used, by the counts of a pair, so that
    each of the four is right equally often.

    A pair uses two of the four numbers, and equally many other pairs use the remaining two.

    Args:
        frequencies: Number of pairs by their two counts, ascending.
        reach: Largest difference of any two of the four.

    Returns:
        For each set of four ascending numbers, the expected number of pairs that have each two of them as their counts.
    """
    halves = [
        ((first, second), (third, fourth), tuple(sorted((first, second, third, fourth))))
        for (first, second), (third, fourth) in combinations(sorted(frequencies), 2)
        if len({first, second, third, fourth}) == OPTIONS and max(second, fourth) - min(first, third) <= reach
    ]
    shares = even_shares(dict(frequencies), [half[:2] for half in halves])
    of_fours: dict[tuple[int, ...], dict[tuple[int, int], float]] = {}
    for (first_pair, second_pair, four), share in zip(halves, shares, strict=True):
        of_fours.setdefault(four, dict.fromkeys(frequencies, 0.0))
        of_fours[four][first_pair] += share
        of_fours[four][second_pair] += share
    return of_fours


class Counting(TruthTask):
    """Make items that ask how many there are, with four numbers as options; needs TallyQA before it, or marks.

    Follows BLINK's counting. In `paper` mode, right numbers take turns, so that a common one is not right more often
    than necessary. Because small numbers are common, the smaller of the four options are nevertheless right more often.
    In `hardened` mode, a set of four similar numbers is offered equally often with each of them right. How often this
    is possible depends on the number of questions with each count; the seed chooses the questions and their four
    numbers. Nouns still reveal something: questions about people, for instance, seldom have the answer nine.

    Args:
        mode: `hardened`, or `paper`: three other numbers near the right one, and all questions.
        min_count: Smallest right number.
        max_count: Largest right number; people lose count of more objects.
        reach: Largest distance of the other numbers from the right one; they may be closer, but are never below 0. In
            `hardened` mode, largest difference between any two options.
        twins: In `hardened` mode, whether items are made in pairs: the same question about two pictures, with the same
            numbers in the same order, but a different right one. Both items have a group key `twin:...`, by which
            scores count them together. Requires questions that are asked about many pictures.
        questions: Questions to use: `simple` ones, which can be answered by detecting one kind of object, `complex`
            ones, or `all`. `simple` and `complex` leave out questions that the dataset does not classify.

    Reasons:
        out_of_range (drop): The right number is below `min_count` or above `max_count`.
        other_question (drop): The question is not of the kind in `questions`.
        no_question (drop): The text does not end with a question mark.
        contradicted (drop): The same question about the same picture occurs with another number.
        too_common (drop): In `hardened` mode: more questions have this number than similar numbers, and the seed left
            this one out.
        no_twin (drop): With `twins`: no other picture is left with the same question and a different number near this
            one.
        no_near_counts (drop): In `hardened` mode: no three other numbers within `reach` are right for any question.
    """

    name: ClassVar[str] = "counting"
    hardening: ClassVar[Hardening] = Hardening(
        {
            "no_near_counts": "each of four numbers near each other must be right somewhere: count more things, of "
            "more different numbers, or set a larger `reach`",
            "too_common": "numbers near each other must be right equally often: count more things whose number is rare "
            "here",
        },
        "the numbers themselves: the smaller ones of four are right more often",
    )
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (CountQuestion,)
    is_marked: ClassVar[bool] = True

    mode: Mode = "hardened"
    min_count: int = Field(0, ge=0)
    max_count: int = Field(15, ge=1, le=1000)
    reach: int = Field(3, ge=3, le=50)
    twins: bool = False
    questions: Literal["all", "simple", "complex"] = "all"

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> Counting:
        if self.max_count < self.min_count:
            raise ValueError(f"max_count {self.max_count} is below min_count {self.min_count}; swap them")
        return self

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the questions; contradicted ones are marked, and in `hardened` mode usable ones have their options."""
        del sizes_wh
        checked = with_contradictions(truths, lambda truth: _normal(truth.question).lower(), lambda truth: truth.count)
        if self.mode == "paper":
            yield from checked
            return
        usable: list[RecordTruth[CountQuestion]] = []
        for truth in checked:
            reason = self._refusal(truth.truth)
            if reason is None:
                usable.append(truth)
            else:
                yield UnusedTruth(truth, reason)
        options = self._options_of_twins(usable, seed) if self.twins else self._options(usable, seed)
        for truth in usable:
            serves = options[truth.record]
            if isinstance(serves, str):
                yield UnusedTruth(truth, serves)
            else:
                original = truth.truth.original
                document = truth.truth.model_dump(exclude={"original"})
                if serves.twin is not None:
                    original = {**original, TWIN: serves.twin}
                offered = OfferedCount(**document, original=original, options=serves.options, is_placed=self.twins)
                yield truth._replace(truth=offered)

    def _options(self, usable: Sequence[RecordTruth[CountQuestion]], seed: int) -> dict[str, _Serves | str]:
        """Return, by record, the numbers offered with each question's count, or the reason why the question is
        unusable.
        """
        shares = option_shares(Counter(truth.truth.count for truth in usable), self.reach)
        serves: dict[str, _Serves | str] = {}
        for count in sorted({truth.truth.count for truth in usable}):
            order = sorted(
                (truth for truth in usable if truth.truth.count == count),
                key=lambda truth: seed_for(seed, self.name, truth.record, "options"),
            )
            fours = [four for four in shares if count in four]
            # Every four gets its share of the questions to within one, which separate draws would not give.
            start = generator_for(seed, self.name, str(count), "options").random()
            places = served(len(order), [shares[four] for four in fours], start)
            for truth, place in zip(order, places, strict=True):
                left_out = "too_common" if fours else "no_near_counts"
                serves[truth.record] = left_out if place is None else _Serves(fours[place])
        return serves

    def _options_of_twins(self, usable: Sequence[RecordTruth[CountQuestion]], seed: int) -> dict[str, _Serves | str]:
        """Return what `_options` returns, for pairs that ask one question about two pictures, with the same numbers in
        the same order for both pictures.
        """
        serves: dict[str, _Serves | str] = {truth.record: "no_twin" for truth in usable}
        pairs = self._pairs_of_questions(usable, seed)
        shares = pair_shares(Counter(pair.counts for pair in pairs), self.reach)
        for counts in sorted({pair.counts for pair in pairs}):
            order = [pair for pair in pairs if pair.counts == counts]
            fours = [four for four in shares if set(counts) <= set(four)]
            start = generator_for(seed, self.name, *map(str, counts), "twins").random()
            places = served(len(order), [shares[four][counts] for four in fours], start)
            for pair, place in zip(order, places, strict=True):
                result: _Serves | str = "too_common" if fours else "no_near_counts"
                if place is not None:
                    name = "+".join(sorted((pair.first.record, pair.second.record)))
                    rng = generator_for(seed, self.name, name, "order")
                    result = _Serves(tuple(rng.permutation(fours[place]).tolist()), name)
                serves |= dict.fromkeys((pair.first.record, pair.second.record), result)
        return serves

    def _pairs_of_questions(self, usable: Sequence[RecordTruth[CountQuestion]], seed: int) -> list[_QuestionPair]:
        """Return random pairs that ask one question about two pictures with different counts; a picture is in only one
        pair.
        """
        waiting: dict[str, list[RecordTruth[CountQuestion]]] = defaultdict(list)
        shown: set[str] = set()
        pairs = []
        for truth in sorted(usable, key=lambda truth: seed_for(seed, self.name, truth.record, "twins")):
            if truth.image_ids[0] in shown:
                continue
            others = waiting[_normal(truth.truth.question).lower()]
            other = next((each for each in others if self._may_be_twins(each, truth, shown)), None)
            if other is None:
                others.append(truth)
            else:
                others.remove(other)
                shown |= {truth.image_ids[0], other.image_ids[0]}
                pairs.append(_QuestionPair(other, truth))
        return pairs

    def _may_be_twins(
        self, first: RecordTruth[CountQuestion], second: RecordTruth[CountQuestion], shown: Set[str]
    ) -> bool:
        is_other = first.image_ids != second.image_ids and first.image_ids[0] not in shown
        return is_other and 0 < abs(first.truth.count - second.truth.count) <= self.reach

    def _refusal(self, asked: CountQuestion) -> str | None:
        if not self.min_count <= asked.count <= self.max_count:
            return "out_of_range"
        if self.questions != "all" and asked.is_simple is not (self.questions == "simple"):
            return "other_question"
        if CONTRADICTED in asked.original:
            return CONTRADICTED
        return None if _normal(asked.question).endswith("?") else "no_question"

    def planned(
        self, truth: RecordTruth[CountQuestion], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Choose the other numbers, and put them into random order."""
        del pictures
        counted = truth.truth
        if (reason := self._refusal(counted)) is not None:
            return reason
        letters: tuple[int, ...] = (0, 1, 2, 3)
        if isinstance(counted, OfferedCount):
            others = tuple(number for number in counted.options if number != counted.count)
            answer = "number"  # counts do not take turns: that would undo how often each is right
        else:
            others, answer = other_numbers(counted.count, self.reach, rng), str(counted.count)
        order = rng.permutation(len(others)).tolist()
        if isinstance(counted, OfferedCount) and counted.is_placed:
            order, letters = list(range(len(others))), (counted.options.index(counted.count),)
        question = _normal(counted.question)
        document = {
            "question": question[:1].upper() + question[1:],
            "count": counted.count,
            "others": [others[number] for number in order],
            "collected": counted.collected,
        }
        return ItemPlan(letters, answer, document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the right number at its position among the others."""
        del shown
        plan = chosen.plan
        numbers = list(plan["others"])
        numbers.insert(chosen.letter, plan["count"])
        is_ours = not {MARKED_BY, ESTIMATED_BY}.isdisjoint(chosen.original)
        return ItemWording(
            (count_wordings(plan["question"]) if is_ours else None) or plan["question"],
            tuple(str(number) for number in numbers),
            ((0, "reference", ()),),
            evidence={name: plan[name] for name in ("count", "others", "collected")},
            written_by="template" if is_ours else "person",
        )


def _normal(question: str) -> str:
    return " ".join(question.split())
