"""Stages that see everything at once: gather steps and campaigns. One process, no pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa

from benchwright.canonical import digest
from benchwright.engines.starting import uninterrupted
from benchwright.memory import give_back
from benchwright.pipeline.columns import Upstream, live_columns
from benchwright.pipeline.live import input_digest, load_live
from benchwright.pipeline.outcomes import Judged, write_outcomes
from benchwright.pipeline.overriding import override_again
from benchwright.pipeline.surroundings import Surroundings
from benchwright.sealed import write_sealed
from benchwright.shards import StageTable
from benchwright.stages import Stage
from benchwright.steps import (
    AnyRecord,
    CampaignContext,
    CampaignStep,
    GatherContext,
    Gathered,
    GatherStep,
    Outcome,
    Verdicts,
)
from benchwright.store_place import settle_store


def run_gather(around: Surroundings, stage: Stage, shards: Sequence[str]) -> bool:
    """Run a gather stage unless nothing it reads has changed; return whether it ran."""
    assert isinstance(stage.step, GatherStep)
    upstream = {shard: around.upstream(stage, shard) for shard in shards}
    inputs = [input_digest(stage, upstream[shard]) for shard in shards]
    fingerprint = digest([around.config(stage), inputs])
    table = StageTable(around.workspace, stage.id)
    markers = [table.marker(shard) for shard in shards]
    if all(marker is not None and marker.fingerprint == fingerprint for marker in markers):
        return override_again(around, stage, [marker for marker in markers if marker is not None])
    wanted = list(stage.step.columns)
    ids, whole = _all_columns(around, stage, wanted, [upstream[shard] for shard in shards])
    _load(stage.step.imports)
    rows = whole.num_rows
    gathered = stage.step.gather(whole, GatherContext(around.seed, stage.id))
    del whole
    outcome_of = outcome_of_row(gathered, rows, stage)
    overrides = around.overrides.about(stage)
    start = 0
    for shard, part in zip(shards, ids, strict=True):
        judged = [
            Judged(record_id, "", outcome_of(row), overrides.get(record_id))
            for row, record_id in enumerate(part.to_pylist(), start=start)
        ]
        write_outcomes(
            table, stage, shard, judged, fingerprint=fingerprint, config=around.config(stage),
            overrides=around.overrides.digest(stage, shard),
        )  # fmt: skip
        start += len(part)
    del gathered, outcome_of
    give_back()
    return True


def _all_columns(
    around: Surroundings, stage: Stage, wanted: Sequence[str], upstream: Sequence[Upstream]
) -> tuple[list[pa.ChunkedArray], pa.Table]:
    """Return each shard's record ids, and the wanted columns of all shards, one after the other."""
    parts = [live_columns(around.workspace, stage, wanted, shard) for shard in upstream]
    ids = [part.column("record_id") for part in parts]
    whole = pa.concat_tables([part.select(wanted) for part in parts], promote_options="permissive")
    del parts  # so that shards are gone once their columns are one
    return ids, whole.combine_chunks()


_UNSPOKEN = Outcome()


def _load(modules: Sequence[str]) -> None:
    """Import what a step will bring in, where it is installed (`GatherStep.imports`)."""
    for name in modules:
        with uninterrupted(), suppress(ImportError):
            import_module(name)


def outcome_of_row(gathered: Gathered, rows: int, stage: Stage) -> Callable[[int], Outcome]:
    """Return what says the outcome of a row; outcomes are made when asked for, not for all rows at once."""
    numbers = np.asarray(gathered.rows, np.int64)
    if len(np.unique(numbers)) != len(numbers) or ((numbers < 0) | (numbers >= rows)).any():
        raise ValueError(f"{stage.id}.gather spoke of a row twice, or of one that is not there")
    for name, column in {**gathered.values, "verdicts": gathered.verdicts, "reasons": gathered.reasons}.items():
        if column is not None and len(column) != len(numbers):
            raise ValueError(f"{stage.id}.gather returned {len(column)} {name} for {len(numbers)} rows")
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


def run_campaign(around: Surroundings, stage: Stage, shards: Sequence[str]) -> Verdicts:
    """Bring a campaign up to date; if it is closed, write its verdicts as this stage's table."""
    assert isinstance(stage.step, CampaignStep)
    workspace = around.workspace
    upstream = {shard: around.upstream(stage, shard) for shard in shards}
    ids: dict[str, list[str]] = {}
    values: dict[str, dict[str, Any]] = {name: {} for name in stage.reads}

    def records() -> Iterator[AnyRecord]:
        for shard in shards:
            live = load_live(workspace, upstream[shard], list(stage.reads.values()))
            found: Mapping[str, AnyRecord] = live.images if stage.consumes == "images" else live.items
            ids[shard] = sorted(found)
            for name, full in stage.reads.items():
                values[name] |= live.values.get(full, {})
            yield from (found[record_id] for record_id in ids[shard])

    context = CampaignContext(around.seed, stage.id, workspace.root, settle_store(workspace.root), values)
    verdicts = stage.step.advance(records(), context)
    if verdicts.waiting is not None:
        return verdicts
    table = StageTable(workspace, stage.id)
    for shard in shards:
        judged = [Judged(record_id, "", verdicts.outcomes[record_id]) for record_id in ids[shard]]
        said = [_said(one.record_id, one.outcome) for one in judged]
        fingerprint = digest([around.config(stage), input_digest(stage, upstream[shard]), said])
        marker = table.marker(shard)
        if marker is None or marker.fingerprint != fingerprint:
            write_outcomes(table, stage, shard, judged, fingerprint=fingerprint, config=around.config(stage))
    write_sealed(table.folder / "summary.json", dict(verdicts.summary), tmp=workspace.tmp)
    return verdicts


def _said(item_id: str, outcome: Outcome) -> Mapping[str, Any]:
    return {
        "item": item_id, "verdict": outcome.verdict, "reason": outcome.reason, "evidence": dict(outcome.evidence),
        "values": dict(outcome.values), "revised": [item.content_hash for item in outcome.items],
    }  # fmt: skip
