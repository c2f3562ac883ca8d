"""Relative depth, as in BLINK (section 3.2): which of two marked points is closer to the camera?

BLINK uses the point pairs of DIW; people can also mark such pairs in a campaign `mark`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from math import log
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from pydantic import model_validator

from benchwright.records import ImageRecord, Item
from benchwright.seeds import seed_for
from benchwright.steps import Context

from ..ground_truth.truths import DepthComparison, GroundTruth
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.picture_views import (
    VIEWS,
    LevelView,
    is_large,
    matched_views,
    tilt_deg,
    upright_view,
    view_of,
)
from ..item_parts.marks.rings import Point, SizeWH
from ..item_parts.options.modes import Hardening
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.point_pairs import NOT_LEVELLED, PointPairTask
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, LeftOut, TruthPictures, UnusedTruth
from ..truth_tasks.truth_tasks import USED_ALREADY

QUESTIONS = Wordings(
    "Two points are marked in the picture, A and B. Which of them is closer to the camera?",
    "Compare the points inside the rings A and B. Which one is nearer to the camera?",
    "The rings A and B each mark a point of the scene. Which point was closer to the camera when the picture "
    "was taken?",
)
_LEVEL_DEG, _NEAR_DEG = 0.5, 1.0
"""Largest tilt that is too small to be seen, and largest difference between two matched tilts, in degrees."""
_STEEP_DEG, _RATIO, _TRIED = 3.0, 1.2, 60
"""For pairs that are not level: largest difference in steepness and largest ratio of distances between two matched
pairs, and number of pairs nearest in steepness that are tried.
"""
OPTIONS = ("A is closer", "B is closer")


class RelativeDepth(PointPairTask):
    """Make items that ask which of two points is closer to the camera; needs DIW before it, or marks.

    Follows BLINK's relative depth. The seed decides which of the two points is A, so that A and B are right equally
    often.

    Points that are lower, or nearer to the center, are usually closer. In `hardened` mode, items therefore ask only
    about points at about the same height, as in half of DIW's pairs, in a view of the picture in which both are level
    and equally far from the middle; the view is mirrored at random. If the picture is rotated for this, the slope of
    its horizon reveals which point was lower. Among pairs that are not quite level, one whose closer point is lower is
    therefore matched with one that is about as steep and whose closer point is higher.

    With `heights: matched`, pairs at different heights are also asked about, on upright views: each pair whose closer
    point is lower is matched with one of another picture that is about as steep and as far apart and whose closer point
    is higher, and each makes an item, with the points at the same positions in a rectangle of the same size.

    Args:
        mode: `hardened`, or `paper`: the points of any pair, on the whole picture as it is.
        heights: In `hardened` mode, whether points must be `level`, or pairs at different heights are `matched` with
            each other. `matched` excludes `twins`, whose points exchange positions when the view is mirrored.
        tilts: In `hardened` mode, whether pairs that are not quite level are `matched` with others, or `any` such pair
            is used.
        twins: In `hardened` mode, whether each pair of points yields two items, one mirrored, with the rings at the
            same positions; both have a group key `twin:...`, by which scores count them together.

    Reasons:
        unmatched_tilt (drop): In `hardened` mode with `tilts: matched` or `heights: matched`: the closer point lies
            lower (or higher), and no pair about as steep whose closer point lies higher (or lower) is left to match it.
    """

    name: ClassVar[str] = "relative_depth"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (DepthComparison,)
    hardening: ClassVar[Hardening] = Hardening(
        {
            **NOT_LEVELLED,
            "unmatched_tilt": "a pair that is not quite level needs another one about as steep whose closer point "
            "lies the other way, higher or lower: compare points at one height, or set `tilts: "
            "any`, which lets the slope of the horizon tell",
        },
        "where the points lie: the lower one, and the one nearer to the center, is mostly closer",
    )
    is_marked: ClassVar[bool] = True

    tilts: Literal["matched", "any"] = "matched"
    heights: Literal["level", "matched"] = "level"
    twins: bool = False

    @model_validator(mode="after")
    def _twins_are_level(self) -> Self:
        if self.twins and self.heights == "matched":
            raise ValueError("`twins` needs level points: leave out `twins` or `heights`")
        return self

    @property
    def items_of_each(self) -> int:
        """Return how many items the task makes from each pair of points."""
        return 2 if self.twins and self.mode == "hardened" else 1

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the pairs; in `hardened` mode, tilted pairs are matched, so that no slope reveals the key."""
        if self.mode == "paper":
            yield from truths
            return
        level: _Sides = ([], [])
        steep: _Sides = ([], [])
        shown: set[str] = set()
        for truth in truths:
            compared: DepthComparison = truth.truth
            tilt = tilt_deg(compared.first, compared.second)
            view: LevelView | str = self.level(self.pictures_of(truth, sizes_wh), compared.first, compared.second)
            sides = level
            if view == "not_level" and self.heights == "matched":
                view, sides = (
                    upright_view(*_points(compared), sizes_wh[truth.image_ids[0]], min_view=self.min_view),
                    steep,
                )
                if isinstance(view, str):
                    yield UnusedTruth(truth, view)
                    continue
            if isinstance(view, str) or tilt <= _LEVEL_DEG or (sides is level and self.tilts == "any"):
                shown.update(() if isinstance(view, str) else truth.image_ids)
                yield truth  # unusable ones state the reason when they are planned
                continue
            closer, farther = _points(compared) if compared.closer == "first" else reversed(_points(compared))
            entry = _Tilted(tilt, seed_for(seed, self.name, truth.record, "tilt"), truth, view)
            sides[closer[1] < farther[1]].append(entry)
        matched, unmatched = _matched_tilts(*level)
        yield from (entry.truth for entry in matched)
        shown.update(entry.truth.image_ids[0] for entry in matched)
        yield from self._matched_heights(*steep, sizes_wh, shown if self.uses == 1 else None)
        yield from (UnusedTruth(entry.truth, "unmatched_tilt") for entry in unmatched)

    def _matched_heights(
        self,
        lower: Sequence[_Tilted],
        higher: Sequence[_Tilted],
        sizes_wh: Mapping[str, SizeWH],
        shown: set[str] | None,
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield pairs at different heights: matched pairs with the view that both pairs allow, and the unmatched pairs.

        Pictures in `shown` yield no further item; with None, no picture is excluded. If a picture may be shown only
        once, it is in only one match, so that neither of two matched pairs is left out later.
        """
        taken_already: Set[str] = set() if shown is None else shown

        def is_shown(entry: _Tilted) -> bool:
            return entry.truth.image_ids[0] in taken_already

        def sizes_of(entries: Sequence[_Tilted]) -> list[SizeWH]:
            return [sizes_wh[entry.truth.image_ids[0]] for entry in entries]

        def views_of(one: _Tilted, other: _Tilted) -> tuple[LevelView, LevelView] | None:
            if one.truth.image_ids == other.truth.image_ids:
                return None  # of which one item alone is made
            views = matched_views(one.view, other.view)
            large = zip(views, sizes_of((one, other)), strict=True)
            return views if all(is_large(view, size_wh, self.min_view) for view, size_wh in large) else None

        few, many = sorted((lower, higher), key=len)
        rest = sorted(many, key=lambda entry: (entry.tilt_deg, entry.turn))
        for entry in sorted(few, key=lambda entry: entry.turn):
            if is_shown(entry):
                yield UnusedTruth(entry.truth, USED_ALREADY)
                continue
            start = bisect_left(rest, (entry.tilt_deg - _STEEP_DEG,))
            end = bisect_left(rest, (entry.tilt_deg + _STEEP_DEG,))
            free = (other for other in rest[start:end] if not is_shown(other))
            nearest = sorted(free, key=lambda other: abs(other.tilt_deg - entry.tilt_deg))[:_TRIED]
            fitting = [
                (entry.unlikeness(other), other, views)
                for other in nearest
                if entry.unlikeness(other) <= 1 and (views := views_of(entry, other)) is not None
            ]
            if not fitting:
                yield UnusedTruth(entry.truth, "unmatched_tilt")
                continue
            _, other, views = min(fitting)
            rest.remove(other)
            if shown is not None:
                shown.update(each.truth.image_ids[0] for each in (entry, other))
            shorter = min(view.distance for view in views)
            for taken, match, view in ((entry, other, views[0]), (other, entry, views[1])):
                seen = _DepthInView.model_validate(
                    {**taken.truth.truth.model_dump(), "view": view, "scale": shorter / view.distance,
                     "match": match.truth.record}
                )  # fmt: skip
                yield taken.truth._replace(truth=seen)
        for entry in rest:
            yield UnusedTruth(entry.truth, USED_ALREADY if is_shown(entry) else "unmatched_tilt")

    def twin_of(self, entry: ChosenRecord) -> ChosenRecord | None:
        """Return the same points in the mirrored view, where the other ring marks the closer point."""
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
            view: LevelView | str
            scale, match = 1.0, {}
            if isinstance(compared, _DepthInView):
                view, scale, match = compared.view, compared.scale, {"match": compared.match}
            else:
                view = self.level(pictures, compared.first, compared.second)
            if isinstance(view, str):
                return view
            seen = self.seen_in(view, _points(compared), rng, scale=scale)
            if isinstance(seen, str):
                return seen
            return ItemPlan((0, 1), "differs", {**seen, "closer": compared.closer, **match})
        points = self.shown_points(pictures, compared.first, compared.second)
        if isinstance(points, str):
            return points
        document = {"first": points[0], "second": points[1], "closer": compared.closer}
        return ItemPlan((0, 1), "differs", document)

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | LeftOut | str:
        """Return the item. Matched items share a group key, so that a solver cannot learn about one from the other."""
        del made
        keys: tuple[str, ...] = ()
        if (match := chosen.plan.get("match")) is not None:
            keys = (f"match:{'+'.join(sorted((chosen.record, match)))}",)
        return [self.item(record, ctx, chosen, shown, self.worded(chosen, shown), group_keys=keys)]

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Label the closer point with the right letter."""
        del shown
        plan = chosen.plan
        closer, farther = tuple(plan["first"]), tuple(plan["second"])
        if plan["closer"] == "second":
            closer, farther = farther, closer
        a, b = (closer, farther) if chosen.letter == 0 else (farther, closer)
        return ItemWording(QUESTIONS, OPTIONS, ((0, "reference", ((a, "A"), (b, "B"))),), evidence=plan)


def _points(compared: DepthComparison) -> tuple[Point, Point]:
    return compared.first, compared.second


class _DepthInView(DepthComparison):
    """A pair of points with the view that shows it, and the record whose points are at the same positions."""

    view: LevelView
    scale: float
    match: str


class _Tilted(NamedTuple):
    """A pair of points that is not quite level: its tilt in degrees, its position in the order drawn with the seed, and
    its view.
    """

    tilt_deg: float
    turn: int
    truth: RecordTruth[Any]
    view: LevelView

    def unlikeness(self, other: _Tilted) -> float:
        """Return how much two pairs differ in steepness and distance; 1 is the largest difference allowed in either."""
        ratio = abs(log(self.view.distance / other.view.distance)) / log(_RATIO)
        return max(abs(self.tilt_deg - other.tilt_deg) / _STEEP_DEG, ratio)


_Sides = tuple[list[_Tilted], list[_Tilted]]
"""Pairs whose closer point is lower, and those whose closer point is higher."""


def _matched_tilts(lower: Sequence[_Tilted], higher: Sequence[_Tilted]) -> tuple[list[_Tilted], list[_Tilted]]:
    """Return pairs of which equally many have the closer point lower and higher, at every degree of tilt, and the other
    pairs.

    If one side has more pairs, the seed decides which are left over.
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
