"""Object localization of boxes that a dataset states, as BLINK takes them from LVIS (section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord, Item, PromptStyle, VisualPrompt
from benchwright.steps import Context

from ..ground_truth import GroundTruth, LabelledBox, LabelledBoxes, RecordTruth
from ..item_parts.boxes import Box, BoxNoise, iou, noised_box
from ..item_parts.marks import NO_PICTURE, SizeWH, labels_have_room
from ..item_parts.wording import without_article
from ..sources.truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from ..sources.truth_tasks import TruthTask

COLORS = {"A": "#ff0000", "B": "#0060ff"}
QUESTION = "Two boxes are drawn into the image, A in red and B in blue. Which of them fits {phrase} more closely?"


def drawn_boxes(image_id: str, height: int, boxes: Sequence[Box]) -> tuple[VisualPrompt, ...]:
    """Return two boxes as they are drawn on a picture of that height, A in red and B in blue."""
    return tuple(
        VisualPrompt(
            kind="box",
            image_id=image_id,
            points=(box[:2], box[2:]),
            label=key,
            style=PromptStyle(color=color, reference_height_px=max(512.0, height)),
        )
        for (key, color), box in zip(COLORS.items(), boxes, strict=True)
    )


def single_things(stated: LabelledBoxes) -> list[LabelledBox]:
    """Return the boxes whose label names one thing of the picture: it has no second box and is not incomplete.

    Labels are compared as questions show them, so that `hot_dog` and `hot dog` are one label.
    """
    counts = Counter(without_article(labelled.label).lower() for labelled in stated.boxes)
    incomplete = {without_article(label).lower() for label in stated.incomplete}
    names = [without_article(labelled.label).lower() for labelled in stated.boxes]
    return [
        labelled
        for name, labelled in zip(names, stated.boxes, strict=True)
        if counts[name] == 1 and name not in incomplete
    ]


class LocalizationOfBoxes(TruthTask):
    """Make items that ask which of two boxes fits a thing of which a dataset states the box.

    Args:
        min_box_px: Shorter side of a box, as shown; smaller things are not asked about.
        noise: Standard deviation of each side's move, as a fraction of the box's width or height.
        min_iou: Least intersection over union of the wrong box with the right one, 0-1.
        max_iou: Largest.

    Reasons:
        no_single_thing (drop): No label has exactly one box and surely no other instance.
        no_distinct_box (drop): No box with noise overlaps the stated one by `min_iou` to `max_iou`.
        no_room_for_labels (drop): The boxes leave their labels no room.
    """

    name: ClassVar[str] = "object_localization"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (LabelledBoxes,)

    min_side_px: int = Field(16, ge=16)
    min_box_px: float = Field(24.0, ge=4)
    noise: float = Field(0.2, gt=0, le=1)
    min_iou: float = Field(0.3, ge=0, lt=1)
    max_iou: float = Field(0.65, gt=0, le=0.95)

    def planned(
        self, truth: RecordTruth[LabelledBoxes], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Choose a thing by chance, and draw a wrong box for it."""
        things = single_things(truth.truth)
        reason = "no_single_thing"
        for number in rng.permutation(len(things)).tolist():
            x0, y0, x1, y1 = things[number].box
            right: Box = (*pictures.shown(0, (x0, y0)), *pictures.shown(0, (x1, y1)))
            if min(right[2] - right[0], right[3] - right[1]) < self.min_box_px:
                reason = "too_small"
                continue
            wrong = noised_box(right, pictures.shown_wh[0], BoxNoise(self.noise, self.min_iou, self.max_iou), rng)
            if wrong is None:
                reason = "no_distinct_box"
            elif not _have_room(right, wrong, pictures.shown_wh[0]):
                reason = "no_room_for_labels"
            else:
                document = {
                    "subject": things[number].label,
                    "right_xyxy": list(right),
                    "wrong_xyxy": list(wrong),
                    "iou": round(iou(right, wrong), 4),
                    "stated_xyxy": [x0, y0, x1, y1],
                }
                return Plan((0, 1), "box", document)
        return reason

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Ask which box fits the thing."""
        del shown
        name = without_article(chosen.plan["subject"])
        return Wording(
            QUESTION.format(phrase=f"the {name}"),
            tuple(f"Box {key}" for key in COLORS),
            ((0, "reference", ()),),
            evidence=chosen.plan,
            attributes={"object": name},
        )

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | str:
        """Return the item, with the boxes on its picture."""
        del made
        boxes: list[Box] = [tuple(chosen.plan["wrong_xyxy"])]
        boxes.insert(chosen.letter, tuple(chosen.plan["right_xyxy"]))
        item = self.item(record, ctx, chosen, shown, self.worded(chosen, shown))
        prompts = drawn_boxes(shown[0].image_id, shown[0].height, boxes)
        return [item.model_copy(update={"images": (item.images[0].model_copy(update={"prompts": prompts}),)})]


def _have_room(right: Box, wrong: Box, size_wh: SizeWH) -> bool:
    """Return whether both labels find a place, whichever box is the first."""
    orders = ((right, wrong), (wrong, right))
    return all(labels_have_room(drawn_boxes(NO_PICTURE, size_wh[1], order), size_wh) for order in orders)
