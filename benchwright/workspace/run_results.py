"""Results of a run, and functions that read its tables.

This includes refused and failed files of the image folder, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchwright.errors import DataError
from benchwright.overrides import REVERSED
from benchwright.records import ImageRecord
from benchwright.workspace.shards import StageTable, VerdictCounts
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.tables import image_records
from benchwright.workspace.workspace import Workspace

UNFORESEEN = frozenset({"step_error", "worker_died"})
"""Unforeseen failures: the step raised an exception, or processing the record ended the worker."""
_OF_THE_RUN = UNFORESEEN | {
    "changed", "endpoint_busy", "endpoint_connection", "endpoint_timeout", "out_of_memory", "unreadable",
}  # fmt: skip
"""Failures that are not the fault of the record and leave a run incomplete."""


@dataclass(frozen=True)
class StepReport:
    """Counts of one recipe entry: input `records`, those kept, those removed by reason, and those made.

    Drops and asks that a curator reversed are counted as kept and additionally under `reversed`.
    """

    name: str
    records: int
    kept: int
    dropped: Mapping[str, int]
    asked: Mapping[str, int]
    made: int
    seconds: float
    reversed: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the report in the form in which the command line prints it."""
        return {
            "name": self.name,
            "in": self.records,
            "kept": self.kept,
            "dropped": dict(self.dropped),
            "asked": dict(self.asked),
            "reversed": self.reversed,
            "made": self.made,
            "seconds": round(self.seconds, 3),
        }


def report_of(name: str, parts: Sequence[VerdictCounts], seconds: float, *, makes: Collection[str]) -> StepReport:
    """Return the sum of the counts over an entry's stages, with the input of its first stage."""
    dropped: dict[str, int] = {}
    asked_about: dict[str, int] = {}
    for part in parts:
        for counts, verdicts in ((dropped, ("drop", "failed")), (asked_about, ("ask",))):
            for reason, n in part.reasons(*verdicts).items():
                counts[reason] = counts.get(reason, 0) + n
    records = parts[0].records if parts else 0
    made = sum(part.made["items" if "items" in makes else "images"] for part in parts)
    return StepReport(
        name,
        records,
        records - sum(dropped.values()),
        dict(sorted(dropped.items())),
        dict(sorted(asked_about.items())),
        made,
        seconds,
        sum(part.by["keep", REVERSED] for part in parts),
    )


@dataclass(frozen=True)
class FinishedRun:
    """Result of a run that has ended or is waiting for people.

    Args:
        workspace: Folder of the workspace.
        state: State of the run; `waiting` if people must act first.
        steps: Reports, one per recipe entry that ran or was up to date, ingest first.
        waits: Pending work of people and how to do it, one line each.
        artifacts: Paths of the artifacts that final steps made, relative to the workspace.
        executed: Number of shard executions of this run; 0 if everything was up to date.
        decoded: Number of images this run decoded in full.
        run_folder: Folder with this run's log.
        rerun: Whether only another run is needed, because this one added images.
        left_out: Optional steps that were omitted because an input is missing, each with that input and how to get it.
        advice: Steps that made few items, each with the cause and the remedy.
        raised: First exception that each stage raised on a record in this run, with message, file and line.
    """

    workspace: Path
    state: Literal["done", "waiting"]
    steps: Sequence[StepReport]
    waits: Sequence[str] = ()
    artifacts: Mapping[str, str] = field(default_factory=dict)
    executed: int = 0
    decoded: int = 0
    run_folder: Path | None = None
    rerun: bool = False
    left_out: Sequence[tuple[str, str]] = ()
    advice: Sequence[tuple[str, str]] = ()
    raised: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the run in the form in which `benchwright run --json` prints it."""
        return {
            "state": self.state,
            "workspace": str(self.workspace),
            "steps": [step.to_json() for step in self.steps],
            "left_out": [{"step": step, "lacks": lacks} for step, lacks in self.left_out],
            "few_items": [{"step": step, "advice": advice} for step, advice in self.advice],
            "waits": list(self.waits),
            "artifacts": {name: str(self.workspace / path) for name, path in sorted(self.artifacts.items())},
            "executed_shards": self.executed,
            "decoded_images": self.decoded,
        }

    def files(self) -> Iterator[dict[str, Any]]:
        """Yield one row per file of the image folder (`benchwright.workspace.tables.FILES`), by shard and uri."""
        return files_of(Workspace(self.workspace))

    def outcomes(self, stage: str) -> Iterator[dict[str, Any]]:
        """Yield one row per record of a stage, with `evidence` as JSON values."""
        return outcomes_of(Workspace(self.workspace), stage)

    def images(self) -> Iterator[ImageRecord]:
        """Yield the record of every ingested source image, including those dropped later."""
        return images_of(Workspace(self.workspace))


def files_of(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """Yield one row per file of the image folder."""
    for table in _shard_tables(workspace, INGEST, "files"):
        yield from table.to_pylist()


def images_of(workspace: Workspace) -> Iterator[ImageRecord]:
    """Yield the record of every ingested source image, including those dropped later."""
    for table in _shard_tables(workspace, INGEST, "images"):
        yield from image_records(table)


def outcomes_of(workspace: Workspace, stage: str) -> Iterator[dict[str, Any]]:
    """Yield one row per record of a stage."""
    for table in _shard_tables(workspace, stage, "outcomes"):
        for row in table.to_pylist():
            yield row | {"evidence": json.loads(row["evidence"]) if row["evidence"] else {}}


def _shard_tables(workspace: Workspace, stage: str, kind: str) -> Iterator[Any]:
    """Yield the shards of a stage that its `current.json` lists."""
    table = StageTable(workspace, stage)
    for marker in table.current():
        rows = table.read(marker, kind)
        if rows is not None:
            yield rows


def stage_names(workspace: Workspace) -> list[str]:
    """Return the stages that have a table, in the order of the last run.

    Raises:
        DataError: Nothing has run in this workspace yet.
    """
    names = workspace.settings().get("stages")
    if not names:
        raise DataError(f"nothing has run in {workspace.root} yet; run a recipe with `benchwright run`")
    return [name for name in names if (workspace.tables / name / "current.json").exists()]


def failures_of(root: Path) -> list[dict[str, str]]:
    """Return refused files and images that failed in a step, by path: `path`, `step`, `reason`, `detail`."""
    workspace = Workspace(root)
    failures = [
        _failure(row["uri"], INGEST, row["reason"], row["detail"] or "")
        for row in _failed_rows(workspace, INGEST, "files")
    ]
    failed = [
        (stage, row)
        for stage in stage_names(workspace)
        if stage != INGEST
        for row in _failed_rows(workspace, stage, "outcomes")
    ]
    paths: dict[str, list[str]] = {}
    for file in files_of(workspace) if failed else ():
        if file["verdict"] != "failed":
            paths.setdefault(file["image_id"], []).append(file["uri"])
    for stage, row in failed:
        evidence = json.loads(row["evidence"]) if row["evidence"] else {}
        for path in paths.get(row["record_id"], [f"item {row['record_id']}"]):
            failures.append(_failure(path, stage, row["reason"], _detail(evidence)))
    return sorted(failures, key=lambda failure: (failure["path"], failure["step"]))


class LostRecords(NamedTuple):
    """Records that a step lost to errors other than faults of the records.

    Args:
        step: Stage that lost them.
        reason: Reason code, such as `step_error`.
        records: Number of records.
        first: Path of the first record's file, or its item.
        error: Exception of the first record, with its file and line, or other known details.
    """

    step: str
    reason: str
    records: int
    first: str
    error: str

    @property
    def exit_code(self) -> int:
        """Return the exit code of a command that lost the records: 3 for an unexpected failure, otherwise 1."""
        return 3 if self.reason in UNFORESEEN else 1

    def __str__(self) -> str:
        """Return a one-line description of the loss."""
        error = f": {self.error}" if self.error else ""
        return f"{self.step} lost {self.records} to {self.reason}, first {self.first}{error}"


def lost_in(failures: Sequence[Mapping[str, str]], raised: Mapping[str, str]) -> list[LostRecords]:
    """Return the records lost to errors, by step and reason, in the order of the failures.

    A file that ingest cannot read is refused, not lost.

    Args:
        failures: Failures, from `failures_of`.
        raised: First exception of each stage with its message, if known.
    """
    lost: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for failure in failures:
        if failure["reason"] in (_OF_THE_RUN if failure["step"] != INGEST else UNFORESEEN):
            lost.setdefault((failure["step"], failure["reason"]), []).append(failure)
    return [
        LostRecords(
            step,
            reason,
            len(of_reason),
            of_reason[0]["path"],
            raised.get(step, "") if reason == "step_error" and step in raised else of_reason[0]["detail"],
        )
        for (step, reason), of_reason in lost.items()
    ]


def _failed_rows(workspace: Workspace, stage: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the failed rows of a stage; shards without failures in their counts are not read."""
    table = StageTable(workspace, stage)
    for marker in table.current():
        if "failed" in marker.counts["verdicts"] and (rows := table.read(marker, kind)) is not None:
            yield from (row for row in rows.to_pylist() if row["verdict"] == "failed")


def _detail(evidence: Mapping[str, Any]) -> str:
    if "at" in evidence:
        return f"{evidence['error']} ({evidence['at']})"
    return str(evidence.get("detail", evidence.get("how", "")))


def _failure(path: str, step: str, reason: str, detail: str) -> dict[str, str]:
    return {"path": path, "step": step, "reason": reason, "detail": detail}
