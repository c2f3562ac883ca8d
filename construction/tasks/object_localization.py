"""Object localization, as in BLINK (section 3.2): which of two boxes fits an object?

One box is what a person stated; the other is that one with Gaussian noise on its sides.

Whether the marks can be drawn with their labels is asked before the item is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator

from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, Outcome, Step, Stream

from ..ground_truth import LabelledBoxes
from ..item_parts.boxes import Box, BoxNoise, iou, noised_box
from ..item_parts.choices import PlacedChoices, group_keys, place, text_choices
from ..item_parts.marks import labels_fit
from ..sources.facts_reader import FACTS, FactsReader, ShownPicture, as_shown, nothing_stated
from ..sources.lacking import lacking_before
from .localization_of_boxes import QUESTION, LocalizationOfBoxes, drawn_boxes

_OF_DATASETS = frozenset({"apart_from", "items"})


class ObjectLocalization(FactsReader):
    """Make items that ask which of two boxes fits a subject; needs the step `facts` before it, or a dataset with boxes.

    BLINK's object localization. Two boxes lie on the picture, as visual prompts: the stated one, and that one with
    Gaussian noise on each side. Which fits the subject more closely? One item a subject; of a dataset such as LVIS or
    COCO, one item a picture, about a thing whose label has exactly one box there, chosen by the seed. Labels of which
    other things without a box may be there are not asked about.

    Args:
        dataset: Entry of the step `dataset` whose boxes are used; null uses facts.
        apart_from: With `dataset`, entries of tasks of ground truth before it of which it shows no picture again.
        items: With `dataset`, largest number of items; null makes as many as there can be. The seed chooses.
        max_side_px: Longer side of the picture shown; larger images are scaled down.
        min_box_px: Shorter side of a subject's box, as shown; smaller subjects make no item.
        noise: Standard deviation of each side's move, as a fraction of the box's width or height; a side moves by
            three of them at most.
        min_iou: Least intersection over union of the wrong box with the right one, 0-1.
        max_iou: Largest. A subject without such a box makes no item; an image without any item is dropped.
        stated_by: Entry of the step `facts` that it reads, where the recipe gives that another name.

    Reasons:
        no_facts (drop): Nothing is stated about the image.
        nothing_stated (drop): With `dataset`, no boxes are known of the image.
        no_single_thing (drop): With `dataset`, no label has exactly one box and surely no other instance.
        used_already (drop): With `dataset`, an item that was chosen before shows the picture.
        enough (drop): There were `items` items without it.
        too_small (drop): The subject's box is smaller than `min_box_px`.
        no_distinct_box (drop): No box with noise overlaps the stated one by `min_iou` to `max_iou`.
        no_room_for_labels (drop): The boxes leave their labels no room.
    """

    name: ClassVar[str] = "object_localization"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    uses: ClassVar[tuple[str, ...]] = ("subjects",)

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    apart_from: tuple[str, ...] = ()
    items: int | None = Field(None, ge=1)
    max_side_px: int = Field(1024, ge=64, le=8192)
    min_box_px: float = Field(24.0, ge=4)
    noise: float = Field(0.2, gt=0, le=1)
    min_iou: float = Field(0.3, ge=0, lt=1)
    max_iou: float = Field(0.65, gt=0, le=0.95)

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> ObjectLocalization:
        if self.max_iou <= self.min_iou:
            raise ValueError(f"max_iou {self.max_iou} is not above min_iou {self.min_iou}; no box has both")
        if self.dataset is None and (wrong := self.model_fields_set & _OF_DATASETS):
            raise ValueError(f"leave out {', '.join(sorted(wrong))}, or name the dataset's entry under dataset")
        if self.dataset is not None and self.stated_by != FACTS:
            raise ValueError("leave out dataset or stated_by: boxes come from a dataset or from facts")
        return self

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return that nothing before it gives boxes of a dataset, where it is to read some."""
        if self.dataset is None:
            return None
        return lacking_before(before, [f"{self.dataset}.{LabelledBoxes.kind}"], [LabelledBoxes.kind])

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step for boxes of a dataset where it is to read one, else itself."""
        if self.dataset is None:
            return self
        settings = self.model_dump(exclude={"stated_by"})
        return LocalizationOfBoxes(**settings).placed(given)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that decide the result; those for datasets only with one."""
        without = _OF_DATASETS | {"dataset"} if self.dataset is None else frozenset[str]()
        return {name: value for name, value in super().parameters().items() if name not in without}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make one item of each stated subject that a wrong box can be drawn for."""
        subjects = self.stated(record, ctx, "subjects")
        if subjects is None:
            return nothing_stated()
        shown = as_shown(record, ctx, max_side_px=self.max_side_px)
        items: list[Item] = []
        left_out: dict[str, str] = {}
        for subject in subjects:
            item = self._item(record, ctx, shown, subject)
            if isinstance(item, Item):
                items.append(item)
            else:
                left_out[subject["name"]] = item
        evidence = {"left_out": left_out} if left_out else {}
        if not items:
            return Outcome("drop", next(iter(left_out.values())), evidence=evidence)
        return Outcome(evidence=evidence, images=shown.made, items=tuple(items))

    def _item(self, record: ImageRecord, ctx: Context, shown: ShownPicture, subject: Mapping[str, Any]) -> Item | str:
        """Return the item of one subject, or the reason why there is none."""
        x0, y0, x1, y1 = (round(side * shown.scale, 2) for side in subject["box"])
        right: Box = (x0, y0, x1, y1)
        if min(x1 - x0, y1 - y0) < self.min_box_px:
            return "too_small"
        rng = ctx.rng(record.image_id, subject["name"])
        size_wh = (shown.record.width, shown.record.height)
        wrong = noised_box(right, size_wh, BoxNoise(self.noise, self.min_iou, self.max_iou), rng)
        if wrong is None:
            return "no_distinct_box"
        placed = place(right, [wrong], rng)
        prompts = drawn_boxes(shown.record.image_id, shown.record.height, placed.options)
        if not labels_fit(prompts, shown.record):
            return "no_room_for_labels"
        return Item(
            item_id=ctx.item_id(record.image_id, subject["name"]),
            task=self.name,
            kind="multiple_choice",
            images=(ItemImage(image_id=shown.record.image_id, role="reference", prompts=prompts),),
            question=QUESTION.format(phrase=subject["phrase"]),
            choices=text_choices(PlacedChoices(tuple(f"Box {key}" for key, _ in placed.keyed), placed.answer)),
            answer=placed.answer,
            group_keys=group_keys(record),
            written_by={"question": "template", "choices": "template"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={
                "subject": subject["name"],
                "right_xyxy": list(right),
                "wrong_xyxy": list(wrong),
                "iou": round(iou(right, wrong), 4),
                "stated_xyxy": list(subject["box"]),
            },
        )
