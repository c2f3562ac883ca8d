"""Relative depth, as in BLINK (section 3.2): which of two marked points is closer to the camera?

BLINK takes the point pairs of DIW; people can mark such pairs in a campaign `mark` too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from benchwright.records import ImageRecord
from benchwright.seeds import seed_for

from ..ground_truth.truths import DepthComparison, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks import SizeWH
from ..item_parts.modes import Hardening
from ..item_parts.picture_views import VIEWS, tilt_deg, view_of
from ..item_parts.wordings import Wordings
from ..truth_tasks.point_pairs import NOT_LEVELLED, PointPairTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, TruthPictures, UnusedTruth

QUESTIONS = Wordings(
    "Two points are marked in the picture, A and B. Which of them is closer to the camera?",
    "Compare the points inside the rings A and B. Which one is nearer to the camera?",
    "The rings A and B each mark a point of the scene. Which point was closer to the camera when the picture "
    "was taken?",
)
_LEVEL_DEG, _NEAR_DEG = 0.5, 1.0
"""Tilt that nobody sees, and largest difference of two tilts that are matched, in degrees."""
OPTIONS = ("A is closer", "B is closer")


class RelativeDepth(PointPairTask):
    """Make items that ask which of two points is closer to the camera; needs DIW before it, or marks.

    BLINK's relative depth. Which of the points is A follows from the seed, so that A and B are right equally often.

    Most points that lie lower, or nearer to the centre, are closer. So in `hardened` mode only points of about the same
    height are asked about, as in half of DIW's pairs, each in a view of the picture in which both lie level and equally
    far from the middle; a coin mirrors it. Where the picture is turned for that, the slope of its horizon shows which
    point lay lower. So of pairs that are not quite level, one whose closer point lies lower is matched with one whose
    closer point lies higher, about as steep.

    Args:
        mode: `hardened`, or `paper`: the points of any pair, on the whole picture as it is.
        tilts: In `hardened` mode, whether pairs that are not quite level are `matched` with others, or `any` is used.
        twins: In `hardened` mode, whether each pair of points makes two items, one mirrored, with the rings at the same
            places; both have a group key `twin:...`, by which scores count them together.

    Reasons:
        unmatched_tilt (drop): In `hardened` mode with `tilts: matched`: the closer point lies lower (or higher), and no
            pair about as steep whose closer point lies higher (or lower) is left to match it.
    """

    name: ClassVar[str] = "relative_depth"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (DepthComparison,)
    hardening: ClassVar[Hardening] = Hardening(
        {
            **NOT_LEVELLED,
            "unmatched_tilt": "of pairs that are not quite level, as many need their closer point higher as lower: "
            "compare points at one height, or set `tilts: any`, where the slope of the horizon then tells",
        },
        "where the points lie: the lower one, and the one nearer to the centre, is mostly closer",
    )
    is_marked: ClassVar[bool] = True

    tilts: Literal["matched", "any"] = "matched"
    twins: bool = False

    @property
    def items_of_each(self) -> int:
        """Return how many items it makes of a pair of points."""
        return 2 if self.twins and self.mode == "hardened" else 1

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the pairs; in `hardened` mode those that are tilted are matched, so that no slope tells."""
        if self.mode == "paper" or self.tilts == "any":
            yield from truths
            return
        lower: list[_Tilted] = []
        higher: list[_Tilted] = []
        for truth in truths:
            compared: DepthComparison = truth.truth
            tilt = tilt_deg(compared.first, compared.second)
            usable = not isinstance(self.level(self.pictures_of(truth, sizes_wh), compared.first, compared.second), str)
            if not usable or tilt <= _LEVEL_DEG:
                yield truth  # those that are not usable say why when they are planned
                continue
            closer, farther = compared.first, compared.second
            if compared.closer == "second":
                closer, farther = farther, closer
            side = lower if closer[1] > farther[1] else higher
            side.append(_Tilted(tilt, seed_for(seed, self.name, truth.record, "tilt"), truth))
        matched, unmatched = _matched_tilts(lower, higher)
        yield from (entry.truth for entry in matched)
        yield from (UnusedTruth(entry.truth, "unmatched_tilt") for entry in unmatched)

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


class _Tilted(NamedTuple):
    """A pair of points that is not quite level: its tilt in degrees, and its turn among equally steep ones."""

    tilt_deg: float
    turn: int
    truth: RecordTruth[Any]


def _matched_tilts(lower: Sequence[_Tilted], higher: Sequence[_Tilted]) -> tuple[list[_Tilted], list[_Tilted]]:
    """Return pairs of which as many have the closer point lower as higher, at every degree of tilt, and the others.

    Of a side with more of them the seed says which are left.
    """
    matched: list[_Tilted] = []
    unmatched: list[_Tilted] = []
    by_degree: dict[int, tuple[list[_Tilted], list[_Tilted]]] = defaultdict(lambda: ([], []))
    for number, side in enumerate((lower, higher)):
        for entry in side:
            by_degree[int((entry.tilt_deg - _LEVEL_DEG) / _NEAR_DEG)][number].append(entry)
    for sides in by_degree.values():
        count = min(map(len, sides))
        for side in sides:
            order = sorted(side, key=lambda entry: entry.turn)
            matched += order[:count]
            unmatched += order[count:]
    return matched, unmatched
