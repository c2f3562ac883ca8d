"""A protocol that asks for the answer and for the region of the picture that justifies the answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from benchwright.regions import BoxConvention, BoxUnit, MisplacedBox, Region, area_iou
from benchwright.regions.answer_regions import AnswerRegions, first_with_regions

from ..prompting.prompts import vanilla
from ..prompting.question import Released, question_of
from .base import JudgedReply, Protocol, ProtocolQuestion

if TYPE_CHECKING:
    from benchwright.records import Item

MOST_BOXES = 20
"""Largest number of boxes in a valid reply; with more boxes, a reply covers the picture rather than a region."""
_NUMBER = r"-?\d{1,6}(?:\.\d{1,6})?"
_BOX = re.compile(rf"[\[(<{{]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])>}}]")


class Grounded(Protocol):
    """Ask for the letter, and for boxes around what justifies it. Only items with marked regions are asked."""

    name: ClassVar[str] = "grounded"
    source: ClassVar[str] = "ours; annotators mark the same regions in the campaigns answer and verify"

    unit: Literal["unit", "thousand"] = "thousand"
    """Unit of the boxes: thousandths of the picture's sides, or fractions from 0 to 1 (`unit`)."""
    order: Literal["xyxy", "yxyx"] = "xyxy"
    """Order of the numbers, as in the model's training."""
    campaign: str | None = None
    """Campaign whose regions are used; None for the first campaign, by name, that has any."""

    def takes(self, item: Item) -> bool:
        """Return whether people agreed on a region that justifies the item's answer."""
        return self._truth(item) is not None

    def ask(self, released: Released, earlier: Sequence[JudgedReply]) -> Sequence[ProtocolQuestion]:
        """Return the question, followed by the request for boxes."""
        del earlier
        truth, question = self._truth(released.item), question_of(released)
        assert truth is not None
        where = f"image {truth.image}" if len(question.pictures) > 1 else "the image"
        unit: BoxUnit = self.unit
        instruction = (
            "Reply with the letter of the right option, in parentheses, and then with a box around what in "
            f"{where} justifies it; with several boxes if it is in several places. "
            f"{BoxConvention(unit, self.order, truth.size_wh).in_words()} Write nothing else."
        )
        keys = {choice.key: choice.key for choice in question.choices}
        message = vanilla(question, instruction=instruction)
        return [ProtocolQuestion("", replace(question, message=message), keys)]

    def region_iou(self, item: Item, attempts: Sequence[JudgedReply]) -> float:
        """Return the intersection over union of the last reply's boxes with the regions that people marked.

        The boxes are evaluated together, as the area that they cover. The value is 0 if there is no reply, no box
        within the picture, or more than `MOST_BOXES` boxes.
        """
        truth = self._truth(item)
        assert truth is not None  # other items are not asked
        return area_iou(self.boxes_in(attempts[-1].reply or "", truth), truth.regions, truth.size_wh)

    def boxes_in(self, reply: str, truth: AnswerRegions) -> list[Region]:
        """Return the boxes in a reply as regions of the picture, except those outside it."""
        convention = BoxConvention(self.unit, self.order, truth.size_wh)
        written = _BOX.findall(reply)
        boxes = []
        for numbers in written if len(written) <= MOST_BOXES else []:
            try:
                x0, y0, x1, y1 = convention.to_pixels([float(number) for number in numbers], truth.size_wh)
            except MisplacedBox:
                continue
            boxes.append(Region(shape="box", points=((x0, y0), (x1, y1))))
        return boxes

    def _truth(self, item: Item) -> AnswerRegions | None:
        return first_with_regions(item, () if self.campaign is None else (self.campaign,))
