"""Counting, as in BLINK (section 3.2): how many are there? The right number stands among three others.

BLINK takes the questions of TallyQA; boxes that people drew around every instance of a thing make such questions too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from benchwright.estimates import ESTIMATED_BY
from benchwright.records import ImageRecord

from ..ground_truth import MARKED_BY, CountQuestion, GroundTruth, RecordTruth
from ..item_parts.marks import SizeWH
from ..sources.truth_plans import CONTRADICTED, ChosenRecord, Plan, TruthPictures, Wording, with_contradictions
from ..sources.truth_tasks import TruthTask

OPTIONS = 4


def other_numbers(count: int, reach: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return three other numbers near a count, none below 0.

    How many of them lie below the count is drawn first, each number as likely as any other that is possible. So the
    right number is no more often a middle one than the smallest or the largest.

    Args:
        count: The right number.
        reach: Largest distance of the others from it, at least 3.
        rng: Random generator.
    """
    below = np.arange(max(0, count - reach), count)
    above = np.arange(count + 1, count + reach + 1)
    number_below = int(rng.integers(0, min(OPTIONS - 1, len(below)) + 1))
    lower = rng.choice(below, number_below, replace=False)
    higher = rng.choice(above, OPTIONS - 1 - number_below, replace=False)
    return tuple(sorted(int(number) for number in (*lower, *higher)))


class Counting(TruthTask):
    """Make items that ask how many there are, with four numbers as options; needs TallyQA before it, or marks.

    BLINK's counting. Right numbers are taken in turn, so that a common one is not right more often than it must be.

    Args:
        min_count: Smallest right number.
        max_count: Largest right number; people lose count of more.
        reach: Largest distance of the other numbers from the right one; they may be closer, but never below 0.
        questions: Questions that are used: `simple` ones, which detecting one kind of thing answers, `complex` ones,
            or `all`. `simple` and `complex` leave out those of which the dataset does not say it.

    Reasons:
        out_of_range (drop): The right number is below `min_count` or above `max_count`.
        other_question (drop): The question is not of the sort that `questions` names.
        no_question (drop): The text does not end with a question mark.
        contradicted (drop): The same question about the same picture has another number, too.
    """

    name: ClassVar[str] = "counting"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (CountQuestion,)
    is_marked: ClassVar[bool] = True

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
    ) -> Iterable[RecordTruth[Any]]:
        """Yield the questions; those that another one contradicts say so."""
        del sizes_wh, seed
        return with_contradictions(truths, lambda truth: _normal(truth.question).lower(), lambda truth: truth.count)

    def planned(
        self, truth: RecordTruth[CountQuestion], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Choose the other numbers."""
        del pictures
        asked = truth.truth
        if not self.min_count <= asked.count <= self.max_count:
            return "out_of_range"
        if self.questions != "all" and asked.is_simple is not (self.questions == "simple"):
            return "other_question"
        if CONTRADICTED in asked.original:
            return CONTRADICTED
        question = _normal(asked.question)
        if not question.endswith("?"):
            return "no_question"
        others = other_numbers(asked.count, self.reach, rng)
        order = rng.permutation(len(others)).tolist()
        document = {
            "question": question[:1].upper() + question[1:],
            "count": asked.count,
            "others": [others[number] for number in order],
            "collected": asked.collected,
        }
        return Plan((0, 1, 2, 3), str(asked.count), document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Put the right number in its place among the others."""
        del shown
        plan = chosen.plan
        numbers = list(plan["others"])
        numbers.insert(chosen.letter, plan["count"])
        return Wording(
            plan["question"],
            tuple(str(number) for number in numbers),
            ((0, "reference", ()),),
            evidence={name: plan[name] for name in ("count", "others", "collected")},
            written_by="person" if {MARKED_BY, ESTIMATED_BY}.isdisjoint(chosen.original) else "template",
        )


def _normal(question: str) -> str:
    return " ".join(question.split())
