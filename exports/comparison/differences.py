"""Differences between two releases, item by item and field by field, and their reasons.

Items with equal ids are the same: an id survives other versions of a step, other weights and edits. Two passes read
the rows without their pictures. The first keeps a digest of each item; the second reads the rows of the items that
differ, so that memory grows with the differences and not with the releases.
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
"""Fields that annotators judged and models saw; a change of any other field leaves the question unchanged."""
_MAKING = ("revision", "group_keys", "written_by", "operation_id", "root_image_id", "made_from", "evidence")
_COLUMNS = {"images": "image_ids", "marks": "visual_prompts"}
"""Columns whose fields have another name here."""

Row = Mapping[str, Any]


class DifferentItem(NamedTuple):
    """One item that differs.

    Args:
        item_id: Id of the item.
        task: Task of the item; from the newer release if both have it.
        fields: Names of the fields that differ; empty for items of one release only.
        why: Reason, as far as the two releases record it.
        before: Row of the item in the older release, without pictures; None if absent.
        after: Row in the newer release.
    """

    item_id: str
    task: str
    fields: tuple[str, ...]
    why: str
    before: Row | None
    after: Row | None

    @property
    def is_content(self) -> bool:
        """Return whether content that annotators judged and models saw differs."""
        return not self.fields or not set(self.fields).isdisjoint(CONTENT)

    @property
    def source_id(self) -> str | None:
        """Return the id of the item in its source; None if it has none."""
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
        added: Items of the newer release alone.
        dropped: Items of the older release alone.
        moved: Items in another split.
        changed: Items of both with other content or another way of making.
        same: Number of items of both without any difference except their split.
        settings: Lines that name the differences in recipe, campaigns and license.
    """

    added: tuple[DifferentItem, ...]
    dropped: tuple[DifferentItem, ...]
    moved: tuple[DifferentItem, ...]
    changed: tuple[DifferentItem, ...]
    same: int
    settings: tuple[str, ...]


def compare_releases(before: Release, after: Release) -> ReleaseDifferences:
    """Return the differences between an older and a newer release.

    Compares pictures by their ids, which are hashes of their bytes; `verify_release` checks these.

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
    """Return the value of one of the compared fields."""
    return row[_COLUMNS.get(name, name)]


def _differing_fields(before: Row, after: Row) -> tuple[str, ...]:
    """Return the names of the differing fields of an item: content first, then how it was made."""
    names = tuple(name for name in (*CONTENT, *_MAKING) if field_value(before, name) != field_value(after, name))
    if before["image_roles"] != after["image_roles"] and "images" not in names:
        return ("images", *names)
    return names


def _digests(release: Release) -> dict[str, tuple[str, str]]:
    """Return each item's split, and a digest of everything else."""
    return {row["item_id"]: (row["split"], digest({**row, "split": None})) for row in release.rows()}


def _rows(release: Release, wanted: set[str]) -> Iterator[tuple[str, Row]]:
    if wanted:
        yield from ((row["item_id"], row) for row in release.rows(item_ids=wanted))
