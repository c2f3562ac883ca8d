"""Regions with which annotators justify the answer of an item, as stored in a release.

An item's `evidence` contains them under `answer_regions`, by campaign. They do not affect the content hash, because
they change neither question nor answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from benchwright.errors import DataError
from benchwright.records import Item, Record, Sha256

from .region import Region

ANSWER_REGIONS = "answer_regions"


class AnswerRegions(Record):
    """The regions on which the annotators of one campaign agree for one item.

    Attributes:
        image: Number of the picture among those of the item, from 1.
        size_wh: Width and height of that picture in pixels, upright.
        regions: Regions on which enough annotators agree, in pixels of that picture; empty without agreement.
        annotators: Number of annotators who marked regions or stated that nothing justifies an answer.
        need: Number of annotators who must have marked a region.
        share_matched: Agreement on position: proportion of regions that two annotators both marked, mean over pairs of
            annotators, 0 to 1; None with one annotator.
        mean_iou: Mean intersection over union of these regions; None if there are none.
        simulated: Whether the annotators are simulated.
        content_hash: Hash of the item's content at the time of marking; None if not stated.
    """

    image: int = Field(1, ge=1)
    size_wh: tuple[int, int]
    regions: tuple[Region, ...] = ()
    annotators: int = Field(ge=1)
    need: int = Field(1, ge=1)
    share_matched: float | None = Field(None, ge=0, le=1)
    mean_iou: float | None = Field(None, ge=0, le=1)
    simulated: bool = False
    content_hash: Sha256 | None = None


def answer_regions_of(item: Item) -> Mapping[str, AnswerRegions]:
    """Return the regions that justify an item's answer, by campaign; empty if no annotator marked any.

    Raises:
        DataError: The item's evidence contains something else under that name.
    """
    documents: Any = item.evidence.get(ANSWER_REGIONS, {})
    try:
        return {str(name): AnswerRegions.model_validate(document) for name, document in documents.items()}
    except (ValidationError, AttributeError, TypeError) as error:
        raise DataError(f"item {item.item_id}: its evidence contains no valid answer regions: {error}") from error


def with_answer_regions(item: Item, values: Mapping[str, Any]) -> Item:
    """Return an item with the regions among its values added to its evidence, except those marked on different content.

    Args:
        item: The item.
        values: Values of the item as `<campaign>.<value>`.
    """
    stated: dict[str, Any] = {}
    for name in sorted(values):
        campaign, _, value = name.rpartition(".")
        if value == ANSWER_REGIONS and values[name] is not None:
            document = json.loads(values[name])
            if document.get("content_hash") in (None, item.content_hash):
                stated[campaign] = document
    return item.model_copy(update={"evidence": {**item.evidence, ANSWER_REGIONS: stated}}) if stated else item


def first_with_regions(item: Item, campaigns: Sequence[str] = ()) -> AnswerRegions | None:
    """Return the regions of the first campaign, by name, that agreed on any; None if no campaign did.

    Args:
        item: The item.
        campaigns: Names of the campaigns to consider; all if empty.
    """
    by_campaign = answer_regions_of(item)
    return next(
        (
            by_campaign[name]
            for name in sorted(by_campaign)
            if by_campaign[name].regions and name in (campaigns or by_campaign)
        ),
        None,
    )
