"""Read gold items, whose right decision is known, from a table or from a release with checked keys."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError

from .csv_rows import read_rows, shown

MAX_ITEMS = 100_000
LEAST_PRACTICE, FEW_PRACTICE, MOST_PRACTICE = 3, 5, 20
"""Fewest and most items to practise on that a file may name, and the number that are taken of a release."""
MAX_WHY = 1000


class GoldLabel(NamedTuple):
    """The known right decision on a gold item.

    Args:
        decision: The right decision; None if it follows from the item's own key.
        content_hash: Content hash of the item that it applies to; None for any content.
        reason: Reason of the decision; empty if none is stated.
        why: Sentence for annotators on why it is right; empty if none is stated.
    """

    decision: str | None
    content_hash: str | None
    reason: str = ""
    why: str = ""


def read_gold(path: Path) -> dict[str, GoldLabel]:
    """Return the gold labels of a file or release, by item id.

    Args:
        path: A CSV file with the column `item_id` and perhaps `decision`, `reason` and `why`, or the folder of a
            release.

    Raises:
        DataError: The path is neither, a row is wrong, or an item occurs twice.
    """
    labels = _of_release(path) if path.is_dir() else _of_table(path)
    if len(labels) > MAX_ITEMS:
        raise DataError(f"{path} names {len(labels)} gold items; at most {MAX_ITEMS} are taken")
    return labels


def read_practice(path: Path) -> dict[str, GoldLabel]:
    """Return the labels of the items to practise on, by item id: those of a file, or all of a release.

    Raises:
        DataError: As `read_gold`, or a file names fewer than 3 items or more than 20.
    """
    labels = read_gold(path)
    if not path.is_dir() and not LEAST_PRACTICE <= len(labels) <= MOST_PRACTICE:
        raise DataError(f"{path} names {len(labels)} items to practise on; give {LEAST_PRACTICE} to {MOST_PRACTICE}")
    return labels


def _of_table(path: Path) -> dict[str, GoldLabel]:
    labels: dict[str, GoldLabel] = {}
    for row in read_rows(path, required=("item_id",), optional=("decision", "reason", "why")):
        item_id = row.values["item_id"]
        if row.problem or not item_id:
            raise DataError(f"{path}, line {row.line}: {row.problem or 'no item_id'}")
        if item_id in labels:
            raise DataError(f"{path}, line {row.line}: item {shown(item_id)} comes twice; keep one of the two rows")
        if len(row.values["why"]) > MAX_WHY:
            raise DataError(f"{path}, line {row.line}: `why` has {len(row.values['why'])} characters of {MAX_WHY}")
        labels[item_id] = GoldLabel(row.values["decision"] or None, None, row.values["reason"], row.values["why"])
    return labels


def _of_release(path: Path) -> dict[str, GoldLabel]:
    from benchwright.release import Release

    items = (released.item for released in Release.open(path).items())
    return {item.item_id: GoldLabel(None, item.content_hash) for item in items}
