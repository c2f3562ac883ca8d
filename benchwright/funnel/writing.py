"""The writer of a funnel page, from the counts and a few examples in a workspace's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.funnel.cards import CardContext
from benchwright.funnel.counting import FunnelStep, count_funnel, counts_of
from benchwright.funnel.examples import examples_of
from benchwright.funnel.page import FunnelHead, FunnelSection, RefusedFile, Sheet, pieces
from benchwright.funnel.thresholds import spreads_of
from benchwright.funnel.thumbnails import Showing, partners_in
from benchwright.pipeline.run import stages_of_workspace
from benchwright.pipeline.stages.overrides import may_be_overridden, override_status, snapshot_of
from benchwright.source_files.refusal_lists import row_counts_in
from benchwright.workspace.atomic import replacing
from benchwright.workspace.item_cache import cache_of
from benchwright.workspace.run_results import files_of, stage_names
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

_PER_REASON = 12
"""Number of examples of each reason on a run's page."""


class WrittenFunnel(NamedTuple):
    """A written page and its counts."""

    path: Path | None
    steps: Sequence[FunnelStep]


def write_funnel(
    root: Path, out: Path | None, *, per_reason: int = _PER_REASON, page: int = 1, step: str | None = None
) -> WrittenFunnel:
    """Count a workspace's funnel and write it as a page.

    One shard is in memory at a time; equal tables give equal bytes.

    Args:
        root: Folder of the workspace.
        out: Path of the page, replaced if it exists; None only counts.
        per_reason: Largest number of examples of each reason; default 12.
        page: Page of the examples, from 1; page 2 shows those after the first `per_reason`.
        step: Name of the only recipe entry to show examples of; None for all entries.

    Raises:
        BenchwrightError: Nothing has run in the workspace, the step has not run, or the page cannot be written.
    """
    space = Workspace.open(root)
    stages = stages_of_workspace(root)
    steps = count_funnel(space, stages)
    if step is not None and step not in {funnel_step.name for funnel_step in steps}:
        raise BenchwrightError(
            f"no step {step!r} ran in {root}; steps that ran: {', '.join(funnel_step.name for funnel_step in steps)}"
        )
    if out is None:
        return WrittenFunnel(None, steps)
    if not out.parent.is_dir() or out.is_dir():
        raise BenchwrightError(f"cannot write {out}; give a file in an existing folder, such as funnel.html")
    settings = space.settings()
    head = FunnelHead(str(settings["recipe"]["name"]), settings["state"] == "done", root.resolve(), page, per_reason)
    ran = tuple(name for name in stage_names(space) if name != INGEST)
    wanted = [funnel_step for funnel_step in steps if step in {None, funnel_step.name}]
    refused = _refused(space, per_reason, page) if wanted and wanted[0].name == INGEST else []
    rows = row_counts_in(root, [funnel_step.name for funnel_step in wanted])
    stale = [status for status in override_status(space, snapshot_of(space)) if status.state == "stale"]
    with (
        cache_of(space.cache) as cache,
        replacing(out) as draft,
        draft.open("w", encoding="utf-8", newline="\n") as handle,
    ):
        showing = Showing(space, cache, Path(settings["images"]), ran, int(settings["shards"]))
        sections = _sections(space, stages, wanted, head, showing)
        handle.writelines(pieces(head, steps, sections, refused, rows, stale, showing))
    return WrittenFunnel(out, steps)


def _sections(
    space: Workspace, stages: Sequence[Stage], steps: Sequence[FunnelStep], head: FunnelHead, showing: Showing
) -> Iterator[FunnelSection]:
    """Yield the sections of the steps that have content."""
    for step in steps:
        parts = [stage for stage in stages if stage.entry == step.name and stage.kind != "final"]
        spreads = [spread for part in parts if part.role == "measure" for spread in spreads_of(space, part)]
        if parts and (spreads or step.reversed or step.dropped or step.asked or step.failed):
            yield FunnelSection(step, spreads, _sheets(space, parts, head, showing))


def _sheets(space: Workspace, parts: Sequence[Stage], head: FunnelHead, showing: Showing) -> Iterator[Sheet]:
    for stage in parts:
        measure = next((part for part in parts if stage.role == "judge" and part.id == _measure_of(stage)), None)
        examples_by_reason = examples_of(space, stage, measure, per_reason=head.per_reason, page=head.page)
        [counts] = counts_of(space, [stage.id])
        decisions = {override.record_id: override for override in snapshot_of(space) if override.stage == stage.id}
        for (verdict, reason), examples in examples_by_reason.items():
            place = CardContext(
                head.workspace, stage.id, verdict, reason, may_be_overridden(stage), bool(stage.makes), decisions
            )
            ids = [
                record_id
                for example in examples
                for record_id in (example.record_id, *partners_in(example.evidence)[:4])
            ]
            yield Sheet(place, counts.by[verdict, reason], examples, showing.records(stage.consumes, ids))


def _measure_of(judge: Stage) -> str:
    return judge.id.removesuffix("judge") + "measure"


def _refused(space: Workspace, per_reason: int, page: int) -> list[RefusedFile]:
    """Return one page of the refused files, in table order."""
    failed = (row for row in files_of(space) if row["verdict"] == "failed")
    shown = islice(failed, (page - 1) * per_reason * 4, page * per_reason * 4)
    return [RefusedFile(row["uri"], row["reason"], row["detail"] or "") for row in shown]
