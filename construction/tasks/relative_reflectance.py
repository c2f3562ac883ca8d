"""Relative reflectance, as in BLINK (section 3.2): which of two marked surfaces is darker, whatever the light?

BLINK uses the comparisons that people made for IIW; people can also make them in a campaign `mark`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord
from benchwright.seeds import generator_for, seed_for
from benchwright.steps import PictureFidelity

from ..ground_truth.truths import MARKED_BY, GroundTruth, ReflectanceComparison
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.picture_views import LevelView, is_large, matched_views
from ..item_parts.marks.rings import Point, SizeWH
from ..item_parts.options.modes import Hardening
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.point_pairs import NOT_LEVELLED, PointPairTask
from ..truth_tasks.truth_plans import (
    CONTRADICTED,
    ChosenRecord,
    ItemPlan,
    ItemWording,
    TruthPictures,
    UnusedTruth,
    with_contradictions,
)

QUESTIONS = Wordings(
    "The rings A and B each mark a point on a surface. Leaving light and shadow aside, which surface has the darker "
    "color?",
    "Think of the material at the points A and B, not of the light or shadow that falls on it. Which material is "
    "darker?",
    "If the surfaces at the points A and B were lit alike, which of them would look darker?",
)
OPTIONS = ("The surface at A is darker", "The surface at B is darker", "Both are about the same")


class RelativeReflectance(PointPairTask):
    """Make items that ask which of two points has the darker surface; needs IIW before it, or marks.

    Follows BLINK's relative reflectance. The options are always A, B and about the same, in this order. The seed
    decides which point is A, so that all three are right equally often, as far as the comparisons allow.

    Points of about the same darkness are usually closer to each other than other points, and each picture has more
    comparisons of one kind. In `hardened` mode, a comparison of points that differ is therefore matched with a
    comparison of points that are the same, in the same picture and about as far apart. Each of them is shown in a
    rectangle around the middle of its points, of the size that both allow, with the points at the same positions, level
    and equally far from the middle. The seed then chooses one of the two so that the three options are equally likely,
    and the view is mirrored at random.

    Args:
        mode: `hardened`, or `paper`: any comparison, on the whole picture as it is.
        min_weight: Smallest weight of a comparison, on the dataset's own scale; comparisons marked by people are always
            used.
        max_ratio: In `hardened` mode, largest ratio of the point distances of two matched comparisons.
        partners: In `hardened` mode, whether comparisons are matched only within their `picture`, or those of pictures
            without a match also with those of `any` other such picture, which yields more items, although the look of a
            whole picture may then reveal a little.

    Reasons:
        unsure (drop): The comparison's weight is below `min_weight`.
        contradicted (drop): Another comparison of the same two points has another result.
        unmatched (drop): In `hardened` mode: the picture (with `partners: any`, every picture) has no other comparison,
            with another outcome and about as far apart, in a view that both allow.
        other_of_match (drop): In `hardened` mode: the seed took the comparison with which this one is matched.
    """

    name: ClassVar[str] = "relative_reflectance"
    picture_fidelity: ClassVar[PictureFidelity] = "exact"
    hardening: ClassVar[Hardening] = Hardening(
        {
            "unmatched": "a comparison of points that differ needs one of points that are the same in the same "
            "picture, about as far apart: compare more points of each picture, or set `partners: any`, "
            "which lets the look of the whole picture tell a little",
            **NOT_LEVELLED,
        },
        "how far apart the points are: those of the same reflectance are mostly closer to each other",
    )
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (ReflectanceComparison,)
    is_marked: ClassVar[bool] = True

    min_weight: float = Field(0.5, ge=0)
    max_ratio: float = Field(1.2, ge=1, le=2)
    partners: Literal["picture", "any"] = "picture"
    max_tilt_deg: float = Field(15.0, ge=0, le=45)
    min_view: float = Field(0.3, gt=0, le=1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the comparisons; contradicted ones are marked, and in `hardened` mode chosen ones have a view that
        their match also allows.
        """
        checked = with_contradictions(truths, lambda truth: frozenset((truth.first, truth.second)), _darker)
        if self.mode == "paper":
            yield from checked
            return
        pictures: dict[str, list[_Leveled]] = defaultdict(list)
        for truth in checked:
            compared = truth.truth
            size = self.pictures_of(truth, sizes_wh)
            view = self._refusal(compared) or self.level(size, compared.first, compared.second)
            if isinstance(view, str):
                yield UnusedTruth(truth, view)
            else:
                pictures[truth.image_ids[0]].append(_Leveled(truth, view, seed_for(seed, self.name, truth.record)))
        unmatched: list[_Leveled] = []
        alone: list[_Leveled] = []
        for leveled in pictures.values():
            rest = yield from self._matched(leveled, sizes_wh, seed)
            (alone if len(rest) == len(leveled) else unmatched).extend(rest)
        if self.partners == "any":
            alone = yield from self._matched(alone, sizes_wh, seed)
        unmatched += alone
        yield from (UnusedTruth(entry.truth, "unmatched") for entry in unmatched)

    def _matched(
        self, leveled: Sequence[_Leveled], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Generator[RecordTruth[Any] | UnusedTruth, None, list[_Leveled]]:
        """Yield, for each match, the comparison that the seed chooses, and the other one with a reason; return the
        comparisons without a match.
        """
        order = sorted(leveled, key=lambda entry: entry.turn)
        equal = [entry for entry in order if entry.truth.truth.darker == "equal"]
        unmatched: list[_Leveled] = []
        for entry in (entry for entry in order if entry.truth.truth.darker != "equal"):
            # The nearest in distance, so that neither is scaled much more than the other.
            ratios = sorted(
                (ratio, number)
                for number, other in enumerate(equal)
                if (ratio := _ratio(entry.view, other.view)) <= self.max_ratio
            )
            pairs = ((equal[number], matched_views(entry.view, equal[number].view)) for _, number in ratios)
            fitting = (
                (other, views)
                for other, views in pairs
                if is_large(views[0], entry.size_in(sizes_wh), self.min_view)
                and is_large(views[1], other.size_in(sizes_wh), self.min_view)
            )
            if (match := next(fitting, None)) is None:
                unmatched.append(entry)
                continue
            other, views = match
            equal.remove(other)
            rng = generator_for(seed, self.name, entry.truth.record, other.truth.record, "match")
            taken, left = ((other, views[1]), (entry, views[0]))
            if rng.integers(3) > 0:  # two of three options say that the points differ
                taken, left = left, taken
            scale = min(views[0].distance, views[1].distance) / taken[1].distance
            compared = _ComparisonInView.model_validate(
                {**taken[0].truth.truth.model_dump(), "view": taken[1], "scale": scale, "match": left[0].truth.record}
            )
            yield taken[0].truth._replace(truth=compared)
            yield UnusedTruth(left[0].truth, "other_of_match")
        return [*unmatched, *equal]

    def _refusal(self, compared: ReflectanceComparison) -> str | None:
        if CONTRADICTED in compared.original:
            return CONTRADICTED
        is_unsure = compared.weight < self.min_weight and MARKED_BY not in compared.original
        return "unsure" if is_unsure else None

    def planned(
        self, truth: RecordTruth[ReflectanceComparison], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Check the comparison and its points."""
        compared = truth.truth
        if (reason := self._refusal(compared)) is not None:
            return reason
        document: dict[str, Any] = {"darker": compared.darker, "weight": compared.weight}
        if isinstance(compared, _ComparisonInView):
            seen = self.seen_in(compared.view, (compared.first, compared.second), rng, scale=compared.scale)
            if isinstance(seen, str):
                return seen
            document |= {**seen, "match": compared.match}
        else:
            points = self.shown_points(pictures, compared.first, compared.second)
            if isinstance(points, str):
                return points
            document |= {"first": points[0], "second": points[1]}
        if compared.darker == "equal":
            return ItemPlan((2,), "equal", document)
        return ItemPlan((0, 1), "differs", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Label the darker point with the right letter."""
        del shown
        plan = chosen.plan
        first, second = tuple(plan["first"]), tuple(plan["second"])
        is_swapped = (chosen.letter == 1) if plan["darker"] == "first" else (chosen.letter == 0)
        if plan["darker"] == "equal":
            is_swapped = False
        a, b = (second, first) if is_swapped else (first, second)
        return ItemWording(QUESTIONS, OPTIONS, ((0, "reference", ((a, "A"), (b, "B"))),), evidence=plan)


class _ComparisonInView(ReflectanceComparison):
    """A comparison with the view that shows it, and the record that could have been shown instead."""

    view: LevelView
    scale: float
    match: str


class _Leveled(NamedTuple):
    """A comparison that a level view can show, with its position in the seed's order."""

    truth: RecordTruth[ReflectanceComparison]
    view: LevelView
    turn: int

    def size_in(self, sizes_wh: Mapping[str, SizeWH]) -> SizeWH:
        """Return the size of the comparison's picture."""
        return sizes_wh[self.truth.image_ids[0]]


def _ratio(first: LevelView, second: LevelView) -> float:
    """Return the ratio of the larger distance between points to the smaller one."""
    return max(first.distance, second.distance) / min(first.distance, second.distance)


def _darker(compared: ReflectanceComparison) -> Point | None:
    return {"first": compared.first, "second": compared.second, "equal": None}[compared.darker]
