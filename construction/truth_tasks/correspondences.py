"""Tasks that mark a point in one picture and four in another, one of them corresponding: semantic and functional.

Objects are usually photographed upright and whole, so that a point's position in one picture reveals much about its
position in another one. In `hardened` mode, the four points are chosen first. A rectangle is placed in the first
picture so that any of the four can be at the same position in it, and then a random draw decides which of them is
there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.steps import TaskRegion

from ..item_parts.marks.picture_views import VIEWS, drawn_equal, equal_view, view_of
from ..item_parts.marks.rings import Point, chosen_apart, is_off_border, rings_fit
from ..item_parts.options.modes import Mode
from ..item_parts.wording.wordings import Wordings
from .truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures
from .truth_tasks import TruthTask

OPTIONS = 4
_LETTERS_OF_OPTIONS = ("A", "B", "C", "D")
_REFERENCE = "REF"
_SURROUNDINGS = 0.08
"""Smallest distance of the reference from the border of the crop, as a fraction of its shorter side, so that the
object under it is visible.
"""


class CorrespondenceTask(TruthTask):
    """A task about a point in one picture and its counterpart among four points in another.

    Args:
        min_distance: Smallest distance between any two of the four points, as a fraction of the shorter side of the
            picture.
        margin: Smallest distance of a point from the border of its picture, as a fraction of the shorter side.
        mode: `hardened`: the first picture is cropped so that each of the four points could be at the reference's
            position. `paper`: any point of both pictures is the reference, on the whole picture.
        min_view: In `hardened` mode, smallest width and height of the crop, as fractions of the picture's.

    Reasons:
        too_few_points (drop): Fewer than four points are known in both pictures, or far enough from the border.
        too_close (drop): No four of the points are `min_distance` apart.
        too_spread (drop): In `hardened` mode: any four such points are so far apart in the first picture, or so near
            its border, that the crop would be smaller than `min_view` or `min_side_px`, or the reference at its edge.
        no_room_for_labels (drop): The rings leave no space for their labels.
    """

    task_region: ClassVar[TaskRegion] = TaskRegion(under_marks=False)
    version: ClassVar[int] = 2

    mode: Mode = "hardened"
    min_distance: float = Field(0.1, ge=0.02, le=1)
    margin: float = Field(0.02, ge=0, le=0.4)
    min_view: float = Field(0.4, gt=0, lt=1)

    def planned_points(
        self,
        first: Sequence[Point],
        second: Sequence[Point],
        pictures: TruthPictures,
        rng: np.random.Generator,
        more: dict[str, Any],
    ) -> ItemPlan | str:
        """Return the plan for a reference and three wrong points, drawn at random, or the reason why there is none.

        Args:
            first: Points of the first picture.
            second: Corresponding points of the second picture, in the same order.
            pictures: Both pictures.
            rng: Random generator.
            more: Further content of the plan's document.
        """
        points = [[pictures.shown(number, point) for point in side] for number, side in enumerate((first, second))]
        is_clear = [
            [
                is_off_border(point, pictures.shown_wh[number], margin_px=self.margin * pictures.short_side(number))
                for point in side
            ]
            for number, side in enumerate(points)
        ]
        if self.mode == "hardened":
            in_both = [number for number in range(len(first)) if is_clear[0][number] and is_clear[1][number]]
            return self._planned_in_view(first, points[1], in_both, pictures, rng, more)
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
                return ItemPlan((0, 1, 2, 3), "point", document)
        return "too_close"

    def _planned_in_view(
        self,
        first: Sequence[Point],
        shown: Sequence[Point],
        numbers: Sequence[int],
        pictures: TruthPictures,
        rng: np.random.Generator,
        more: dict[str, Any],
    ) -> ItemPlan | str:
        """Return the plan in `hardened` mode: four points, a view that could show any of them at the reference's
        position, and the point that the view shows there.

        Args:
            first: Points of the first picture, in its own pixels.
            shown: Points of the second picture as shown.
            numbers: Indices of the points that are clear in both pictures.
            pictures: Both pictures.
            rng: Random generator.
            more: Further content of the plan's document.
        """
        if len(numbers) < OPTIONS:
            return "too_few_points"
        groups = np.array(list(combinations(numbers, OPTIONS)))
        places = np.array(shown)
        away = np.hypot(*np.moveaxis(places[:, None] - places[None], 2, 0))
        pairs = [away[groups[:, place], groups[:, other]] for place, other in combinations(range(OPTIONS), 2)]
        groups = groups[np.min(pairs, axis=0) >= self.min_distance * pictures.short_side(1)]
        if not len(groups):
            return "too_close"
        size_wh, of_groups = np.array(pictures.sizes_wh[0]), np.array(first)[groups]
        crops = size_wh - np.ptp(of_groups, axis=1)
        around = np.minimum(of_groups.min(axis=1), size_wh - of_groups.max(axis=1)).min(axis=1)
        is_large = (crops >= np.maximum(self.min_view * size_wh, self.min_side_px)).all(axis=1)
        groups = groups[is_large & (around >= _SURROUNDINGS * crops.min(axis=1))]
        if not len(groups):
            return "too_spread"
        group = rng.permutation(groups[rng.integers(len(groups))]).tolist()
        reference, *wrong = group
        rectangle = equal_view([first[number] for number in group], pictures.sizes_wh[0])
        view = drawn_equal(rectangle, first[reference], max_side_px=self.max_side_px)
        document = {
            "reference": view.at(first[reference]),
            "right": shown[reference],
            "wrong": [shown[number] for number in wrong],
            "numbers": {"reference": reference, "wrong": wrong},
            VIEWS: [view.document(), None],
            **more,
        }
        return ItemPlan((0, 1, 2, 3), "point", document)

    def refused(self, plan: ItemPlan, pictures: TruthPictures) -> str | None:
        """Return whether, for some position of the right option, the rings leave no space for their labels."""
        right, wrong = plan.document["right"], list(plan.document["wrong"])
        orders = [[*wrong[:place], right, *wrong[place:]] for place in range(OPTIONS)]
        view = view_of(plan.document, 0)
        first_wh = pictures.shown_wh[0] if view is None else view.size_wh
        fits = rings_fit([plan.document["reference"]], [_REFERENCE], first_wh) and all(
            rings_fit(order, _LETTERS_OF_OPTIONS, pictures.shown_wh[1]) for order in orders
        )
        return None if fits else "no_room_for_labels"

    @staticmethod
    def worded_points(chosen: ChosenRecord, question: Wordings, attributes: dict[str, str]) -> ItemWording:
        """Return the item's own part, with the right point at its position among the wrong ones."""
        plan = chosen.plan
        points = [tuple(point) for point in plan["wrong"]]
        points.insert(chosen.letter, tuple(plan["right"]))
        return ItemWording(
            question,
            tuple(f"Point {letter}" for letter in _LETTERS_OF_OPTIONS),
            (
                (0, "view", ((tuple(plan["reference"]), _REFERENCE),)),
                (1, "view", tuple(zip(points, _LETTERS_OF_OPTIONS, strict=True))),
            ),
            evidence=plan,
            attributes=attributes,
        )
