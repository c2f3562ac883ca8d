"""Relative reflectance, as in BLINK (section 3.2): which of two marked surfaces is darker, whatever the light?

BLINK takes the comparisons that people made for IIW; people can make them in a campaign `mark` too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord

from ..ground_truth import MARKED_BY, GroundTruth, RecordTruth, ReflectanceComparison
from ..item_parts.marks import Point, SizeWH
from ..sources.point_pairs import PointPairTask
from ..sources.truth_plans import CONTRADICTED, ChosenRecord, Plan, TruthPictures, Wording, with_contradictions

QUESTION = (
    "Two rings, A and B, mark a point each. Think of the material at these points, not of the light or shadow that "
    "falls on it: the surface at which point has the darker colour?"
)
OPTIONS = ("The surface at A is darker", "The surface at B is darker", "Both are about the same")


class RelativeReflectance(PointPairTask):
    """Make items that ask which of two points has the darker surface; needs IIW before it, or marks.

    BLINK's relative reflectance. Options are always A, B and about the same, in this order; which point is A follows
    from the seed, so that all three are right equally often as far as the comparisons allow it.

    Args:
        min_weight: Smallest weight of a comparison, in the dataset's own scale; what people marked counts always.

    Reasons:
        unsure (drop): The comparison's weight is below `min_weight`.
        contradicted (drop): Another comparison of the same two points says something else.
    """

    name: ClassVar[str] = "relative_reflectance"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (ReflectanceComparison,)
    is_marked: ClassVar[bool] = True

    min_weight: float = Field(0.5, ge=0)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterable[RecordTruth[Any]]:
        """Yield the comparisons; those that another one contradicts say so."""
        del sizes_wh, seed
        return with_contradictions(truths, lambda truth: frozenset((truth.first, truth.second)), _darker)

    def planned(
        self, truth: RecordTruth[ReflectanceComparison], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Check the comparison and its points."""
        del rng
        compared = truth.truth
        if CONTRADICTED in compared.original:
            return CONTRADICTED
        if compared.weight < self.min_weight and MARKED_BY not in compared.original:
            return "unsure"
        points = self.shown_points(pictures, compared.first, compared.second)
        if isinstance(points, str):
            return points
        document = {
            "first": points[0], "second": points[1], "darker": compared.darker, "weight": compared.weight,
        }  # fmt: skip
        if compared.darker == "equal":
            return Plan((2,), "equal", document)
        return Plan((0, 1), "differs", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Call the darker point by the letter that is right."""
        del shown
        plan = chosen.plan
        first, second = tuple(plan["first"]), tuple(plan["second"])
        is_swapped = (chosen.letter == 1) if plan["darker"] == "first" else (chosen.letter == 0)
        if plan["darker"] == "equal":
            is_swapped = False
        a, b = (second, first) if is_swapped else (first, second)
        return Wording(QUESTION, OPTIONS, ((0, "reference", ((a, "A"), (b, "B"))),), evidence=plan)


def _darker(compared: ReflectanceComparison) -> Point | None:
    return {"first": compared.first, "second": compared.second, "equal": None}[compared.darker]
