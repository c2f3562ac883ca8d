"""Examples of records that a stage did not simply keep: a limited number per reason, always the same.

If the filter has a threshold, records nearest to it come first, because the filter is most likely to be wrong there.
Otherwise, the smallest ids come first, which is as good as a random choice, since ids are hashes.
"""

from __future__ import annotations

import heapq
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from benchwright.funnel.thresholds import Threshold, thresholds_of
from benchwright.overrides import REVERSED, unsaid
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

Reason = tuple[str, str]
"""Effective verdict and reason of a record."""


class StageExample(NamedTuple):
    """One record that a stage did not simply keep.

    Args:
        record_id: Id of the image or item.
        shard: Shard that holds the record.
        own: Verdict and reason of the step itself.
        evidence: The step's evidence.
        values: Values measured from the record.
        measured: Evidence of the measurement.
    """

    record_id: str
    shard: str
    own: Reason
    evidence: Mapping[str, Any]
    values: Mapping[str, Any]
    measured: Mapping[str, Any]


def examples_of(
    space: Workspace, stage: Stage, measure: Stage | None, *, per_reason: int, page: int
) -> dict[Reason, list[StageExample]]:
    """Return examples by verdict and reason, sorted.

    Args:
        space: The workspace.
        stage: Stage that gave the verdicts.
        measure: Stage that made the measurements that this one judges, if any.
        per_reason: Largest number of examples of each reason.
        page: Page, from 1; each begins where the previous one ends.
    """
    chosen = _chosen(space, stage, measure, most=per_reason * page)
    shown = {reason: ranked[per_reason * (page - 1) :] for reason, ranked in sorted(chosen.items())}
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for ranked in shown.values():
        for _, record_id, shard in ranked:
            wanted[shard].add(record_id)
    rows = {row["record_id"]: row for row in _rows(space, stage, wanted)}
    measured = {row["record_id"]: row for row in _rows(space, measure, wanted)} if measure is not None else {}
    return {
        reason: [
            _example(rows[record_id], measured.get(record_id), stage, measure, shard) for _, record_id, shard in ranked
        ]
        for reason, ranked in shown.items()
    }


def _chosen(
    space: Workspace, stage: Stage, measure: Stage | None, *, most: int
) -> dict[Reason, list[tuple[float, str, str]]]:
    """Return the first examples of each reason, sorted by distance from the threshold (0 without one), id and shard."""
    threshold = next(iter(thresholds_of(measure)), None) if measure is not None else None
    best: defaultdict[Reason, list[tuple[float, str, str]]] = defaultdict(list)
    table = StageTable(space, stage.id)
    for marker in table.current():
        if not _has_examples(marker):
            continue
        rows = table.read(marker, "outcomes", ["record_id", "verdict", "reason"])
        assert rows is not None, "every stage writes outcomes"
        with_reason = rows.filter(pc.is_valid(rows["reason"]))
        far = _distances(space, measure, threshold, marker.shard) if threshold is not None and measure else {}
        for row in with_reason.to_pylist():
            ranked = best[row["verdict"], row["reason"]]
            ranked.append((far.get(row["record_id"], 0.0), row["record_id"], marker.shard))
        for reason, ranked in best.items():
            best[reason] = heapq.nsmallest(most, ranked)
    return best


def _has_examples(marker: Marker) -> bool:
    verdicts = marker.counts["verdicts"]
    return any(verdicts.get(verdict) for verdict in ("drop", "ask", "failed")) or REVERSED in verdicts.get("keep", {})


def _distances(space: Workspace, measure: Stage, threshold: Threshold, shard: str) -> dict[str, float]:
    table = StageTable(space, measure.id)
    marker = table.marker(shard)
    rows = table.read(marker, "outcomes", ["record_id", threshold.value]) if marker is not None else None
    if rows is None:
        return {}
    pairs = zip(rows["record_id"].to_pylist(), rows[threshold.value].to_pylist(), strict=True)
    return {record_id: abs(value - threshold.at) for record_id, value in pairs if value is not None}


def _rows(space: Workspace, stage: Stage, wanted: Mapping[str, set[str]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of the requested records, with all columns."""
    table = StageTable(space, stage.id)
    for shard, ids in sorted(wanted.items()):
        marker = table.marker(shard)
        rows = table.read(marker, "outcomes") if marker is not None else None
        if rows is not None:
            yield from rows.filter(pc.is_in(rows["record_id"], pa.array(sorted(ids), pa.string()))).to_pylist()


def _example(
    row: Mapping[str, Any], measured: Mapping[str, Any] | None, stage: Stage, measure: Stage | None, shard: str
) -> StageExample:
    verdict, reason, evidence = unsaid(row["verdict"], row["reason"], _evidence(row))
    giver: tuple[Mapping[str, Any], Sequence[str]] = (
        (measured, list(measure.values)) if measured is not None and measure is not None else (row, list(stage.values))
    )
    values = {name: giver[0][name] for name in giver[1] if giver[0][name] is not None}
    told = _evidence(measured) if measured is not None else {}
    return StageExample(row["record_id"], shard, (verdict, reason or ""), evidence, values, told)


def _evidence(row: Mapping[str, Any]) -> dict[str, Any]:
    evidence: dict[str, Any] = json.loads(row["evidence"]) if row["evidence"] else {}
    return evidence
