"""Visual correspondence of two pictures of a plane, as BLINK takes them from HPatches (section 3.2).

The dataset's homographies say where each point of one picture lies in another one. The reference and the wrong options
follow one rule: all four are interest points that both pictures show.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord, Item
from benchwright.seeds import generator_for
from benchwright.steps import Context, OpenContext

from ..ground_truth import IDENTITY, GroundTruth, Homographies, RecordTruth
from ..item_parts.marked_points import NotEnough, grey_of, mark_points, recognisable_points, seen_again
from ..item_parts.marks import SizeWH
from ..item_parts.scaling import shrink
from ..item_parts.views import Matrix
from ..sources.correspondences import CorrespondenceTask
from ..sources.truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from ..sources.truth_tasks import TruthTask

QUESTION = (
    "The ring labelled REF marks a point in the first image. The second image shows the same scene {change}, with four "
    "rings labelled A, B, C and D. Which of them marks the same point of the scene?"
)
CHANGES = {"viewpoint": "from another viewpoint", "illumination": "in another light"}


class CorrespondenceOfViews(TruthTask):
    """Make correspondence items of pairs of pictures and their homography.

    Args:
        per_image: Pairs taken from one sequence, which share no picture.
        max_likeness: Largest correlation between the surroundings of the reference and of a wrong point.
    """

    name: ClassVar[str] = "visual_correspondence"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (Homographies,)

    per_image: int = Field(1, ge=1)
    max_likeness: float = Field(0.6, gt=0, le=1)

    def open(self, ctx: OpenContext) -> None:
        """Keep OpenCV to the one thread that a worker has."""
        import cv2

        del ctx
        cv2.setNumThreads(1)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterable[RecordTruth[Any]]:
        """Yield pairs of pictures of each sequence, chosen by the seed, either one first."""
        del sizes_wh
        for truth in truths:
            yield from self._pairs(truth, generator_for(seed, self.name, truth.record, "pairs"))

    def _pairs(self, truth: RecordTruth[Homographies], rng: np.random.Generator) -> Iterator[RecordTruth[Homographies]]:
        order = rng.permutation(len(truth.image_ids)).tolist()
        for number in range(min(self.per_image, len(order) // 2)):
            first, second = order[2 * number : 2 * number + 2]
            from_first, to_second = (np.array(truth.truth.matrices[place]) for place in (first, second))
            matrix = to_second @ np.linalg.inv(from_first)
            a, b, c = (matrix / np.abs(matrix).max()).tolist()
            original = {"sequence": truth.record, "pictures": [first + 1, second + 1]}
            pair = truth.truth.model_copy(
                update={"matrices": (IDENTITY, (tuple(a), tuple(b), tuple(c))), "original": original}
            )
            yield RecordTruth(
                f"{truth.record}:{first + 1}-{second + 1}", (truth.image_ids[first], truth.image_ids[second]), pair
            )

    def planned(
        self, truth: RecordTruth[Homographies], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Bring the homography into pixels of the pictures as shown; points are chosen where pixels are at hand."""
        del rng
        matrix = _scale(pictures, 1) @ np.array(truth.truth.matrices[1]) @ np.linalg.inv(_scale(pictures, 0))
        matrix = matrix / (matrix[2, 2] or 1.0)
        return Plan((0, 1, 2, 3), "point", {"homography": matrix.tolist(), "change": truth.truth.change})

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Ask for the same point of the scene."""
        del shown
        change = chosen.plan["change"]
        question = QUESTION.format(change=CHANGES[change])
        return CorrespondenceTask.worded_points(chosen, question, {"change": change})

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | str:
        """Choose the points that both pictures show, and return the item."""
        del made
        first, second = (
            grey_of(shrink(ctx.images.rgb(ctx.image(image_id)), (picture.width, picture.height)))
            for image_id, picture in zip(chosen.image_ids, shown, strict=True)
        )
        homography: Matrix = np.array(chosen.plan["homography"])
        marked = mark_points(
            first,
            seen_again(recognisable_points(first), homography, second),
            homography,
            max_likeness=self.max_likeness,
            rng=ctx.rng(record.image_id, chosen.record, "points"),
            second_wh=(shown[1].width, shown[1].height),
        )
        if isinstance(marked, NotEnough):
            return marked.reason
        entry = chosen._replace(plan={**chosen.plan, **marked._asdict()})
        group = f"sequence:{chosen.original['sequence']}"
        return [self.item(record, ctx, chosen, shown, self.worded(entry, shown), group_keys=(group,))]


def _scale(pictures: TruthPictures, number: int) -> Matrix:
    """Return the matrix that brings pixels of a picture into pixels of the picture as shown."""
    (width, height), (shown_width, shown_height) = pictures.sizes_wh[number], pictures.shown_wh[number]
    return np.diag([shown_width / width, shown_height / height, 1.0])
