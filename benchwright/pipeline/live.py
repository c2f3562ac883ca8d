"""What a stage sees of one shard: the records that earlier stages made and did not drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from benchwright.canonical import digest
from benchwright.records import ImageRecord, Item
from benchwright.shards import Marker, StageTable
from benchwright.stages import Stage
from benchwright.steps import AnyRecord, Stream
from benchwright.tables import image_records, items_of
from benchwright.workspace import Workspace

INGEST = "ingest"
"""The stage that takes images in; it has no step."""

GROUP = "group"
"""A value of this name is a group key of the record from then on."""


@dataclass
class Live:
    """Live records of one shard, folded up to some stage.

    Args:
        images: Source images still in the stream, by id.
        items: Items still in the stream, by id.
        pictures: Every image of the shard, in the stream or not.
        values: Values of earlier stages that were asked for: `<stage id>.<value>` to record id to value.
    """

    images: dict[str, ImageRecord] = field(default_factory=dict)
    items: dict[str, Item] = field(default_factory=dict)
    pictures: dict[str, ImageRecord] = field(default_factory=dict)
    values: dict[str, dict[str, Any]] = field(default_factory=dict)

    def stream(self, name: Stream) -> dict[str, ImageRecord] | dict[str, Item]:
        """Return a stream's live records by id."""
        return self.images if name == "images" else self.items

    def remove(self, stream: Stream, record_id: str) -> None:
        """Take a dropped record out."""
        self.stream(stream).pop(record_id, None)

    def add_group(self, stream: Stream, record_id: str, key: str) -> None:
        """Add a group key to a record."""
        records: dict[str, Any] = self.stream(stream)
        if (record := records.get(record_id)) is not None and key not in record.group_keys:
            grouped = record.model_copy(update={"group_keys": tuple(sorted({*record.group_keys, key}))})
            records[record_id] = grouped
            if stream == "images":
                self.pictures[record_id] = grouped

    def root_of(self, record: AnyRecord) -> str:
        """Return the source image that a record goes back to."""
        return record.root_image_id


def input_digest(stage: Stage, upstream: Sequence[tuple[Stage | None, Marker]]) -> str:
    """Return the digest of everything of one shard that a stage can notice.

    `upstream` holds ingest (as None) and every stage before, in order, with this shard's markers. A stage that
    only changed what nobody after it can see (a measurement, evidence) does not change the digest.
    """
    seen: list[Any] = []
    wanted = {name.rpartition(".")[0] for name in stage.reads.values()}
    for before, marker in upstream:
        if before is None:
            seen.append(marker.files.get("images", {}).get("sha256"))
            continue
        if before.consumes == stage.consumes:
            seen.append([before.id, marker.effect])
        if "items" in before.makes and stage.consumes == "items":
            seen.append([before.id, marker.files.get("items", {}).get("sha256")])
        if before.id in wanted:
            seen.append([before.id, marker.files["outcomes"]["sha256"]])
    return digest(seen)


def load_live(workspace: Workspace, upstream: Sequence[tuple[Stage | None, Marker]], reads: Sequence[str]) -> Live:
    """Fold a shard up to the stage after `upstream`, with the values named in `reads`."""
    live = Live()
    for stage, marker in upstream:
        table = StageTable(workspace, stage.id if stage else INGEST)
        made = table.read(marker, "images")
        if made is not None:
            records = {record.image_id: record for record in image_records(made)}
            live.pictures |= records
            if stage is None or "images" in stage.makes:
                live.images |= records
        if stage is None:
            continue
        if (rows := table.read(marker, "items")) is not None:
            live.items |= {item.item_id: item for item in items_of(rows)}
        _apply(live, stage, table, marker, reads)
    return live


def _apply(live: Live, stage: Stage, table: StageTable, marker: Marker, reads: Sequence[str]) -> None:
    """Apply one stage's verdicts, groups and wanted values to a fold."""
    wanted = [name.rpartition(".")[2] for name in reads if name.rpartition(".")[0] == stage.id]
    grouping = GROUP in stage.values
    columns = dict.fromkeys(["record_id", "verdict", *([GROUP] if grouping else []), *wanted])
    outcomes = table.read(marker, "outcomes", list(columns))
    assert outcomes is not None, "every stage writes outcomes"
    data = {name: outcomes.column(name).to_pylist() for name in columns}
    for name in wanted:
        live.values[f"{stage.id}.{name}"] = dict(zip(data["record_id"], data[name], strict=True))
    for number, record_id in enumerate(data["record_id"]):
        if stage.removes(data["verdict"][number]):
            live.remove(stage.consumes, record_id)
        elif grouping and data[GROUP][number] is not None:
            live.add_group(stage.consumes, record_id, data[GROUP][number])
