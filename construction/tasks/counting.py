"""Counting, as in BLINK (section 3.2): how many are there? The right number stands among three others.

BLINK takes the questions of TallyQA; boxes that people drew around every instance of a thing make such questions too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from benchwright.records import ImageRecord
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.seeds import generator_for, seed_for

from ..distractors.sources import other_numbers
from ..ground_truth.truths import MARKED_BY, CountQuestion, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks import SizeWH
from ..item_parts.modes import Hardening, Mode
from ..item_parts.wording import count_wordings
from ..truth_tasks.truth_plans import (
    CONTRADICTED,
    ChosenRecord,
    ItemPlan,
    ItemWording,
    TruthPictures,
    UnusedTruth,
    with_contradictions,
)
from ..truth_tasks.truth_tasks import TruthTask

OPTIONS = 4
_PROJECTIONS, _SLACK = 500, 1e-6
_NO_NEAR = "no_near_counts"
_NEIGHBOURS = 6
"""Larger counts among which the options beside a smallest one are chosen, so that many counts take no longer."""


class OfferedCount(CountQuestion):
    """A question with the four numbers among which its count stands, in ascending order."""

    options: tuple[int, ...]


def option_shares(frequencies: Mapping[int, int], reach: int) -> dict[tuple[int, ...], float]:
    """Return how many questions each four numbers may serve so that each of the four is right in as many of them.

    If every right number of four is as likely, who sees the four cannot tell which is right, however common a number is
    among the questions. The numbers of questions are a share of every four's weight: the solution of largest entropy
    under the frequencies, by Bregman's projections (each number's weight is lowered until its questions suffice).

    Args:
        frequencies: Number of questions by their count.
        reach: Largest difference of any two of the four.

    Returns:
        For each four numbers, ascending, the expected number of questions with each of them as count. The sum of all
        fours that hold a number is at most its frequency.
    """
    numbers = sorted(frequencies)
    fours = [
        four
        for place, least in enumerate(numbers)
        for more in combinations(numbers[place + 1 : place + 1 + _NEIGHBOURS], OPTIONS - 1)
        if (four := (least, *more))[-1] - least <= reach
    ]
    weights = dict.fromkeys(numbers, 1.0)
    largest = 0.0
    shares = np.full(len(fours), float(sum(frequencies.values())))
    holding = {number: [place for place, four in enumerate(fours) if number in four] for number in numbers}
    for _ in range(_PROJECTIONS):
        largest = 0.0
        for number, places in holding.items():
            if places:
                ratio = float(shares[places].sum()) / frequencies[number]
                largest = max(largest, ratio)
                weight = min(1.0, weights[number] / ratio)
                shares[places] *= weight / weights[number]
                weights[number] = weight
        if largest <= 1 + _SLACK:
            break
    shares /= max(1.0, largest)
    return {four: float(share) for four, share in zip(fours, shares, strict=True)}


class Counting(TruthTask):
    """Make items that ask how many there are, with four numbers as options; needs TallyQA before it, or marks.

    BLINK's counting. In `paper` mode right numbers are taken in turn, so that a common one is not right more often
    than it must be. But small numbers are common, so that the smaller ones of four options are right more often. In
    `hardened` mode four numbers near each other are offered equally often with each of them right: how many
    questions of each count there are says how often that can be, and the seed says which of them serve and among
    which four. Nouns still tell something, as people are seldom counted to nine.

    Args:
        mode: `hardened`, or `paper`: three other numbers near the right one, and all questions.
        min_count: Smallest right number.
        max_count: Largest right number; people lose count of more.
        reach: Largest distance of the other numbers from the right one; they may be closer, but never below 0. In
            `hardened` mode, largest difference of any two options.
        questions: Questions that are used: `simple` ones, which detecting one kind of thing answers, `complex` ones,
            or `all`. `simple` and `complex` leave out those of which the dataset does not say it.

    Reasons:
        out_of_range (drop): The right number is below `min_count` or above `max_count`.
        other_question (drop): The question is not of the sort that `questions` names.
        no_question (drop): The text does not end with a question mark.
        contradicted (drop): The same question about the same picture has another number, too.
        too_common (drop): In `hardened` mode: more questions have this number than numbers near it, and the seed left
            this one out.
        no_near_counts (drop): In `hardened` mode: no three other numbers within `reach` are right anywhere.
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
    questions: Literal["all", "simple", "complex"] = "all"

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> Counting:
        if self.max_count < self.min_count:
            raise ValueError(f"max_count {self.max_count} is below min_count {self.min_count}; swap them")
        return self

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the questions; those that another one contradicts say so, and in `hardened` mode those that serve have
        their options.
        """
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
        shares = option_shares(Counter(truth.truth.count for truth in usable), self.reach)
        served = {}
        for count in sorted({truth.truth.count for truth in usable}):
            order = sorted(
                (truth for truth in usable if truth.truth.count == count),
                key=lambda truth: seed_for(seed, self.name, truth.record, "options"),
            )
            fours = [four for four in shares if count in four]
            ends = np.cumsum([shares[four] / len(order) for four in fours])
            # Every four gets its share of the questions to within one, which draws of each on its own would not give.
            start = generator_for(seed, self.name, str(count), "options").random()
            places = np.searchsorted(ends, (np.arange(len(order)) + start) / len(order), "right").tolist()
            for truth, place in zip(order, places, strict=True):
                served[truth.record] = fours[place] if place < len(fours) else "too_common" if fours else _NO_NEAR
        for truth in usable:
            options = served[truth.record]
            if isinstance(options, str):
                yield UnusedTruth(truth, options)
            else:
                yield truth._replace(truth=OfferedCount(**truth.truth.model_dump(), options=options))

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
        """Choose the other numbers, and put them into an order by chance."""
        del pictures
        counted = truth.truth
        if (reason := self._refusal(counted)) is not None:
            return reason
        if isinstance(counted, OfferedCount):
            others = tuple(number for number in counted.options if number != counted.count)
            answer = "number"  # counts are not taken in turn: that would undo how often each is right
        else:
            others, answer = other_numbers(counted.count, self.reach, rng), str(counted.count)
        order = rng.permutation(len(others)).tolist()
        question = _normal(counted.question)
        document = {
            "question": question[:1].upper() + question[1:],
            "count": counted.count,
            "others": [others[number] for number in order],
            "collected": counted.collected,
        }
        return ItemPlan((0, 1, 2, 3), answer, document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Put the right number in its place among the others."""
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
