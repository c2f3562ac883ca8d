"""Differences between two releases, item by item and field by field, and their reasons.

Items with equal ids are the same item: an id stays the same when the step's version or weights change or the item is
edited. Two passes read the rows without their pictures. The first stores a digest of each item; the second reads the
rows of the items that differ. Memory therefore grows with the number of differences, not with the size of the releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from benchwright.canonical import digest
from benchwright.questions.own_ids import own_id
from benchwright.release import Release

from .reasons import Reasons

CONTENT = (
    "task", "kind", "images", "marks", "question", "choices", "answer", "refusal", "level", "category", "attributes",
    "explanation",
)  # fmt: skip
"""Fields that annotators judged and models saw; a change to any other field leaves the question itself unchanged."""
_MAKING = ("revision", "group_keys", "written_by", "operation_id", "root_image_id", "made_from", "evidence")
_COLUMNS = {"images": "image_ids", "marks": "visual_prompts"}
"""Columns that correspond to a field with a different name here."""

Row = Mapping[str, Any]


class DifferentItem(NamedTuple):
    """An item that differs between two releases.

    Args:
        item_id: Id of the item.
        task: Task of the item, taken from the newer release if both contain the item.
        fields: Names of the fields that differ; empty if only one release contains the item.
        why: Reason for the difference, if the two releases record it.
        before: Row of the item in the older release, without pictures; None if absent.
        after: Row of the item in the newer release, without pictures; None if absent.
    """

    item_id: str
    task: str
    fields: tuple[str, ...]
    why: str
    before: Row | None
    after: Row | None

    @property
    def is_content(self) -> bool:
        """Return whether the difference is in content that annotators judged and models saw."""
        return not self.fields or not set(self.fields).isdisjoint(CONTENT)

    @property
    def source_id(self) -> str | None:
        """Return the id of the item in its source, or None if it has none."""
        return own_id((self.after or self.before or {}).get("attributes"))

    def to_json(self) -> dict[str, Any]:
        """Return the difference for `--json`."""
        return {
            "item_id": self.item_id,
            **({} if self.source_id is None else {"source_id": self.source_id}),
            "task": self.task,
            "fields": list(self.fields),
            "why": self.why,
        }


class ReleaseDifferences(NamedTuple):
    """Differences between two releases; items are sorted by id.

    Args:
        added: Items only in the newer release.
        dropped: Items only in the older release.
        moved: Items whose split changed.
        changed: Items in both releases whose content, or the way they were made, changed.
        same: Number of items in both releases that do not differ, except possibly in their split.
        settings: Lines that state the differences in recipe, campaigns and license.
    """

    added: tuple[DifferentItem, ...]
    dropped: tuple[DifferentItem, ...]
    moved: tuple[DifferentItem, ...]
    changed: tuple[DifferentItem, ...]
    same: int
    settings: tuple[str, ...]


def compare_releases(before: Release, after: Release) -> ReleaseDifferences:
    """Return the differences between an older and a newer release.

    Compares pictures by their ids, which are hashes of their bytes; `verify_release` checks that the ids are correct.

    Raises:
        DataError: A file of a release is damaged.
    """
    old, new = _digests(before), _digests(after)
    gone, come = old.keys() - new.keys(), new.keys() - old.keys()
    both = old.keys() & new.keys()
    moved = {item_id for item_id in both if old[item_id][0] != new[item_id][0]}
    changed = {item_id for item_id in both if old[item_id][1] != new[item_id][1]}
    old_rows = dict(_rows(before, gone | moved | changed))
    new_rows = dict(_rows(after, come | moved | changed))
    reasons = Reasons(before, after)

    def different(item_id: str, fields: tuple[str, ...], why: str) -> DifferentItem:
        old_row, new_row = old_rows.get(item_id), new_rows.get(item_id)
        shown = new_row or old_row
        assert shown is not None
        return DifferentItem(item_id, str(shown["task"]), fields, why, old_row, new_row)

    def changed_item(item_id: str) -> DifferentItem:
        fields = _differing_fields(old_rows[item_id], new_rows[item_id])
        return different(item_id, fields, reasons.of_changed(old_rows[item_id], new_rows[item_id], fields))

    return ReleaseDifferences(
        added=tuple(different(item_id, (), reasons.of_added(new_rows[item_id])) for item_id in sorted(come)),
        dropped=tuple(different(item_id, (), reasons.of_dropped(old_rows[item_id])) for item_id in sorted(gone)),
        moved=tuple(
            different(item_id, ("split",), reasons.of_moved(old_rows[item_id], new_rows[item_id]))
            for item_id in sorted(moved)
        ),
        changed=tuple(map(changed_item, sorted(changed))),
        same=len(both) - len(changed),
        settings=reasons.settings,
    )


def field_value(row: Row, name: str) -> Any:
    """Return the value of a compared field."""
    return row[_COLUMNS.get(name, name)]


def _differing_fields(before: Row, after: Row) -> tuple[str, ...]:
    """Return the names of the fields in which an item differs: its content first, then how it was made."""
    names = tuple(name for name in (*CONTENT, *_MAKING) if field_value(before, name) != field_value(after, name))
    if before["image_roles"] != after["image_roles"] and "images" not in names:
        return ("images", *names)
    return names


def _digests(release: Release) -> dict[str, tuple[str, str]]:
    """Return each item's split and a digest of everything else in its row."""
    return {row["item_id"]: (row["split"], digest({**row, "split": None})) for row in release.rows()}


def _rows(release: Release, wanted: set[str]) -> Iterator[tuple[str, Row]]:
    if wanted:
        yield from ((row["item_id"], row) for row in release.rows(item_ids=wanted))
