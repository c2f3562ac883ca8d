"""Which files of the image folder came to nothing, and why."""

from __future__ import annotations

from pathlib import Path

from benchwright.pipeline.finished import files_of, outcomes_of, stage_names
from benchwright.pipeline.live import INGEST
from benchwright.workspace import Workspace


def failures_of(root: Path) -> list[dict[str, str]]:
    """Return refused files and images that failed in a step, by path: `path`, `step`, `reason`, `detail`."""
    workspace = Workspace(root)
    found: list[dict[str, str]] = []
    paths: dict[str, list[str]] = {}
    for row in files_of(workspace):
        if row["verdict"] == "failed":
            found.append(_failure(row["uri"], INGEST, row["reason"], row["detail"] or ""))
        else:
            paths.setdefault(row["image_id"], []).append(row["uri"])
    for stage in stage_names(workspace):
        if stage == INGEST:
            continue
        for row in outcomes_of(workspace, stage):
            if row["verdict"] == "failed":
                for path in paths.get(row["record_id"], [f"item {row['record_id']}"]):
                    found.append(_failure(path, stage, row["reason"], str(row["evidence"].get("detail", ""))))
    return sorted(found, key=lambda failure: (failure["path"], failure["step"]))


def _failure(path: str, step: str, reason: str, detail: str) -> dict[str, str]:
    return {"path": path, "step": step, "reason": reason, "detail": detail}
