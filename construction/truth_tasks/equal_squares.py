"""Pictures that an item compares as a whole, all shown as squares of one size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from benchwright.records import ImageRecord, Item
from benchwright.steps import Context

from ..item_parts.marks.rings import SizeWH
from ..item_parts.options.modes import Mode
from ..item_parts.pictures.scaling import middle_square
from .made_pictures import MadePictures
from .truth_plans import ChosenRecord, LeftOut, TruthPictures
from .truth_tasks import TruthTask

_REDUCTION = 1.25
"""Smallest factor by which a picture is reduced; a picture at its original size among reduced ones would be the
sharpest.
"""


def _square_side_px(sizes_wh: Sequence[SizeWH], max_side_px: int) -> int:
    """Return the side of the squares that show pictures together, which reduces all of them, even the smallest one, by
    `_REDUCTION` or more.

    Args:
        sizes_wh: Sizes of the pictures. If the reference was drawn from two, include both: if only the shown one
            counted, a small square would reveal that it is small, as pictures of its kind may be.
        max_side_px: Largest side of the squares.
    """
    smallest_px = min(min(size_wh) for size_wh in sizes_wh)
    return min(max_side_px, max(1, int(smallest_px / _REDUCTION)))


class WholePicturesTask(TruthTask):
    """A task that compares pictures as a whole."""

    version: ClassVar[int] = 3

    mode: Mode = "hardened"

    def made_of_record(
        self, record: ImageRecord, ctx: Context, entry: ChosenRecord, pictures: MadePictures
    ) -> list[Item] | LeftOut | str:
        """Return the item; in mode `hardened`, its pictures are squares of the same size and encoding.

        Each is the largest square in the middle of its picture, scaled to the planned side.
        """
        if self.mode == "paper":
            return super().made_of_record(record, ctx, entry, pictures)
        shown = []
        for image_id in entry.image_ids:
            source = ctx.image(image_id)
            parents = [record] if image_id == record.image_id else [record, source]
            square = middle_square(ctx.images.rgb(source), entry.plan["side_px"])
            shown.append(ctx.store_image(square, parents=parents))
        pictures |= {picture.image_id: picture for picture in shown}
        if len(pictures) < len(shown):
            return "same_picture"
        return self.made(record, ctx, entry, shown, pictures)

    def side(self, pictures: TruthPictures) -> dict[str, int]:
        """Return the part of a plan's document about squares: their side in mode `hardened`, otherwise nothing.

        Args:
            pictures: All pictures of the record, including those not shown.
        """
        return {} if self.mode == "paper" else {"side_px": _square_side_px(pictures.sizes_wh, self.max_side_px)}
