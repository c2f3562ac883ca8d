"""``benchwright outcomes``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.workspace.record_lookup import RecordNames


@click.command()
@click.argument("workspace", type=click.Path(path_type=Path), help="Workspace of a run.")
@click.option("--step", help="Only this step (or one of its stages).")
@click.option(
    "--verdict", type=click.Choice(["keep", "drop", "ask", "failed"]), help="Only `keep`, `drop`, `ask` or `failed`."
)
@click.option("--reason", help="Only this reason.")
@json_option(
    """
    `{"outcomes": [{"step", "record", "file", "verdict", "reason", "detail"}]}`; `record` is an id, or at `ingest` a
    path; `file` is the file of the image folder from which the record derives
    """
)
def outcomes(workspace: Path, step: str | None, verdict: str | None, reason: str | None, as_json: bool) -> None:
    """List every step's verdict on every file, image and item of a workspace, with reasons.

    The list shows the paths of files, and the task and file of items; --json also has the ids.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.workspace.record_lookup import RecordNames
    from benchwright.workspace.run_results import stage_names
    from benchwright.workspace.stage_input import INGEST
    from benchwright.workspace.workspace import Workspace

    space = Workspace.open(workspace)
    names = stage_names(space)
    if step is not None and not any(_is_of(name, step) for name in names):
        raise BenchwrightError(f"no step {step!r} ran in {workspace}; steps that ran: {', '.join(names)}")
    known = RecordNames(space)
    rows = [
        {**row, "file": row["record"] if row["step"] == INGEST else known.file(row["record"])}
        for name in names
        if step is None or _is_of(name, step)
        for row in _rows(space, name)
        if (verdict is None or row["verdict"] == verdict) and (reason is None or row["reason"] == reason)
    ]

    def text() -> str:
        return "\n".join(
            f"{row['step']:28} {row['verdict']:7} {row['reason'] or '':18} {printable(known.name(row['record']))}"
            f"{'  ' + printable(_spelled(row['detail'], known)) if row['detail'] else ''}"
            for row in rows
        )

    document = [{**row, "detail": _joined(row["detail"])} for row in rows] if as_json else []
    emit({"outcomes": document}, as_json=as_json, text=text)


def _joined(detail: str | dict[str, Any] | None) -> str | None:
    if isinstance(detail, dict):
        return ", ".join(f"{key}={value}" for key, value in detail.items()) or None
    return detail


def _spelled(detail: str | dict[str, Any], known: RecordNames) -> str:
    if isinstance(detail, dict):
        return ", ".join(f"{key}={known.spelled(value)}" for key, value in detail.items())
    return detail


def _is_of(stage: str, step: str) -> bool:
    return stage == step or stage.startswith(f"{step}.")


def _rows(space: Any, stage: str) -> Iterator[dict[str, Any]]:
    from benchwright.workspace.run_results import files_of, outcomes_of
    from benchwright.workspace.stage_input import INGEST

    if stage == INGEST:
        for row in files_of(space):
            detail = row["detail"] or (row["kept_uri"] if row["kept_uri"] != row["uri"] else None)
            yield {
                "step": stage,
                "record": row["uri"],
                "verdict": row["verdict"],
                "reason": row["reason"],
                "detail": detail,
            }
        return
    for row in outcomes_of(space, stage):
        yield {
            "step": stage,
            "record": row["record_id"],
            **{k: row[k] for k in ("verdict", "reason")},
            "detail": dict(sorted(row["evidence"].items())),
        }
