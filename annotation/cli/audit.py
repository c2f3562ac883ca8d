"""``benchwright review audit``: whether the log of what was done is whole, and what was done agrees with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option

from .reviews import open_for_commands, workspace_option

if TYPE_CHECKING:
    from ..store.database.audit import AuditResult


@click.command("audit")
@workspace_option
@click.option(
    "--expect", metavar="HASH", help="A hash that an earlier audit printed: the log must still have a row with it."
)
@json_option
def audit(workspace: Path | None, expect: str | None, as_json: bool) -> int:
    """Check the audit log row by row, and every decision against it; name the first that does not hold (exit code 1).

    Keep the hash that it prints elsewhere: --expect then shows that nothing up to there was cut off or rewritten.
    """
    with open_for_commands(workspace) as store:
        found = store.audited(expect=expect)
    emit(found.to_json(), as_json=as_json, text=lambda: _text(found))
    return 0 if found.broken is None else 1


def _text(found: AuditResult) -> str:
    if found.broken is not None:
        where = "the log" if found.broken.row is None else f"row {found.broken.row} of {found.rows}"
        return f"the audit log does not hold at {where}: {found.broken.why}"
    head = "" if found.head is None else f"; its last hash is {found.head}"
    return f"the audit log holds: {found.rows} rows, {found.decisions} decisions compared{head}"
