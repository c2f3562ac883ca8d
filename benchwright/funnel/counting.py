"""Counts of every step's input and output, by reason, read only from the shards' markers and never from rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from benchwright.overrides import REVERSED
from benchwright.workspace.shards import StageTable, VerdictCounts
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

Flow = Literal["files", "images", "items"]


@dataclass(frozen=True)
class FunnelStep:
    """Counts of one recipe entry.

    Args:
        place: Position in the recipe; 0 for ingest.
        name: Name of the entry, or `ingest`.
        flow: Input of the entry: files of the image folder, images or items.
        records: Number of input records.
        out: Number of records that are kept.
        dropped: Counts of dropped records by reason, including those dropped by a curator.
        asked: Counts of records to ask about, by reason; they are kept.
        failed: Counts of failed records by reason.
        reversed: Number of records kept because a curator reversed a verdict.
        left_aside: Whether `dropped` records were merely not used and continue; true for steps that make records.
        made: Counts of made records by stream.
    """

    place: int
    name: str
    flow: Flow
    records: int
    out: int
    dropped: Mapping[str, int]
    asked: Mapping[str, int]
    failed: Mapping[str, int]
    reversed: int
    left_aside: bool
    made: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values, as the command line prints them."""
        return {
            "name": self.name,
            "flow": self.flow,
            "in": self.records,
            "out": self.out,
            "dropped": dict(self.dropped),
            "asked": dict(self.asked),
            "failed": dict(self.failed),
            "reversed": self.reversed,
            "left_aside": self.left_aside,
            "made": dict(self.made),
        }


def count_funnel(space: Workspace, stages: Sequence[Stage]) -> list[FunnelStep]:
    """Return the counts of ingest and of every recipe entry that the last run reached, except final steps."""
    steps = [_ingest(counts_of(space, [INGEST])[0])]
    reached = space.settings().get("reached")
    for entry in dict.fromkeys(stage.entry for stage in stages if stage.kind != "final"):
        if reached is not None and entry not in reached:
            continue
        parts = [stage for stage in stages if stage.entry == entry]
        if all((StageTable(space, stage.id).folder / "current.json").exists() for stage in parts):
            steps.append(_step(len(steps), entry, parts, counts_of(space, [stage.id for stage in parts])))
    return steps


def counts_of(space: Workspace, stage_ids: Iterable[str]) -> list[VerdictCounts]:
    """Return the counts of each stage, added up over all its shards."""
    return [VerdictCounts.total(marker.counts for marker in StageTable(space, stage).current()) for stage in stage_ids]


def _ingest(counts: VerdictCounts) -> FunnelStep:
    dropped, failed = counts.reasons("drop"), counts.reasons("failed")
    images = int(counts.made["images"])
    return FunnelStep(0, INGEST, "files", counts.records, images, dropped, {}, failed, 0, False, {})


def _step(place: int, entry: str, parts: Sequence[Stage], counts: Sequence[VerdictCounts]) -> FunnelStep:
    dropped, asked_about, failed = (_total(counts, verdict) for verdict in ("drop", "ask", "failed"))
    makes = bool(parts[-1].makes)
    records = counts[0].records
    gone = sum(failed.values()) + (0 if makes else sum(dropped.values()))
    made = {kind: n for part in counts for kind, n in sorted(part.made.items())}
    reversed_ = sum(part.by["keep", REVERSED] for part in counts)
    return FunnelStep(
        place, entry, parts[0].consumes, records, records - gone, dropped, asked_about, failed, reversed_, makes, made
    )


def _total(counts: Sequence[VerdictCounts], verdict: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in counts:
        for reason, n in part.reasons(verdict).items():
            total[reason] = total.get(reason, 0) + n
    return dict(sorted(total.items()))


def number(value: float) -> str:
    """Return a count or a measurement, formatted for display."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
