"""Columns of live records, which a gather step reads, made from the tables of the stages before it.

Cells stay in Arrow's buffers from the files to the step; Python dictionaries took 2 kB per record and ten times the
processor time. Arrow's own functions suffice; a database such as DuckDB would be a second engine just for four joins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.engines.starting import uninterrupted
from benchwright.workspace.arrow_arrays import arrow_array, arrow_numbers, integers_of
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stage_input import GROUP, INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.tables import IMAGES, ITEMS, outcome_schema
from benchwright.workspace.workspace import Workspace

Upstream = Sequence[tuple[Stage | None, Marker]]
"""Markers of one shard for ingest (as None) and for every preceding stage, in order."""


@dataclass
class _LiveRecords:
    """Live records of one shard after a given stage.

    Args:
        key: Name of the column of ids.
        records: The wanted columns of the record table.
        groups: Outcomes of stages over this stream that give group keys, without records that have been revised since.
        image_groups: Outcomes of stages over images that give group keys, which apply to the items of an image.
        values: For each value that the step reads, the ids and the values of the stage that gives it.
    """

    key: str
    records: pa.Table
    groups: list[pa.Table] = field(default_factory=list)
    image_groups: list[pa.Table] = field(default_factory=list)
    values: dict[str, tuple[pa.ChunkedArray, pa.ChunkedArray]] = field(default_factory=dict)

    def add(self, made: pa.Table) -> None:
        """Add records; a new version replaces the record and loses the group keys that stages gave it."""
        ids = made.column(self.key)
        self.records = pa.concat_tables([_without(self.records, self.key, ids), made])
        self.groups = [_without(given, "record_id", ids) for given in self.groups]

    def judge(self, stage: Stage, outcomes: pa.Table) -> None:
        """Remove the records that a stage over this stream drops, and store the group keys that the stage gives."""
        import pyarrow.compute as pc

        removing = arrow_array([verdict for verdict in ("drop", "failed") if stage.removes(verdict)], pa.string())
        gone = outcomes.column("record_id").filter(pc.is_in(outcomes.column("verdict"), value_set=removing))
        self.records = _without(self.records, self.key, gone)
        if GROUP in stage.values:
            self.groups.append(_without(outcomes, "record_id", gone))

    def group_keys(self) -> pa.Array:
        """Return the sorted group keys of each record: its own, those that stages gave it, and those of its image."""
        import pyarrow.compute as pc

        ids, roots, own = (
            self.records.column(name).combine_chunks() for name in (self.key, "root_image_id", "group_keys")
        )
        rows, keys = [pc.list_parent_indices(own)], [pc.list_flatten(own)]
        for looked_up, tables in ((ids, self.groups), (roots, self.image_groups)):
            for given in tables:
                named = _looked_up(looked_up, given.column("record_id"), given.column(GROUP))
                rows.append(pc.indices_nonzero(pc.is_valid(named)))
                keys.append(named.drop_null())
        whole = pa.chunked_array([chunk for part in keys for chunk in _chunks(part)], pa.string())
        return _text_lists(len(ids), np.concatenate([integers_of(part) for part in rows]), whole)


def live_columns(workspace: Workspace, stage: Stage, wanted: Sequence[str], upstream: Upstream) -> pa.Table:
    """Return `record_id` and the wanted columns of one shard's live records, sorted by id.

    Args:
        workspace: Workspace with the tables.
        stage: Stage that reads the columns.
        wanted: Columns as the step names them: of the record table, or values that it reads.
        upstream: Markers of the shard for every stage before.

    Raises:
        ValueError: The record table does not have a requested column.
    """
    with uninterrupted():
        import pyarrow.compute as pc

    schema, key = (IMAGES, "image_id") if stage.consumes == "images" else (ITEMS, "item_id")
    own = [name for name in wanted if name not in stage.reads]
    if unknown := [name for name in own if name not in schema.names]:
        raise ValueError(
            f"step {stage.step.name!r} asks for column {unknown[0]!r}; {stage.consumes} have {schema.names}"
        )
    needed = list(dict.fromkeys([key, *own, *(["root_image_id"] if "group_keys" in own else [])]))
    live = _LiveRecords(key, pa.table({name: arrow_array([], schema.field(name).type) for name in needed}))
    types = {name: schema.field(name).type for name in own} | dict.fromkeys(stage.reads, pa.null())
    for before, marker in upstream:
        table = StageTable(workspace, before.id if before else INGEST)
        if before is None or stage.consumes in before.makes or (before.step.revises and stage.consumes == "items"):
            made = table.read(marker, stage.consumes, needed)
            if made is not None:
                live.add(made.select(needed).replace_schema_metadata(None))
        reads = {
            name: full.rpartition(".")[2]
            for name, full in stage.reads.items()
            if before is not None and full.rpartition(".")[0] == before.id
        }
        if before is None or not (reads or marker.has_effect):
            continue
        outcomes = _outcomes(table, marker, before, reads.values())
        for name, value in reads.items():
            live.values[name] = outcomes.column("record_id"), outcomes.column(value)
            types[name] = outcome_schema(before.values).field(value).type
        if before.consumes == stage.consumes:
            live.judge(before, outcomes)
        elif GROUP in before.values:
            live.image_groups.append(outcomes)
    live.records = live.records.take(pc.sort_indices(live.records, [(key, "ascending")]))
    ids = live.records.column(key)
    columns = {"record_id": ids}
    for name in wanted:
        if name in live.values:
            column = _looked_up(ids, *live.values[name])
        elif name in stage.reads:
            column = pa.nulls(len(ids))
        else:
            column = live.group_keys() if name == "group_keys" else live.records.column(name)
        columns[name] = column if column.type == types[name] else column.cast(types[name])
    return pa.table(columns)


def _outcomes(table: StageTable, marker: Marker, stage: Stage, values: Iterable[str]) -> pa.Table:
    names = dict.fromkeys(["record_id", "verdict", *([GROUP] if GROUP in stage.values else []), *values])
    outcomes = table.read(marker, "outcomes", list(names))
    assert outcomes is not None, "every stage writes outcomes"
    return outcomes


def _looked_up(ids: pa.ChunkedArray, given_to: pa.ChunkedArray, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the value given to each id, or null."""
    import pyarrow.compute as pc

    return values.take(pc.index_in(ids, value_set=given_to.combine_chunks()))


def _without(table: pa.Table, key: str, ids: pa.ChunkedArray) -> pa.Table:
    """Return the rows whose key is not among the ids."""
    import pyarrow.compute as pc

    if not table.num_rows or not len(ids):
        return table
    return table.filter(pc.invert(pc.is_in(table.column(key), value_set=ids.combine_chunks())))


def _text_lists(count: int, rows: NDArray[np.int64], texts: pa.ChunkedArray) -> pa.Array:
    """Return, for each of `count` rows, the sorted list of its distinct strings.

    Args:
        count: Number of rows.
        rows: Row index of each text, shape (texts,).
        texts: The texts, in any order.
    """
    import pyarrow.compute as pc

    different = pc.unique(texts)
    different = different.take(pc.sort_indices(different))
    number = integers_of(pc.index_in(texts, value_set=different))
    pairs = np.unique(rows * max(len(different), 1) + number)
    row, number = np.divmod(pairs, max(len(different), 1))
    offsets = np.searchsorted(row, np.arange(count + 1)).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets)]
    return pa.ListArray.from_buffers(
        pa.list_(pa.string()), count, buffers, children=[different.take(arrow_numbers(number))]
    )


def _chunks(column: pa.Array | pa.ChunkedArray) -> list[pa.Array]:
    return column.chunks if isinstance(column, pa.ChunkedArray) else [column]
