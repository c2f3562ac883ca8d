"""Input of a stage for one shard: the records that earlier stages made and did not drop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchwright.canonical import digest
from benchwright.records import ImageRecord, Item
from benchwright.steps import Stream
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.tables import image_records, items_of
from benchwright.workspace.workspace import Workspace

INGEST = "ingest"
"""Id of the stage that ingests images, which has no step."""

CLUSTER = "cluster:"
"""Prefix of the group keys of pictures that are, or may be, copies of one another."""
GROUP = "group"
"""Name of a value that is a group key of the record, or of the items made from the record."""


@dataclass
class StageInput:
    """Live records of one shard after a given stage.

    Args:
        images: Source images still in the stream, by id.
        items: Items still in the stream, by id, with all their known group keys.
        pictures: Every image of the shard, in the stream or not.
        values: Requested values of earlier stages: `<stage id>.<value>` to record id to value.
        image_groups: Group keys of images, by id; separate from the image records, so that a new grouping does not
            cause a stage to process an image again.
    """

    images: dict[str, ImageRecord] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    pictures: dict[str, ImageRecord] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    image_groups: dict[str, set[str]] = field(default_factory=dict)

    def remove(self, stream: Stream, record_id: str) -> None:
        """Remove a dropped record."""
        records: dict[str, Any] = self.images if stream == "images" else self.items
        records.pop(record_id, None)

    def add_group(self, stream: Stream, record_id: str, key: str) -> None:
        """Add a group key to a record."""
        if stream == "images":
            self.image_groups.setdefault(record_id, set()).add(key)
        elif record_id in self.items:
            self.items[record_id] = _grouped(self.items[record_id], {key})

    def add_items(self, items: Iterable[Item]) -> None:
        """Add items, each with the group keys of its source image."""
        for item in items:
            self.items[item.item_id] = _grouped(item, self.image_groups.get(item.root_image_id, set()))


def _grouped(item: Item, keys: set[str]) -> Item:
    if keys <= set(item.group_keys):
        return item
    return item.model_copy(update={"group_keys": tuple(sorted({*item.group_keys, *keys}))})


def input_digest(stage: Stage, upstream: Sequence[tuple[Stage | None, Marker]]) -> str:
    """Return the digest of everything in one shard that can affect a stage.

    `upstream` contains ingest (as None) and every earlier stage, in order, with this shard's markers. A change without
    effect on later stages (a measurement, evidence) leaves the digest unchanged.
    """
    seen: list[Any] = []
    wanted = {name.rpartition(".")[0] for name in stage.reads.values()}
    for before, marker in upstream:
        if before is None:
            seen.append(marker.files.get("images", {}).get("sha256"))
            continue
        if before.consumes == stage.consumes or (stage.consumes == "items" and GROUP in before.values):
            seen.append([before.id, marker.effect])
        if ("items" in before.makes or before.step.revises) and stage.consumes == "items":
            seen.append([before.id, marker.files.get("items", {}).get("sha256")])
        if before.id in wanted:
            seen.append([before.id, marker.files["outcomes"]["sha256"]])
    return digest(seen)


def load_stage_input(
    workspace: Workspace,
    upstream: Sequence[tuple[Stage | None, Marker]],
    reads: Sequence[str],
    *,
    with_images: bool = True,
) -> StageInput:
    """Return the input of the stage after `upstream` for a shard, with the values named in `reads`.

    Image records are omitted, and not read, unless `with_images` is true.
    """
    stage_input = StageInput()
    for stage, marker in upstream:
        table = StageTable(workspace, stage.id if stage else INGEST)
        made = table.read(marker, "images") if with_images else None
        if made is not None:
            records = {record.image_id: record for record in image_records(made)}
            stage_input.pictures |= records
            if stage is None or "images" in stage.makes:
                stage_input.images |= records
        if stage is None:
            continue
        if (rows := table.read(marker, "items")) is not None:
            stage_input.add_items(items_of(rows))
        _apply(stage_input, stage, table, marker, reads)
    return stage_input


def _apply(stage_input: StageInput, stage: Stage, table: StageTable, marker: Marker, reads: Sequence[str]) -> None:
    """Apply one stage's verdicts, groups and requested values to the input."""
    wanted = [name.rpartition(".")[2] for name in reads if name.rpartition(".")[0] == stage.id]
    if not wanted and not marker.has_effect:
        return
    grouping = GROUP in stage.values
    columns = dict.fromkeys(["record_id", "verdict", *([GROUP] if grouping else []), *wanted])
    outcomes = table.read(marker, "outcomes", list(columns))
    assert outcomes is not None, "every stage writes outcomes"
    held = set(outcomes.column_names)  # an earlier version of the step may have measured less
    data: dict[str, list[Any]] = {
        name: outcomes.column(name).to_pylist() if name in held else [None] * len(outcomes) for name in columns
    }
    for name in wanted:
        stage_input.values[f"{stage.id}.{name}"] = dict(zip(data["record_id"], data[name], strict=True))
    for number, record_id in enumerate(data["record_id"]):
        if stage.removes(data["verdict"][number]):
            stage_input.remove(stage.consumes, record_id)
        elif grouping and data[GROUP][number] is not None:
            stage_input.add_group(stage.consumes, record_id, data[GROUP][number])
