"""Visual correspondence between two pictures of a plane, which BLINK takes from HPatches (section 3.2).

The dataset's homographies state where each point of one picture is in another one. The same rule applies to the
reference and the wrong options: all four points are interest points visible in both pictures. Pictures that differ only
in lighting are aligned, so that the right point is at the reference's position. In mode `hardened`, the item therefore
shows a part of each picture, each placed separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.records import ImageRecord, Item
from benchwright.seeds import generator_for
from benchwright.steps import Context, OpenContext, PictureFidelity

from ..ground_truth.truths import IDENTITY, PICTURES, GroundTruth, Homographies
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.marked_points import (
    MarkedPoints,
    NotEnough,
    exchangeable_points,
    gray_of,
    mark_points,
    recognizable_points,
    seen_again,
)
from ..item_parts.marks.rings import Point, SizeWH
from ..item_parts.options.modes import Mode
from ..item_parts.pictures.scaling import scaled, size_for_views, size_within
from ..item_parts.pictures.views import Matrix, shift, warp
from ..item_parts.wording.wordings import Wordings
from ..truth_tasks.correspondences import CorrespondenceTask
from ..truth_tasks.made_pictures import MadePictures
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, LeftOut, TruthPictures
from ..truth_tasks.truth_tasks import TOO_SMALL, TruthTask

QUESTIONS = Wordings(
    "The ring labeled REF marks a point in the first image. The second image shows the same scene {change}. Which of "
    "its rings marks the same point of the scene: A, B, C or D?",
    "Find the point REF of the first image in the second one, which shows the same scene {change}. Which ring is on "
    "it: A, B, C or D?",
    "Both images show one scene, the second one {change}. Which of the points A, B, C and D in the second image is the "
    "point marked REF in the first?",
)
_TRIES = 8
"""Number of positions to try for the second picture's part in mode `hardened`."""
_CHANGES = {"viewpoint": "from another viewpoint", "illumination": "in another light"}


class CorrespondenceOfViews(TruthTask):
    """Make correspondence items from pairs of pictures and their homography.

    Args:
        per_image: Pairs taken from one sequence, which share no picture.
        mode: `hardened` shows a part of either picture, placed so that any of the four points could be at the
            reference's position. `paper` shows both whole, as the paper does; if only the lighting differs, the right
            point is then at the reference's position.
        view_part: In mode `hardened`, sides of both parts as a fraction of the pictures' sides, 0.3-0.9. Pictures are
            scaled to `max_side_px` before parts of them are shown.
        min_view_px: In mode `hardened`, shorter side of both parts, 16-4096; smaller pictures are enlarged.
        max_enlargement: Largest factor, 1-8, by which a picture is enlarged to reach `min_view_px`; pairs that would
            need more yield no item.
        max_likeness: Largest correlation between the surroundings of the reference and of a wrong point or, in mode
            `hardened`, of any two of the four points.
    """

    name: ClassVar[str] = "visual_correspondence"
    version: ClassVar[int] = 2
    picture_fidelity: ClassVar[PictureFidelity] = "exact"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (Homographies,)
    items_need_pixels: ClassVar[bool] = True

    per_image: int = Field(1, ge=1)
    mode: Mode = "hardened"
    view_part: float = Field(0.6, ge=0.3, le=0.9)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(2.5, ge=1, le=8)
    max_likeness: float = Field(0.6, gt=0, le=1)

    def pictures_of(self, truth: RecordTruth[Any], sizes_wh: Mapping[str, SizeWH]) -> TruthPictures:
        """Return the pictures of a pair at the scale of its views."""
        sizes = tuple(sizes_wh[image_id] for image_id in truth.image_ids)
        return TruthPictures(sizes, tuple(self._whole_wh(size_wh) for size_wh in sizes))

    def _whole_wh(self, size_wh: SizeWH) -> SizeWH:
        """Return the size of a whole picture at the scale of its views or, if that is impossible, its scaled-down
        size.
        """
        scaled_down = size_within(*size_wh, max_side_px=self.max_side_px)
        if self.mode == "paper" or min(scaled_down) < self.min_side_px:
            return scaled_down
        enlarged = size_for_views(
            *size_wh,
            max_side_px=self.max_side_px,
            min_side_px=self.min_view_px / self.view_part,
            max_enlargement=self.max_enlargement,
        )
        return enlarged or scaled_down

    def open(self, ctx: OpenContext) -> None:
        """Limit OpenCV to one thread, as in a worker."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterable[RecordTruth[Any]]:
        """Yield pairs of pictures from each sequence, chosen and ordered by the seed."""
        del sizes_wh
        for truth in truths:
            yield from self._pairs(truth, generator_for(seed, self.name, truth.record, "pairs"))

    def _pairs(self, truth: RecordTruth[Homographies], rng: np.random.Generator) -> Iterator[RecordTruth[Homographies]]:
        numbers = truth.truth.original.get(PICTURES, range(1, len(truth.image_ids) + 1))
        order = rng.permutation(len(truth.image_ids)).tolist()
        for number in range(min(self.per_image, len(order) // 2)):
            first, second = order[2 * number : 2 * number + 2]
            from_first, to_second = (np.array(truth.truth.matrices[place]) for place in (first, second))
            matrix = to_second @ np.linalg.inv(from_first)
            a, b, c = (matrix / np.abs(matrix).max()).tolist()
            shown = [numbers[first], numbers[second]]
            original = {"sequence": truth.record, PICTURES: shown}
            pair = truth.truth.model_copy(
                update={"matrices": (IDENTITY, (tuple(a), tuple(b), tuple(c))), "original": original}
            )
            yield RecordTruth(
                f"{truth.record}:{shown[0]}-{shown[1]}", (truth.image_ids[first], truth.image_ids[second]), pair
            )

    def planned(
        self, truth: RecordTruth[Homographies], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Convert the homography into pixels of the pictures as shown; points are chosen later, from the pixels."""
        del rng
        if self.mode == "hardened" and min(map(min, pictures.shown_wh)) < int(self.min_view_px / self.view_part):
            return TOO_SMALL
        matrix = _scale(pictures, 1) @ np.array(truth.truth.matrices[1]) @ np.linalg.inv(_scale(pictures, 0))
        matrix = matrix / (matrix[2, 2] or 1.0)
        return ItemPlan((0, 1, 2, 3), "point", {"homography": matrix.tolist(), "change": truth.truth.change})

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask for the same point of the scene."""
        del shown
        change = chosen.plan["change"]
        question = QUESTIONS.filled(change=_CHANGES[change])
        return CorrespondenceTask.worded_points(chosen, question, {"change": change})

    def made_of_record(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: MadePictures
    ) -> list[Item] | LeftOut | str:
        """Return the item, which in mode `hardened` shows parts of the pictures; only these parts are stored."""
        if self.mode == "paper":
            return super().made_of_record(record, ctx, entry, pictures)
        sources = [ctx.image(image_id) for image_id in entry.image_ids]
        first, second = (
            scaled(ctx.images.rgb(source), self._whole_wh((source.width, source.height))) for source in sources
        )
        homography: Matrix = np.array(entry.plan["homography"])
        plan = self._parts(gray_of(first), gray_of(second), homography, _points_rng(record, ctx, entry))
        if isinstance(plan, NotEnough):
            return plan.reason
        shown = [
            pictures.stored(ctx, warp(whole, shift(corner), size_wh), [source])
            for whole, corner, size_wh, source in zip(
                (first, second), plan.corners, plan.sizes_wh, sources, strict=True
            )
        ]
        more = {"corners": [list(corner) for corner in plan.corners], "homography": plan.homography.tolist()}
        return [self._item(record, ctx, entry, shown, plan.marked, more)]

    def _parts(
        self, first: NDArray[np.uint8], second: NDArray[np.uint8], homography: Matrix, rng: np.random.Generator
    ) -> _Parts | NotEnough:
        """Place a part of the second picture at random, then choose points that it shows, and a part of the first
        picture.

        Args:
            first: First picture as shown, gray, (height, width).
            second: Second picture.
            homography: Homography from the first picture to the second.
            rng: Random generator.
        """
        candidates = seen_again(recognizable_points(first), homography, second)
        sizes = [
            (int(self.view_part * gray.shape[1] + 1e-9), int(self.view_part * gray.shape[0] + 1e-9))
            for gray in (first, second)
        ]
        refused = NotEnough("too_few_points", len(candidates))
        for _ in range(_TRIES):
            spare = (second.shape[1] - sizes[1][0], second.shape[0] - sizes[1][1])
            x, y = rng.uniform(0, spare).round(2).tolist()
            chosen = exchangeable_points(
                first,
                candidates,
                shift((x, y)) @ homography,
                first_wh=sizes[0],
                second_wh=sizes[1],
                max_likeness=self.max_likeness,
                rng=rng,
            )
            if not isinstance(chosen, NotEnough):
                corner = chosen.corner
                between = shift((x, y)) @ homography @ shift((-corner[0], -corner[1]))
                return _Parts(chosen.marked, between / between[2, 2], (corner, (x, y)), (sizes[0], sizes[1]))
            refused = max(refused, chosen, key=lambda result: result.points)
        return refused

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | str:
        """Choose the points visible in both pictures, and return the item."""
        del made
        first, second = (
            gray_of(scaled(ctx.images.rgb(ctx.image(image_id)), (picture.width, picture.height)))
            for image_id, picture in zip(chosen.image_ids, shown, strict=True)
        )
        homography: Matrix = np.array(chosen.plan["homography"])
        marked = mark_points(
            first,
            seen_again(recognizable_points(first), homography, second),
            homography,
            max_likeness=self.max_likeness,
            rng=_points_rng(record, ctx, chosen),
            second_wh=(shown[1].width, shown[1].height),
        )
        if isinstance(marked, NotEnough):
            return marked.reason
        return [self._item(record, ctx, chosen, shown, marked, {})]

    def _item(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        marked: MarkedPoints,
        more: Mapping[str, Any],
    ) -> Item:
        entry = chosen._replace(plan={**chosen.plan, **more, **marked._asdict()})
        group = f"sequence:{chosen.original['sequence']}"
        return self.item(record, ctx, chosen, shown, self.worded(entry, shown), group_keys=(group,))


class _Parts(NamedTuple):
    """Parts of two pictures, and the marks on them.

    Args:
        marked: The points, in pixels of the parts.
        homography: Homography from the first part to the second.
        corners: Upper left corner of each part in its picture as shown, in pixels.
        sizes_wh: Size of each part.
    """

    marked: MarkedPoints
    homography: Matrix
    corners: tuple[Point, Point]
    sizes_wh: tuple[SizeWH, SizeWH]


def _points_rng(record: ImageRecord, ctx: Context, entry: ChosenRecord) -> np.random.Generator:
    return ctx.rng(record.image_id, entry.record, "points")


def _scale(pictures: TruthPictures, number: int) -> Matrix:
    """Return the matrix that maps pixels of a picture to pixels of the picture as it is shown."""
    (width, height), (shown_width, shown_height) = pictures.sizes_wh[number], pictures.shown_wh[number]
    return np.diag([shown_width / width, shown_height / height, 1.0])
