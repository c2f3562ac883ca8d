"""Object localization, as in BLINK (section 3.2): which of two boxes fits an object?

One box is stated by a person; the other is derived from it by adding Gaussian noise to its sides.

Before the task makes an item, it checks that the marks can be drawn with their labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from benchwright.records import ImageRecord, Item, ItemImage
from benchwright.steps import Context, ForecastContext, ItemForecast, Outcome, Step, Stream

from ..datasets.lacking import lacking_before
from ..ground_truth.truths import LabelledBoxes
from ..item_parts.marks.boxes import Box, BoxNoise, BoxView, ViewSizes, exchangeable_boxes, noised_box
from ..item_parts.marks.rings import labels_fit
from ..item_parts.options.choices import PlacedChoices, group_keys, place, text_choices, twin_keys
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.pictures.views import drawn_view, shift
from ..item_parts.wording.wordings import WordingsInUse
from ..stated_facts.facts_reader import FACTS, FactsReader, ShownPicture, as_shown, nothing_stated
from .localization_of_boxes import (
    OF_PARTS,
    QUESTIONS,
    ROOM_FOR_BOTH,
    LocalizationOfBoxes,
    colored_boxes,
    document_of,
    drawn_boxes,
    view_document,
)

_OF_DATASETS = frozenset({"apart_from", "items"})


class ObjectLocalization(FactsReader):
    """Make items that ask which of two boxes fits a subject; needs the step `facts` before it, or a dataset with boxes.

    Follows BLINK's object localization. Two boxes are drawn on the picture as visual prompts: the stated one, and the
    same box with Gaussian noise on each side. The question is which of them fits the subject more closely. There is one
    item per subject. For a dataset such as LVIS or COCO, there is one item per picture, about an object whose label has
    exactly one box there, chosen with the seed. Labels that may have further instances without a box are not asked
    about.

    A box with noise on its sides can be distinguished from the stated one without a look at the subject: by its
    proportions, by a side at the picture's border, or by its distance from the middle. Therefore, by default, two boxes
    of equal proportions are drawn on a part of the picture with both in its middle, and a random draw decides which of
    them is larger and in which direction they are offset.

    Args:
        dataset: Entry of the step `dataset` whose boxes are used; null uses facts.
        mode: `hardened` draws boxes of equal proportions on a part of the picture in which they could exchange
            positions: measurements of the boxes alone do not reveal the stated one. `paper` shows the whole picture,
            with noise on each side of the stated box, as the paper does.
        apart_from: With `dataset`, entries of earlier tasks of ground truth whose pictures it does not show again.
        items: With `dataset`, largest number of items, chosen by the seed; null makes as many as possible.
        max_side_px: Longer side of the picture shown; larger ones are scaled down.
        min_view_px: In mode `hardened`, shorter side of the part that is shown, 16-4096; smaller parts are enlarged.
        max_enlargement: Largest factor, 1-8, by which the picture is enlarged to reach `min_view_px`; objects that
            would need more yield no item.
        min_box_px: Shorter side of a subject's box, as shown but before enlargement, or of both boxes in mode
            `hardened`; smaller subjects yield no item.
        noise: Standard deviation of each side's displacement, as a fraction of the box's width or height; a side moves
            by at most three standard deviations.
        min_iou: Smallest intersection over union of the wrong box with the right one, 0-1.
        twins: In mode `hardened`, whether each object yields two items with the boxes at the same positions, in which
            the other one fits; both have a group key `twin:...`, by which scores count them together.
        max_iou: Largest intersection over union. A subject without such a box yields no item; an image without any item
            is dropped.
        wordings: Wordings of the question: `all`, from which each item's seed draws one, or `1`, for only the first.
            Items record theirs in the attribute `wording`.
        stated_by: Entry of the step `facts` to read, if the recipe gives it another name.

    Reasons:
        no_facts (drop): Nothing is stated about the image.
        nothing_stated (drop): With `dataset`, no boxes of the image are known.
        no_single_thing (drop): With `dataset`, no label has exactly one box and is certain to have no other instance.
        used_already (drop): With `dataset`, an item that was chosen before shows the picture.
        enough (drop): There were `items` items without it.
        too_small (drop): The subject's box is smaller than `min_box_px`, or, in mode `hardened`, the part around it is
            smaller than `min_view_px` even when it is enlarged.
        no_distinct_box (drop): No box with noise overlaps the stated one by `min_iou` to `max_iou`.
        no_room_around (drop): In mode `hardened`, the box is so near a border that there is no space around it for the
            other box.
        no_room_for_labels (drop): The boxes leave no space for their labels.
    """

    name: ClassVar[str] = "object_localization"
    version: ClassVar[int] = 2
    hardening: ClassVar[Hardening] = ROOM_FOR_BOTH
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)
    uses: ClassVar[tuple[str, ...]] = ("subjects",)

    dataset: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    apart_from: tuple[str, ...] = ()
    items: int | None = Field(None, ge=1)
    mode: Mode = "hardened"
    max_side_px: int = Field(1024, ge=64, le=8192)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(4.0, ge=1, le=8)
    min_box_px: float = Field(24.0, ge=4)
    noise: float = Field(0.2, gt=0, le=1)
    min_iou: float = Field(0.3, ge=0, lt=1)
    max_iou: float = Field(0.65, gt=0, le=0.95)
    twins: bool = False
    wordings: WordingsInUse = "all"

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> ObjectLocalization:
        if self.max_iou <= self.min_iou:
            raise ValueError(f"max_iou {self.max_iou} is not above min_iou {self.min_iou}; no box fits both")
        if self.mode == "hardened" and self.max_side_px < self.min_view_px:
            raise ValueError(
                f"max_side_px {self.max_side_px} is below min_view_px {self.min_view_px}: no part fits both"
            )
        if self.dataset is None and (wrong := self.model_fields_set & _OF_DATASETS):
            raise ValueError(f"leave out {', '.join(sorted(wrong))}, or name the dataset's entry under dataset")
        if self.dataset is not None and self.stated_by != FACTS:
            raise ValueError("leave out dataset or stated_by: boxes come from a dataset or from facts")
        return self

    def lacks(self, before: Mapping[str, Step]) -> str | None:
        """Return a message if the step reads a dataset's boxes but no earlier step supplies them, otherwise None."""
        if self.dataset is None:
            return None
        return lacking_before(before, [f"{self.dataset}.{LabelledBoxes.kind}"], [LabelledBoxes.kind])

    def forecast(self, ctx: ForecastContext) -> Sequence[ItemForecast]:
        """Return how many items the task will make from a dataset's boxes; for facts, the number is unknown."""
        from ..truth_tasks.forecasts import forecast_of_truths

        return () if self.dataset is None else forecast_of_truths(self, ctx)

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step for a dataset's boxes if this one reads them, otherwise the step itself."""
        if self.dataset is None:
            return self
        settings = self.model_dump(exclude={"stated_by"})
        return LocalizationOfBoxes(**settings).placed(given)

    def advice(self, made: int, dropped: Mapping[str, int]) -> str | None:
        """Return the reason why mode `hardened` made few items, and the remedy."""
        return self.hardening.advice(self.mode, made, dropped)

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result, including those for datasets only if one is used, and sizes of
        parts only if parts are shown.
        """
        without = _OF_DATASETS | {"dataset"} if self.dataset is None else frozenset[str]()
        if self.mode == "paper":
            without |= OF_PARTS
        return {name: value for name, value in super().parameters().items() if name not in without}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make one item for each stated subject for which a wrong box can be drawn."""
        subjects = self.stated(record, ctx, "subjects")
        if subjects is None:
            return nothing_stated()
        whole = as_shown(record, ctx, max_side_px=self.max_side_px) if self.mode == "paper" else None
        made: dict[str, ImageRecord] = {}
        items: list[Item] = []
        left_out: dict[str, str] = {}
        for subject in subjects:
            rng = ctx.rng(record.image_id, subject["name"])
            shown = self._on_part(record, ctx, subject, rng) if whole is None else self._on_whole(whole, subject, rng)
            if isinstance(shown, str):
                left_out[subject["name"]] = shown
                continue
            item = self._items(record, ctx, shown, subject, rng)
            if isinstance(item, str):
                left_out[subject["name"]] = item
                continue
            items += item
            for each in (shown, shown.twin):
                if each is not None and each.picture != record:
                    made[each.picture.image_id] = each.picture
        evidence = {"left_out": left_out} if left_out else {}
        if not items:
            return Outcome("drop", next(iter(left_out.values())), evidence=evidence)
        return Outcome(evidence=evidence, images=tuple(made.values()), items=tuple(items))

    def _on_whole(self, whole: ShownPicture, subject: Mapping[str, Any], rng: np.random.Generator) -> _ShownBoxes | str:
        """Return a subject's boxes on the whole picture, or the reason why there are none."""
        x0, y0, x1, y1 = (round(side * whole.scale, 2) for side in subject["box"])
        right: Box = (x0, y0, x1, y1)
        if min(x1 - x0, y1 - y0) < self.min_box_px:
            return "too_small"
        wrong = noised_box(right, (whole.record.width, whole.record.height), self._limits(), rng)
        if wrong is None:
            return "no_distinct_box"
        return _ShownBoxes(whole.record, whole.pixels, right, wrong, {})

    def _on_part(
        self, record: ImageRecord, ctx: Context, subject: Mapping[str, Any], rng: np.random.Generator
    ) -> _ShownBoxes | str:
        """Return a subject's boxes on a part of the picture in which they could exchange positions, or the reason why
        there are none.
        """
        view = exchangeable_boxes(
            tuple(subject["box"]),
            (record.width, record.height),
            self._limits(),
            ViewSizes(self.max_side_px, self.min_view_px, self.max_enlargement, self.min_box_px),
            rng=rng,
        )
        if isinstance(view, str):
            return view
        shown = self._drawn(record, ctx, view)
        return shown._replace(twin=self._drawn(record, ctx, view.twin)) if self.twins and view.twin else shown

    def _drawn(self, record: ImageRecord, ctx: Context, view: BoxView) -> _ShownBoxes:
        """Draw and store a part of the picture."""
        drawn = drawn_view(ctx.images.rgb(record), shift(view.corner), view.scaled_wh, view.size_wh)
        shown = ctx.store_image(drawn, parents=[record])
        return _ShownBoxes(shown, drawn, view.right, view.wrong, {"view": view_document(view)})

    def _limits(self) -> BoxNoise:
        return BoxNoise(self.noise, self.min_iou, self.max_iou)

    def _items(
        self,
        record: ImageRecord,
        ctx: Context,
        shown: _ShownBoxes,
        subject: Mapping[str, Any],
        rng: np.random.Generator,
    ) -> list[Item] | str:
        """Return the item about one subject and its twin, or the reason that there is no room for the labels."""
        placed = place(shown.right, [shown.wrong], rng)
        if not labels_fit(drawn_boxes(shown.picture.image_id, shown.picture.height, placed.options), shown.picture):
            return "no_room_for_labels"
        pictures = [each.pixels for each in (shown, shown.twin) if each is not None]
        first = self._item(record, ctx, shown, subject, placed, pictures)
        if shown.twin is None:
            return [first]
        other = placed._replace(answer="AB"[placed.answer == "A"])
        twin = self._item(record, ctx, shown.twin, subject, other, pictures)
        twin_id = ctx.item_id(record.image_id, first.item_id, "twin")
        keys = twin_keys(first.group_keys, first.item_id)
        return [
            first.model_copy(update={"group_keys": keys}),
            twin.model_copy(update={"group_keys": keys, "item_id": twin_id}),
        ]

    def _item(
        self,
        record: ImageRecord,
        ctx: Context,
        shown: _ShownBoxes,
        subject: Mapping[str, Any],
        placed: PlacedChoices[Box],
        pictures: Sequence[NDArray[np.uint8]],
    ) -> Item:
        """Return an item of one subject, with colors that are visible on all pictures."""
        picture = shown.picture
        uncolored = drawn_boxes(picture.image_id, picture.height, placed.options)
        wording = QUESTIONS.drawn(self.wordings, ctx.rng(record.image_id, subject["name"], "wording"))
        prompts, question = colored_boxes(pictures, uncolored, subject["phrase"], wording.number)
        return Item(
            item_id=ctx.item_id(record.image_id, subject["name"]),
            task=self.name,
            kind="multiple_choice",
            images=(ItemImage(image_id=picture.image_id, role="reference", prompts=prompts),),
            question=question,
            choices=text_choices(PlacedChoices(tuple(f"Box {key}" for key, _ in placed.keyed), placed.answer)),
            answer=placed.answer,
            group_keys=group_keys(record),
            attributes={**wording.attributes, "mode": self.mode},
            written_by={"question": "template", "choices": "template"},
            root_image_id=record.root_image_id,
            operation_id=ctx.operation_id,
            made_from=record.image_id,
            evidence={
                "subject": subject["name"],
                **document_of(shown.right, shown.wrong, subject["box"]),
                **shown.more,
            },
        )


class _ShownBoxes(NamedTuple):
    """Two boxes on the picture that shows them, with the facts to be recorded in items about that picture."""

    picture: ImageRecord
    pixels: NDArray[np.uint8]
    right: Box
    wrong: Box
    more: Mapping[str, Any]
    twin: _ShownBoxes | None = None
