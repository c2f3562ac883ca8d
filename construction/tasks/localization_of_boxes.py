"""Object localization with boxes from a dataset, which in BLINK is LVIS (section 3.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from benchwright.drawing.clear_colors import clear_colors, in_color, mark_style
from benchwright.records import ImageRecord, Item, VisualPrompt
from benchwright.steps import Context

from ..ground_truth.truths import GroundTruth, LabelledBox, LabelledBoxes
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.boxes import Box, BoxNoise, BoxView, ViewSizes, exchangeable_boxes, iou, noised_box
from ..item_parts.marks.rings import NO_PICTURE, SizeWH, labels_have_room
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.pictures.views import drawn_view, shift
from ..item_parts.wording.english_words import without_article
from ..item_parts.wording.wordings import WORDING, Wordings
from ..truth_tasks.made_pictures import MadePictures
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, LeftOut, TruthPictures
from ..truth_tasks.truth_tasks import TruthTask

_KEYS, _TWIN_VIEW = ("A", "B"), "twin_view"
OF_PARTS = frozenset({"min_view_px", "max_enlargement", "twins"})
"""Settings that apply only in mode `hardened`."""
QUESTIONS = Wordings(
    "Two boxes are drawn on the image: A, the {a} one, and B, the {b} one. Which of them fits {phrase} more closely?",
    "Which box fits {phrase} better, the {a} one labeled A or the {b} one labeled B?",
    "Compare box A, drawn in {a}, with box B, drawn in {b}. Which of the two is the better bounding box of {phrase}?",
)


def drawn_boxes(image_id: str, height: int, boxes: Sequence[Box]) -> tuple[VisualPrompt, ...]:
    """Return two boxes to draw on a picture of that height, before they are given colors (`colored_boxes`)."""
    return tuple(
        VisualPrompt(
            kind="box",
            image_id=image_id,
            points=(box[:2], box[2:]),
            label=key,
            style=mark_style(height),
        )
        for key, box in zip(_KEYS, boxes, strict=True)
    )


def colored_boxes(
    pictures: Sequence[NDArray[np.uint8]], prompts: Sequence[VisualPrompt], phrase: str, wording: int
) -> tuple[tuple[VisualPrompt, ...], str]:
    """Return two boxes in the two colors most visible on their pictures, and the question that names these colors.

    Args:
        pictures: The picture, (height, width, 3) RGB, and that of a twin with boxes at the same positions.
        prompts: Boxes A and B.
        phrase: The object's name in the question.
        wording: Number of the question's wording, from 1.
    """
    colors = clear_colors([(pixels, prompts) for pixels in pictures], count=len(_KEYS))
    boxes = tuple(in_color([prompt], color.code)[0] for prompt, color in zip(prompts, colors, strict=True))
    if len(pictures) == 1:  # labels of twins are at the same places
        from benchwright.drawing.calm_labels import with_calm_labels

        [boxes] = with_calm_labels([(pictures[0], boxes)])
    return boxes, QUESTIONS.of_number(wording).format(a=colors[0].name, b=colors[1].name, phrase=phrase)


def _single_things(stated: LabelledBoxes) -> list[LabelledBox]:
    """Return the boxes whose label names a single object of the picture: the label has no second box and is not
    incomplete.

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


ROOM_FOR_BOTH = Hardening(
    {
        "no_room_around": "both boxes must be able to change places within the picture, and things lie too near to "
        "its border: use photographs that show whole things away from the border, or set a smaller "
        "`noise`",
    },
    "proportions, whole numbers of pixels, sizes and a side at the border",
)


class LocalizationOfBoxes(TruthTask):
    """Make items that ask which of two boxes fits an object; a dataset states the right box.

    Args:
        mode: `hardened` shows a part of the picture in which the boxes could exchange positions; see
            `object_localization`. `paper` shows the whole picture, with noise on each side of the stated box.
        min_view_px: In mode `hardened`, shorter side of the part that is shown, 16-4096; smaller parts are enlarged.
        max_enlargement: Largest factor, 1-8, by which the picture is enlarged to reach `min_view_px`.
        min_box_px: Shorter side of a box, as shown but before enlargement; smaller objects are not asked about.
        noise: Standard deviation of each side's displacement, as a fraction of the box's width or height.
        min_iou: Smallest intersection over union of the wrong box with the right one, 0-1.
        max_iou: Largest intersection over union of the two, 0-1.
        twins: In mode `hardened`, whether each object yields two items with the boxes at the same positions, in which
            the other one fits; both have a group key `twin:...`, by which scores count them together.

    Reasons:
        no_single_thing (drop): No label has exactly one box and is certain to have no other instance.
        no_distinct_box (drop): No box with noise overlaps the stated one by `min_iou` to `max_iou`.
        no_room_around (drop): In mode `hardened`, the box is so near a border that there is no space around it for the
            other box.
        no_room_for_labels (drop): The boxes leave no space for their labels.
    """

    name: ClassVar[str] = "object_localization"
    version: ClassVar[int] = 2
    hardening: ClassVar[Hardening] = ROOM_FOR_BOTH
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (LabelledBoxes,)

    mode: Mode = "hardened"
    min_side_px: int = Field(16, ge=16)
    min_view_px: int = Field(300, ge=16, le=4096)
    max_enlargement: float = Field(4.0, ge=1, le=8)
    min_box_px: float = Field(24.0, ge=4)
    noise: float = Field(0.2, gt=0, le=1)
    min_iou: float = Field(0.3, ge=0, lt=1)
    max_iou: float = Field(0.65, gt=0, le=0.95)
    twins: bool = False

    def planned(
        self, truth: RecordTruth[LabelledBoxes], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Choose an object at random, and draw a wrong box for it."""
        things = _single_things(truth.truth)
        reason = "no_single_thing"
        is_part = self.mode == "hardened"
        for number in rng.permutation(len(things)).tolist():
            stated = things[number].box
            boxes = self._on_part(stated, pictures, rng) if is_part else self._on_whole(stated, pictures, rng)
            if isinstance(boxes, str):
                reason = boxes
            elif not _have_room(boxes.right, boxes.wrong, boxes.size_wh):
                reason = "no_room_for_labels"
            else:
                document = document_of(boxes.right, boxes.wrong, stated)
                view = {"view": view_document(boxes)} if is_part else {}
                if self.items_of_each == 2 and boxes.twin is not None:
                    view[_TWIN_VIEW] = view_document(boxes.twin)
                return ItemPlan((0, 1), "box", {"subject": things[number].label, **document, **view})
        return reason

    def _on_part(self, stated: Box, pictures: TruthPictures, rng: np.random.Generator) -> BoxView | str:
        """Return a wrong box, and the part of the picture that shows both, or the reason why there is none."""
        return exchangeable_boxes(
            stated,
            pictures.sizes_wh[0],
            self._limits(),
            ViewSizes(self.max_side_px, self.min_view_px, self.max_enlargement, self.min_box_px),
            rng=rng,
        )

    def _on_whole(self, stated: Box, pictures: TruthPictures, rng: np.random.Generator) -> BoxView | str:
        """Return a wrong box on the whole picture, or the reason why there is none."""
        size_wh = pictures.shown_wh[0]
        right: Box = (*pictures.shown(0, stated[:2]), *pictures.shown(0, stated[2:]))
        if min(right[2] - right[0], right[3] - right[1]) < self.min_box_px:
            return "too_small"
        wrong = noised_box(right, size_wh, self._limits(), rng)
        return "no_distinct_box" if wrong is None else BoxView(right, wrong, size_wh, (0.0, 0.0), size_wh)

    def _limits(self) -> BoxNoise:
        return BoxNoise(self.noise, self.min_iou, self.max_iou)

    @property
    def items_of_each(self) -> int:
        """Return how many items the task makes from each object."""
        return 2 if self.twins and self.mode == "hardened" else 1

    def twin_of(self, entry: ChosenRecord) -> ChosenRecord | None:
        """Return the same boxes on a view with the object at the position of the wrong box."""
        if self.items_of_each == 1:
            return None
        return entry._replace(letter=1 - entry.letter, plan=_twin_plan(entry.plan))

    def made_of_record(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: MadePictures
    ) -> list[Item] | LeftOut | str:
        """Return the item, which in mode `hardened` shows the part of the picture with both boxes."""
        if self.mode == "paper":
            return super().made_of_record(record, ctx, entry, pictures)
        view = entry.plan["view"]
        picture = ctx.image(entry.image_ids[0])
        drawn = drawn_view(
            ctx.images.rgb(picture), shift(view["corner"]), tuple(view["scaled_wh"]), tuple(view["size_wh"])
        )
        shown = pictures.stored(ctx, drawn, [picture])
        return self.made(record, ctx, entry, [shown], pictures)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask which box fits the object."""
        del shown
        name = without_article(chosen.plan["subject"])
        return ItemWording(
            QUESTIONS,  # its colors follow from the pixels
            tuple(f"Box {key}" for key in _KEYS),
            ((0, "reference", ()),),
            evidence={key: value for key, value in chosen.plan.items() if key != _TWIN_VIEW},
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

    def with_clear_marks(
        self, item: Item, pixels_of: Callable[[str], NDArray[np.uint8]], twins: Sequence[Item] = ()
    ) -> Item:
        """Return the item with each box in a visible color, and the question that names the colors."""
        [image] = item.images
        phrase, wording = f"the {item.attributes['object']}", int(str(item.attributes[WORDING]))
        pictures = [pixels_of(shown.images[0].image_id) for shown in twins or [item]]
        prompts, question = colored_boxes(pictures, image.prompts, phrase, wording)
        return item.model_copy(
            update={"images": (image.model_copy(update={"prompts": prompts}),), "question": question}
        )


def document_of(right: Box, wrong: Box, stated: Box) -> dict[str, Any]:
    """Return the facts about two boxes to be recorded in items: the boxes as shown, their overlap, and the stated
    box.
    """
    return {
        "right_xyxy": list(right),
        "wrong_xyxy": list(wrong),
        "iou": round(iou(right, wrong), 4),
        "stated_xyxy": list(stated),
    }


def _twin_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan of a twin, in which the two boxes exchange their roles."""
    right, wrong = plan["wrong_xyxy"], plan["right_xyxy"]
    return {**plan, "right_xyxy": right, "wrong_xyxy": wrong, "view": plan[_TWIN_VIEW]}


def view_document(view: BoxView) -> dict[str, Any]:
    """Return the facts to be recorded in items about the part of a picture that they show, in pixels."""
    return {"scaled_wh": list(view.scaled_wh), "corner": list(view.corner), "size_wh": list(view.size_wh)}


def _have_room(right: Box, wrong: Box, size_wh: SizeWH) -> bool:
    """Return whether there is a position for both labels, in either order of the boxes."""
    orders = ((right, wrong), (wrong, right))
    return all(labels_have_room(drawn_boxes(NO_PICTURE, size_wh[1], order), size_wh) for order in orders)
