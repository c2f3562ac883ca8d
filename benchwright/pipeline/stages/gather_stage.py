"""Execution of the stages that need all records at once: gather steps and campaigns.

They run in one process, without pixels. A gather step sees the columns of all live records at once. If only curators'
decisions about a stage have changed, its verdicts are rewritten and the step does not run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchwright.canonical import digest
from benchwright.engines.memory import give_back
from benchwright.engines.starting import uninterrupted
from benchwright.pipeline.stages.live_columns import Upstream, live_columns
from benchwright.pipeline.stages.outcomes import Judged, read_outcomes, write_gathered, write_outcomes
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.record_map import RecordMap, map_here
from benchwright.steps import (
    AnyRecord,
    CampaignContext,
    CampaignStep,
    Flag,
    GatherContext,
    Gathered,
    GatherStep,
    Outcome,
    Verdicts,
)
from benchwright.texts.normalization import counted
from benchwright.workspace.arrow_arrays import arrow_array, arrow_numbers, integers_of
from benchwright.workspace.sealed import write_sealed
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stage_input import input_digest, load_stage_input
from benchwright.workspace.stages import Stage
from benchwright.workspace.store_place import settle_store
from benchwright.workspace.workspace import Workspace


def _override_again(worker: WorkerContext, stage: Stage, markers: Sequence[Marker]) -> bool:
    """Rewrite a stage's shards for which curators' decisions have changed; return whether any have changed."""
    table, overrides = StageTable(worker.workspace, stage.id), worker.overrides.about(stage)
    changed = [marker for marker in markers if marker.overrides != worker.overrides.digest(stage, marker.shard)]
    for marker in changed:
        judged = [
            replace(judged, override=overrides.get(record_id))
            for record_id, judged in read_outcomes(table, stage, marker).items()
        ]
        write_outcomes(
            table,
            stage,
            marker.shard,
            judged,
            fingerprint=marker.fingerprint,
            config=marker.config,
            overrides=worker.overrides.digest(stage, marker.shard),
        )
    return bool(changed)


def run_gather(worker: WorkerContext, stage: Stage, shards: Sequence[str], record_map: RecordMap = map_here) -> bool:
    """Run a gather stage if anything that it reads has changed; return whether it ran.

    Args:
        worker: Context of the main process.
        stage: The stage.
        shards: Names of all shards.
        record_map: Mapper of functions over records for the step.
    """
    assert isinstance(stage.step, GatherStep)
    upstream = {shard: worker.upstream(stage, shard) for shard in shards}
    inputs = [input_digest(stage, upstream[shard]) for shard in shards]
    fingerprint = digest([worker.config(stage), inputs])
    table = StageTable(worker.workspace, stage.id)
    markers = [table.marker(shard) for shard in shards]
    if all(marker is not None and marker.fingerprint == fingerprint for marker in markers):
        return _override_again(worker, stage, [marker for marker in markers if marker is not None])
    wanted = list(stage.step.columns)
    ids, whole = _all_columns(worker, stage, wanted, [upstream[shard] for shard in shards])
    _load(stage.step.imports)
    rows = whole.num_rows
    gathered = stage.step.gather(whole, GatherContext(worker.seed, stage.id, record_map))
    del whole
    outcome_of = outcome_of_row(gathered, rows, stage)
    overrides = worker.overrides.about(stage)
    spoken_of = np.sort(np.asarray(gathered.rows, np.int64))
    start = 0
    for shard, part in zip(shards, ids, strict=True):
        first, last = np.searchsorted(spoken_of, [start, start + len(part)]).tolist()
        shard_ids = part.combine_chunks()
        judged = {
            row: Judged(record_id, "", outcome_of(start + row), overrides.get(record_id))
            for row, record_id in _named(shard_ids, spoken_of[first:last] - start, overrides)
        }
        write_gathered(
            table,
            stage,
            shard,
            shard_ids,
            judged,
            fingerprint=fingerprint,
            config=worker.config(stage),
            overrides=worker.overrides.digest(stage, shard),
        )
        start += len(part)
    del gathered, outcome_of
    give_back()
    return True


def _all_columns(
    worker: WorkerContext, stage: Stage, wanted: Sequence[str], upstream: Sequence[Upstream]
) -> tuple[list[pa.ChunkedArray], pa.Table]:
    """Return the record ids of each shard, and the requested columns of all shards, one after another."""
    parts = [live_columns(worker.workspace, stage, wanted, shard) for shard in upstream]
    ids = [part.column("record_id") for part in parts]
    whole = pa.concat_tables([part.select(wanted) for part in parts], promote_options="permissive")
    del parts  # frees each column of the shards as soon as it is combined
    for place, name in enumerate(wanted):
        whole = whole.set_column(place, name, whole.select([name]).combine_chunks().column(name))
    return ids, whole


def _named(ids: pa.Array, spoken_of: NDArray[np.int64], overridden: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the rows that a step or a curator decided on, each with its record id."""
    import pyarrow.compute as pc

    decided = integers_of(pc.index_in(arrow_array(sorted(overridden), pa.string()), value_set=ids))
    rows = np.union1d(spoken_of, decided[decided >= 0])
    yield from zip(rows.tolist(), ids.take(arrow_numbers(rows)).to_pylist(), strict=True)


_UNSPOKEN = Outcome()


def _load(modules: Sequence[str]) -> None:
    """Import those of a step's modules that are installed (`GatherStep.imports`)."""
    for name in modules:
        with uninterrupted(), suppress(ImportError):
            import_module(name)


def outcome_of_row(gathered: Gathered, rows: int, stage: Stage) -> Callable[[int], Outcome]:
    """Return a function from row index to outcome; outcomes are created on demand rather than for all rows at once."""
    numbers = np.asarray(gathered.rows, np.int64)
    if len(np.unique(numbers)) != len(numbers) or ((numbers < 0) | (numbers >= rows)).any():
        raise ValueError(f"{stage.id}.gather names a row twice, or one that does not exist")
    for name, column in {**gathered.values, "verdicts": gathered.verdicts, "reasons": gathered.reasons}.items():
        if column is not None and len(column) != len(numbers):
            raise ValueError(f"{stage.id}.gather returned {len(column)} {name} for {counted(len(numbers), 'row')}")
    place_of = np.full(rows, -1, np.int64)
    place_of[numbers] = np.arange(len(numbers))

    def outcome_of(row: int) -> Outcome:
        if (place := int(place_of[row])) < 0:
            return _UNSPOKEN
        return Outcome(
            verdict=gathered.verdicts[place] if gathered.verdicts is not None else "keep",
            reason=gathered.reasons[place] if gathered.reasons is not None else None,
            values={name: column[place] for name, column in gathered.values.items()},
            evidence=gathered.evidence[place] if gathered.evidence is not None else {},
        )

    return outcome_of


def run_campaign(
    worker: WorkerContext, stage: Stage, shards: Sequence[str], *, beside: Sequence[Stage] = ()
) -> Verdicts:
    """Bring a campaign up to date; if it is closed, write its verdicts as this stage's table.

    Args:
        worker: Context of the main process.
        stage: The stage.
        shards: Names of all shards.
        beside: Waiting campaigns right before this one, for which it does not wait; empty by default. If there are any,
            it asks about the records that have reached them, and writes nothing.
    """
    step, workspace = stage.step, worker.workspace
    assert isinstance(step, CampaignStep)
    open_still = {one.id for one in beside}
    before = [one for one in worker.stages[: worker.stages.index(stage)] if one.id not in open_still]
    upstream = {shard: worker.upstream_of(before, shard) for shard in shards}
    ids: dict[str, list[str]] = {}
    values: dict[str, dict[str, Any]] = {name: {} for name in stage.reads}
    flags: dict[str, dict[str, Flag]] = {entry: {} for entry in step.heeds}
    earlier = [one.step for one in worker.stages[: worker.stages.index(stage)] if isinstance(one.step, CampaignStep)]
    unasked: set[str] = set()

    def records() -> Iterator[AnyRecord]:
        for shard in shards:
            asks_of_images, reads = stage.consumes == "images", list(stage.reads.values())
            stage_input = load_stage_input(workspace, upstream[shard], reads, with_images=asks_of_images)
            records_by_id: Mapping[str, AnyRecord] = stage_input.images if asks_of_images else stage_input.items
            ids[shard] = sorted(records_by_id)
            for name, full in stage.reads.items():
                values[name] |= stage_input.values.get(full, {})
            for entry in flags:
                flags[entry] |= _flags(workspace, upstream[shard], entry)
            for record_id in ids[shard]:
                if step.asks_about(records_by_id[record_id], earlier):
                    yield records_by_id[record_id]
                else:
                    unasked.add(record_id)

    context = CampaignContext(worker.seed, stage.id, workspace.root, settle_store(workspace.root), values, flags)
    verdicts = step.advance(records(), context)
    if verdicts.waiting is not None:
        return verdicts
    if beside:
        return Verdicts(f"campaign {stage.id!r} is decided and waits for {beside[0].id!r}")
    table = StageTable(workspace, stage.id)
    for shard in shards:
        judged = [
            Judged(record_id, "", _UNSPOKEN if record_id in unasked else verdicts.outcomes[record_id])
            for record_id in ids[shard]
        ]
        said = [_said(outcome.record_id, outcome.outcome) for outcome in judged]
        fingerprint = digest([worker.config(stage), input_digest(stage, upstream[shard]), said])
        marker = table.marker(shard)
        if marker is None or marker.fingerprint != fingerprint:
            write_outcomes(table, stage, shard, judged, fingerprint=fingerprint, config=worker.config(stage))
    summary = {**verdicts.summary, **({"not_asked": len(unasked)} if unasked else {})}
    write_sealed(table.folder / "summary.json", summary, tmp=workspace.tmp)
    return verdicts


def _flags(workspace: Workspace, upstream: Upstream, entry: str) -> dict[str, Flag]:
    """Return an entry's flagged records in one shard, by record id, after curators' decisions."""
    evidence: dict[str, dict[str, Any]] = {}
    reasons: dict[str, str] = {}
    for stage, marker in upstream:
        if stage is None or stage.entry != entry:
            continue
        outcomes = StageTable(workspace, stage.id).read(
            marker, "outcomes", ["record_id", "verdict", "reason", "evidence"]
        )
        assert outcomes is not None, "every stage writes outcomes"
        for row in outcomes.to_pylist():
            if row["evidence"]:
                evidence.setdefault(row["record_id"], {}).update(json.loads(row["evidence"]))
            if row["verdict"] == "ask":
                reasons[row["record_id"]] = row["reason"]
    return {record_id: Flag(reason, evidence.get(record_id, {})) for record_id, reason in reasons.items()}


def _said(item_id: str, outcome: Outcome) -> Mapping[str, Any]:
    return {
        "item": item_id,
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "evidence": dict(outcome.evidence),
        "values": dict(outcome.values),
        "revised": [item.content_hash for item in outcome.items],
    }
