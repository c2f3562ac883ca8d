"""The funnel as a release tells it: what went into each step, what came out, and why the rest did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.overrides import REVERSED

HEAD = ("step", "reads", "in", "out", "dropped", "asked about", "failed", "reversed", "made")


class FunnelRow(NamedTuple):
    """One step's counts.

    Args:
        step: Recipe entry.
        reads: `images` or `items`; empty where the manifest does not say.
        records: That came in.
        out: That went on.
        dropped: By reason. Of a step that makes items: only not used there, they went on.
        asked: By reason; these went on.
        failed: By reason.
        reversed: Of those that went on, how many a curator brought back.
        made: By kind.
    """

    step: str
    reads: str
    records: int
    out: int
    dropped: Mapping[str, int]
    asked: Mapping[str, int]
    failed: Mapping[str, int]
    reversed: int
    made: Mapping[str, int]


def funnel_rows(stages: Iterable[Mapping[str, Any]]) -> list[FunnelRow]:
    """Return a row a step from the stages of a manifest; stages of one entry are added up."""
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for stage in stages:
        entries.setdefault(str(stage.get("entry", stage.get("stage"))), []).append(stage)
    return [_row(entry, parts) for entry, parts in entries.items()]


def _row(entry: str, parts: Sequence[Mapping[str, Any]]) -> FunnelRow:
    counts = [part.get("counts") or {} for part in parts]
    told: dict[str, Counter[str]] = {verdict: Counter() for verdict in ("keep", "drop", "ask", "failed")}
    made: Counter[str] = Counter()
    for one in counts:
        made.update(one.get("made", {}))
        for verdict, reasons in one.get("verdicts", {}).items():
            told.setdefault(verdict, Counter()).update(reasons)
    records = int(counts[0].get("in", 0))
    gone = told["failed"].total() + (0 if any(part.get("makes") for part in parts) else told["drop"].total())
    dropped, asked, failed = (dict(sorted(told[verdict].items())) for verdict in ("drop", "ask", "failed"))
    reads = str(parts[0].get("consumes", ""))
    return FunnelRow(
        entry,
        reads,
        records,
        records - gone,
        dropped,
        asked,
        failed,
        told["keep"][REVERSED],
        dict(sorted(made.items())),
    )
