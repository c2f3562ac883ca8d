"""The verdicts of filters in a workspace, and their reversal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from walks import tree_digest

from benchwright.cli.main import invoke
from benchwright.workspace.run_results import FinishedRun


class Against(NamedTuple):
    """A verdict against a picture."""

    stage: str
    record_id: str
    reason: str


def against(workspace: Path, step: str) -> list[Against]:
    """Return all current verdicts of a step against pictures."""
    done = FinishedRun(workspace=workspace, state="done", steps=())
    stages = json.loads((workspace / "workspace.json").read_text())["stages"]
    return [
        Against(stage, row["record_id"], row["reason"])
        for stage in stages
        if stage == step or stage.startswith(f"{step}.")
        for row in done.outcomes(stage)
        if row["verdict"] in {"drop", "ask"}
    ]


def row_of(workspace: Path, stage: str, record_id: str) -> dict[str, Any]:
    done = FinishedRun(workspace=workspace, state="done", steps=())
    return next(row for row in done.outcomes(stage) if row["record_id"] == record_id)


def say(*words: str | Path, code: int = 0) -> None:
    assert invoke([str(word) for word in words]) == code


def restore(workspace: Path, *records: str, step: str, by: str = "ada") -> None:
    say("filter", "restore", workspace, *records, "--step", step, "--why", "they differ", "--by", by)


def tables(workspace: Path) -> dict[str, str]:
    return {path: digest for path, digest in tree_digest(workspace).items() if path.startswith("tables/")}
