"""Read gold items, which have a known right decision, from a table or from a release with checked keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.texts.normalization import counted

from .csv_rows import read_rows, shown

_MAX_ITEMS = 100_000
LEAST_PRACTICE, FEW_PRACTICE, MOST_PRACTICE = 3, 5, 20
"""Minimum number of practice items in a file, the number taken from a release, and the maximum number in a file."""
_MAX_WHY = 1000


class GoldLabel(NamedTuple):
    """The known right decision on a gold item.

    Args:
        decision: The right decision; None if it follows from the item's own key.
        content_hash: Content hash of the item to which it applies; None for any content.
        reason: Reason for the decision; empty if there is none.
        why: Sentence that tells annotators why the decision is right; empty if there is none.
        regions: Right regions, by field, as JSON values, or None if there are none.
        tolerance: Tolerance for annotators' regions, as the campaign's `agreement` defines it; None for the campaign's
            own.
    """

    decision: str | None
    content_hash: str | None
    reason: str = ""
    why: str = ""
    regions: Mapping[str, Any] | None = None
    tolerance: Mapping[str, Any] | None = None


def read_gold(path: Path) -> dict[str, GoldLabel]:
    """Return the gold labels of a file or release, by item id.

    Args:
        path: A CSV file with the column `item_id` and optionally `decision`, `reason`, `why`, and in a campaign `mark`
            `regions` (JSON: lists of regions by field) and `tolerance` (a number, the smallest intersection over union,
            or JSON as in `agreement`); or the folder of a release.

    Raises:
        DataError: The path is neither a file nor a release, a row is wrong, or an item occurs twice.
    """
    labels = _of_release(path) if path.is_dir() else _of_table(path)
    if len(labels) > _MAX_ITEMS:
        raise DataError(f"{path} names {len(labels)} gold items; at most {_MAX_ITEMS} are allowed")
    return labels


def read_practice(path: Path) -> dict[str, GoldLabel]:
    """Return the labels of practice items, by item id, from a file, or from a whole release.

    Raises:
        DataError: As for `read_gold`, or a file names fewer than 3 or more than 20 items.
    """
    labels = read_gold(path)
    if not path.is_dir() and not LEAST_PRACTICE <= len(labels) <= MOST_PRACTICE:
        raise DataError(
            f"{path} names {counted(len(labels), 'item')} to practice on; give {LEAST_PRACTICE} to {MOST_PRACTICE}"
        )
    return labels


def _of_table(path: Path) -> dict[str, GoldLabel]:
    labels: dict[str, GoldLabel] = {}
    optional = ("decision", "reason", "why", "regions", "tolerance")
    for row in read_rows(path, required=("item_id",), optional=optional, long=("regions",)):
        item_id = row.values["item_id"]
        if row.problem or not item_id:
            raise DataError(f"{path}, line {row.line}: {row.problem or 'no item_id'}")
        if item_id in labels:
            raise DataError(f"{path}, line {row.line}: item {shown(item_id)} appears twice; keep one of the two rows")
        if len(row.values["why"]) > _MAX_WHY:
            raise DataError(
                f"{path}, line {row.line}: `why` has {len(row.values['why'])} characters; at most "
                f"{_MAX_WHY} are possible"
            )
        regions = _json_in(row.values["regions"], f"{path}, line {row.line}: `regions`")
        tolerance = _json_in(row.values["tolerance"], f"{path}, line {row.line}: `tolerance`")
        if isinstance(tolerance, int | float):
            tolerance = dict.fromkeys(("box_iou", "polygon_iou", "mask_iou"), tolerance)
        if not isinstance(regions, Mapping | None) or not isinstance(tolerance, Mapping | None):
            raise DataError(
                f"{path}, line {row.line}: regions must be a JSON object by field, and a tolerance such an "
                "object or a number"
            )
        decision, reason, why = (row.values[name] for name in ("decision", "reason", "why"))
        labels[item_id] = GoldLabel(decision or None, None, reason, why, regions, tolerance)
    return labels


def _json_in(text: str, place: str) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        raise DataError(f"{place} {shown(text)} is not JSON") from None


def _of_release(path: Path) -> dict[str, GoldLabel]:
    from benchwright.release import Release

    items = (released.item for released in Release.open(path).items())
    return {item.item_id: GoldLabel(None, item.content_hash) for item in items}
