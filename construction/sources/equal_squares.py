"""Pictures of an item that are compared as wholes, all shown as squares of one size."""

from __future__ import annotations

from typing import ClassVar

from benchwright.records import ImageRecord, Item
from benchwright.steps import Context

from ..item_parts.modes import Mode
from ..item_parts.scaling import middle_square
from .truth_plans import ChosenRecord, LeftOut
from .truth_tasks import TruthTask

REDUCTION = 1.25
"""Least reduction of a picture: one shown as it is beside others that were scaled down would be the sharpest."""


def equal_squares(
    record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: dict[str, ImageRecord], *, max_side_px: int
) -> list[ImageRecord]:
    """Return a record's pictures as squares of one size and encoding, so that no size or proportion tells them apart.

    Each is the largest square in the middle of its picture, scaled to one size at which all of them, the smallest
    too, are reduced by `REDUCTION` or more.

    Args:
        record: Image that the item is made from.
        ctx: Context of the step.
        entry: The record.
        pictures: Mapping to which the squares are added by their id.
        max_side_px: Largest side of the squares.
    """
    sources = [ctx.image(image_id) for image_id in entry.image_ids]
    smallest_px = min(min(source.width, source.height) for source in sources)
    side_px = min(max_side_px, max(1, int(smallest_px / REDUCTION)))
    shown = []
    for source in sources:
        parents = [record] if source.image_id == record.image_id else [record, source]
        shown.append(ctx.store_image(middle_square(ctx.images.rgb(source), side_px), parents=parents))
    pictures |= {picture.image_id: picture for picture in shown}
    return shown


class WholePicturesTask(TruthTask):
    """A task whose pictures are compared as wholes."""

    version: ClassVar[int] = 2

    mode: Mode = "hardened"

    def made_of_record(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: dict[str, ImageRecord]
    ) -> list[Item] | LeftOut | str:
        """Return the item, in mode `hardened` with its pictures as squares of one size."""
        if self.mode == "paper":
            return super().made_of_record(record, ctx, entry, pictures)
        shown = equal_squares(record, ctx, entry, pictures, max_side_px=self.max_side_px)
        if len(pictures) < len(shown):
            return "same_picture"
        return self.made(record, ctx, entry, shown, pictures)
