"""Which files of the image folder came to nothing, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchwright.pipeline.finished import files_of, stage_names
from benchwright.pipeline.live import INGEST
from benchwright.shards import StageTable
from benchwright.workspace import Workspace


def failures_of(root: Path) -> list[dict[str, str]]:
    """Return refused files and images that failed in a step, by path: `path`, `step`, `reason`, `detail`."""
    workspace = Workspace(root)
    found = [
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
            found.append(_failure(path, stage, row["reason"], str(evidence.get("detail", ""))))
    return sorted(found, key=lambda failure: (failure["path"], failure["step"]))


def _failed_rows(workspace: Workspace, stage: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield a stage's rows that failed; shards that count none are not read."""
    table = StageTable(workspace, stage)
    for marker in table.current():
        if "failed" in marker.counts["verdicts"] and (rows := table.read(marker, kind)) is not None:
            yield from (row for row in rows.to_pylist() if row["verdict"] == "failed")


def _failure(path: str, step: str, reason: str, detail: str) -> dict[str, str]:
    return {"path": path, "step": step, "reason": reason, "detail": detail}
