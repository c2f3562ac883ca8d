"""What several checks of one audit look at: measures of pictures, copies, and the report of the item filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .check import CheckSkipped
from .copies import PictureCopies, find_copies
from .picture_measures import PictureMeasures, measured_pictures

if TYPE_CHECKING:
    from benchwright.filters.items.report import ItemReport
    from benchwright.records import Item

    from .audited_items import AuditedItems
    from .check import AuditContext

MEASURES = "measures"
"""Name of the measures of pictures among what checks share."""
NO_PICTURES = "no picture of the source can be read; give their folder with --pictures"


def picture_measures(audited: AuditedItems, context: AuditContext) -> Mapping[str, PictureMeasures]:
    """Return the measures of all pictures, by id.

    Raises:
        CheckSkipped: There is no picture.
    """
    if not audited.pictures:
        raise CheckSkipped(NO_PICTURES)
    return context.shared(MEASURES, lambda: measured_pictures(list(audited.pictures.values()), context))


def picture_copies(audited: AuditedItems, context: AuditContext) -> PictureCopies:
    """Return which pictures show the same.

    Raises:
        CheckSkipped: There is no picture.
    """
    measures = picture_measures(audited, context)
    return context.shared("copies", lambda: find_copies(audited.pictures, measures, context))


def item_report(audited: AuditedItems, context: AuditContext) -> ItemReport:
    """Return the report of the item filters; pictures that are copies count as one."""
    from benchwright.filters.items import report_on

    def report() -> ItemReport:
        shown_as = picture_copies(audited, context).shown_as if audited.pictures else {}
        return report_on([with_one_picture_a_copy(each.item, shown_as) for each in audited.items])

    return context.shared("item_report", report)


def with_one_picture_a_copy(item: Item, shown_as: Mapping[str, str]) -> Item:
    """Return an item with each picture replaced by the one that stands for all its copies.

    Args:
        item: The item.
        shown_as: The picture that stands for it, for each that has copies.
    """
    if not any(image.image_id in shown_as for image in item.images):
        return item

    def standing(image_id: str | None) -> str | None:
        return image_id if image_id is None else shown_as.get(image_id, image_id)

    images = tuple(
        image.model_copy(
            update={
                "image_id": standing(image.image_id),
                "prompts": tuple(
                    prompt.model_copy(update={"image_id": standing(prompt.image_id)}) for prompt in image.prompts
                ),
            }
        )
        for image in item.images
    )
    choices = tuple(choice.model_copy(update={"image_id": standing(choice.image_id)}) for choice in item.choices)
    return item.model_copy(update={"images": images, "choices": choices})
