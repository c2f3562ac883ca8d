"""Columns of all live records, for steps that must see the whole at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from benchwright.arrow_arrays import arrow_array
from benchwright.pipeline.live import GROUP, INGEST
from benchwright.shards import Marker, StageTable
from benchwright.stages import Stage
from benchwright.tables import IMAGES, ITEMS, outcome_schema
from benchwright.workspace import Workspace

Upstream = Sequence[tuple[Stage | None, Marker]]


def live_columns(workspace: Workspace, stage: Stage, wanted: Sequence[str], upstream: Upstream) -> pa.Table:
    """Return `record_id` and the wanted columns of one shard's live records, sorted by id.

    Args:
        workspace: Where the tables are.
        stage: The stage that asks.
        wanted: Columns as the step names them: of the record table, or values it reads.
        upstream: The shard's markers of every stage before.

    Raises:
        ValueError: The record table has no such column.
    """
    schema, key = (IMAGES, "image_id") if stage.consumes == "images" else (ITEMS, "item_id")
    own = [name for name in wanted if name not in stage.reads]
    if unknown := [name for name in own if name not in schema.names]:
        raise ValueError(
            f"step {stage.step.name!r} asks for column {unknown[0]!r}; {stage.consumes} have {schema.names}"
        )
    rows: dict[str, dict[str, Any]] = {}
    image_groups = _Groups()
    needed = dict.fromkeys([key, *own, *(["root_image_id"] if "group_keys" in own else [])])
    types = {name: schema.field(name).type for name in own}
    values: dict[str, Mapping[str, Any]] = {}
    for before, marker in upstream:
        table = StageTable(workspace, before.id if before else INGEST)
        if before is None or stage.consumes in before.makes:
            made = table.read(marker, stage.consumes, list(needed))
            rows |= {row[key]: row for row in made.to_pylist()} if made is not None else {}
        if before is None:
            continue
        reads = {
            name: full.rpartition(".")[2] for name, full in stage.reads.items() if full.rpartition(".")[0] == before.id
        }
        data = _outcome_columns(table, marker, before, reads.values())
        for name, value in reads.items():
            values[name] = dict(zip(data["record_id"], data[value], strict=True))
            types[name] = outcome_schema(before.values).field(value).type
        if before.consumes == stage.consumes:
            _apply(rows, before, data)
        else:
            image_groups.note(data)
    if "group_keys" in own:
        for row in rows.values():
            row["group_keys"] = sorted({*row["group_keys"], *image_groups[row["root_image_id"]]})
    for name in stage.reads:
        types.setdefault(name, pa.null())
    ids = sorted(rows)
    columns = {"record_id": arrow_array(ids, pa.string())}
    for name in wanted:
        found = values.get(name)
        column = [found.get(i) for i in ids] if found is not None else [rows[i][name] for i in ids]
        columns[name] = arrow_array(column, types[name])
    return pa.table(columns)


class _Groups(defaultdict[str, set[str]]):
    """Group keys by image."""

    def __init__(self) -> None:
        super().__init__(set)

    def note(self, data: Mapping[str, Sequence[Any]]) -> None:
        """Take the group keys out of a stage's outcomes, if it gives any."""
        for image_id, group in zip(data["record_id"], data.get(GROUP, ()), strict=False):
            if group is not None:
                self[image_id].add(group)


def _outcome_columns(table: StageTable, marker: Marker, stage: Stage, values: Iterable[str]) -> dict[str, list[Any]]:
    names = dict.fromkeys(["record_id", "verdict", *([GROUP] if GROUP in stage.values else []), *values])
    outcomes = table.read(marker, "outcomes", list(names))
    assert outcomes is not None, "every stage writes outcomes"
    return {name: outcomes.column(name).to_pylist() for name in names}


def _apply(rows: dict[str, dict[str, Any]], stage: Stage, data: Mapping[str, Sequence[Any]]) -> None:
    """Take dropped records out and add group keys."""
    for number, record_id in enumerate(data["record_id"]):
        if stage.removes(data["verdict"][number]):
            rows.pop(record_id, None)
        elif GROUP in data and data[GROUP][number] is not None and "group_keys" in rows.get(record_id, ()):
            rows[record_id]["group_keys"] = sorted({*rows[record_id]["group_keys"], data[GROUP][number]})
