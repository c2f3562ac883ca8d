"""Relative depth, as in BLINK (section 3.2): which of two marked points is closer to the camera?

BLINK takes the point pairs of DIW; people can mark such pairs in a campaign `mark` too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from benchwright.records import ImageRecord

from ..ground_truth.truths import DepthComparison, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.modes import Hardening
from ..item_parts.picture_views import VIEWS, view_of
from ..item_parts.wordings import Wordings
from ..truth_tasks.point_pairs import NOT_LEVELLED, PointPairTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures

QUESTIONS = Wordings(
    "Two points are marked in the picture, A and B. Which of them is closer to the camera?",
    "Compare the points inside the rings A and B. Which one is nearer to the camera?",
    "The rings A and B each mark a point of the scene. Which point was closer to the camera when the picture "
    "was taken?",
)
OPTIONS = ("A is closer", "B is closer")


class RelativeDepth(PointPairTask):
    """Make items that ask which of two points is closer to the camera; needs DIW before it, or marks.

    BLINK's relative depth. Which of the points is A follows from the seed, so that A and B are right equally often.

    Most points that lie lower, or nearer to the centre, are closer. So in `hardened` mode only points of about the same
    height are asked about, as in half of DIW's pairs, each in a view of the picture in which both lie level and equally
    far from the middle; a coin mirrors it.

    Args:
        mode: `hardened`, or `paper`: the points of any pair, on the whole picture as it is.
        twins: In `hardened` mode, whether each pair of points makes two items, one mirrored, with the rings at the same
            places; both have a group key `twin:...`, by which scores count them together.
    """

    name: ClassVar[str] = "relative_depth"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (DepthComparison,)
    hardening: ClassVar[Hardening] = Hardening(
        NOT_LEVELLED, "where the points lie: the lower one, and the one nearer to the centre, is mostly closer"
    )
    is_marked: ClassVar[bool] = True

    twins: bool = False

    @property
    def items_of_each(self) -> int:
        """Return how many items it makes of a pair of points."""
        return 2 if self.twins and self.mode == "hardened" else 1

    def twin_of(self, entry: ChosenRecord) -> ChosenRecord | None:
        """Return the same points in the mirrored view, where the other ring marks the closer one."""
        if self.items_of_each == 1:
            return None
        view = view_of(entry.plan, 0)
        assert view is not None, "hardened pairs are shown in views"
        points = {name: view.across(entry.plan[name]) for name in ("first", "second")}
        return entry._replace(
            letter=1 - entry.letter, plan={**entry.plan, **points, VIEWS: [view.mirrored().document()]}
        )

    def planned(
        self, truth: RecordTruth[DepthComparison], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Check the points; in `hardened` mode choose the view."""
        compared = truth.truth
        if self.mode == "hardened":
            view = self.level(pictures, compared.first, compared.second)
            if isinstance(view, str):
                return view
            seen = self.seen_in(view, (compared.first, compared.second), rng)
            return seen if isinstance(seen, str) else ItemPlan((0, 1), "differs", {**seen, "closer": compared.closer})
        points = self.shown_points(pictures, compared.first, compared.second)
        if isinstance(points, str):
            return points
        document = {"first": points[0], "second": points[1], "closer": compared.closer}
        return ItemPlan((0, 1), "differs", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Call the closer point by the letter that is right."""
        del shown
        plan = chosen.plan
        closer, farther = tuple(plan["first"]), tuple(plan["second"])
        if plan["closer"] == "second":
            closer, farther = farther, closer
        a, b = (closer, farther) if chosen.letter == 0 else (farther, closer)
        return ItemWording(QUESTIONS, OPTIONS, ((0, "reference", ((a, "A"), (b, "B"))),), evidence=plan)
