"""Tasks that mark a point in one picture and four in another, of which one is the same: semantic and functional."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from ..item_parts.marks import Point, chosen_apart, is_off_border, rings_fit
from .truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from .truth_tasks import TruthTask

OPTIONS = 4
LETTERS_OF_OPTIONS = ("A", "B", "C", "D")
REFERENCE = "REF"


class CorrespondenceTask(TruthTask):
    """A task about a point of one picture and its counterpart among four of another.

    Args:
        min_distance: Smallest distance of any two of the four points, as a fraction of the shorter side of the picture.
        margin: Smallest distance of a point from the border of its picture, as a fraction of the shorter side.

    Reasons:
        too_few_points (drop): Fewer than four points are known in both pictures, or lie off the border.
        too_close (drop): No four of the points are `min_distance` apart.
        no_room_for_labels (drop): The rings leave their labels no room.
    """

    min_distance: float = Field(0.1, ge=0.02, le=1)
    margin: float = Field(0.02, ge=0, le=0.4)

    def planned_points(
        self,
        first: Sequence[Point],
        second: Sequence[Point],
        pictures: TruthPictures,
        rng: np.random.Generator,
        more: dict[str, Any],
    ) -> Plan | str:
        """Return the plan for a reference drawn by chance and three wrong points, or the reason why there is none.

        Args:
            first: Points of the first picture.
            second: Points of the second picture that mean the same, in the same order.
            pictures: Both pictures.
            rng: Random generator.
            more: What else the plan's document holds.
        """
        points = [[pictures.shown(number, point) for point in side] for number, side in enumerate((first, second))]
        is_clear = [
            [
                is_off_border(point, pictures.shown_wh[number], margin_px=self.margin * pictures.short_side(number))
                for point in side
            ]
            for number, side in enumerate(points)
        ]
        usable = [number for number in range(len(first)) if is_clear[1][number]]
        references = [number for number in rng.permutation(len(first)).tolist() if is_clear[0][number]]
        references = [number for number in references if is_clear[1][number]]
        if len(usable) < OPTIONS or not references:
            return "too_few_points"
        order = [number for number in rng.permutation(len(first)).tolist() if is_clear[1][number]]
        for reference in references:
            wrong = chosen_apart(
                points[1],
                [number for number in order if number != reference],
                [reference],
                count=OPTIONS - 1,
                distance_px=self.min_distance * pictures.short_side(1),
            )
            if wrong is not None:
                document = {
                    "reference": points[0][reference],
                    "right": points[1][reference],
                    "wrong": [points[1][number] for number in wrong],
                    "numbers": {"reference": reference, "wrong": wrong},
                    **more,
                }
                return Plan((0, 1, 2, 3), "point", document)
        return "too_close"

    def refused(self, plan: Plan, pictures: TruthPictures) -> str | None:
        """Return whether the rings leave their labels no room, wherever the right one stands."""
        right, wrong = plan.document["right"], list(plan.document["wrong"])
        orders = [[*wrong[:place], right, *wrong[place:]] for place in range(OPTIONS)]
        fits = rings_fit([plan.document["reference"]], [REFERENCE], pictures.shown_wh[0]) and all(
            rings_fit(order, LETTERS_OF_OPTIONS, pictures.shown_wh[1]) for order in orders
        )
        return None if fits else "no_room_for_labels"

    @staticmethod
    def worded_points(chosen: ChosenRecord, question: str, attributes: dict[str, str]) -> Wording:
        """Return the item's own part, with the right point in its place among the wrong ones."""
        plan = chosen.plan
        points = [tuple(point) for point in plan["wrong"]]
        points.insert(chosen.letter, tuple(plan["right"]))
        return Wording(
            question,
            tuple(f"Point {letter}" for letter in LETTERS_OF_OPTIONS),
            (
                (0, "view", ((tuple(plan["reference"]), REFERENCE),)),
                (1, "view", tuple(zip(points, LETTERS_OF_OPTIONS, strict=True))),
            ),
            evidence=plan,
            attributes=attributes,
        )
