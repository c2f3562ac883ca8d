"""What the two tasks with right answers share: how a question with its options becomes an item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from benchwright.records import LETTERS, ImageRecord

from ..ground_truth import RecordTruth
from ..item_parts.choices import capital
from ..item_parts.modes import Mode
from ..sources.truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from .exchanged import OfferedQuestion
from .refusing import PLACES, RefusingTask


class OfferingTask(RefusingTask):
    """A task whose questions have a right answer, three wrong ones, and an option that declines."""

    item_level: ClassVar[str | None]
    """Level of its items."""

    mode: Mode = "hardened"

    def planned(
        self, truth: RecordTruth[OfferedQuestion], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Put the wrong options into an order by chance."""
        del pictures
        offered = truth.truth
        order = rng.permutation(len(offered.wrong)).tolist()
        document = {
            "question": capital(offered.question),
            "right": capital(offered.right),
            "wrong": [capital(offered.wrong[number]) for number in order],
            "sources": [offered.sources[number] for number in order],
            "category": offered.category,
            "difficulty": offered.difficulty,
            "evidence": offered.evidence,
        }
        return Plan(PLACES, offered.category, document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Put the right option and the one that declines in their places."""
        del shown
        plan = chosen.plan
        author = str(plan["evidence"].get("written_by", "template"))
        sources = dict(zip(plan["wrong"], plan["sources"], strict=True))
        evidence = {key: value for key, value in plan["evidence"].items() if key != "written_by"}
        return Wording(
            plan["question"],
            self.options(plan, chosen.letter),
            ((0, "reference", ()),),
            evidence={**evidence, "distractors": sources, "difficulty": plan["difficulty"]},
            written_by=author,
            refusal=LETTERS[plan["refusal"]],
            level=self.item_level,
            category=plan["category"],
        )
