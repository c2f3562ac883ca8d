"""``benchwright review audit``: check the audit log, and the decisions against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .selection import open_for_commands, workspace_option

if TYPE_CHECKING:
    from ..store.database.audit import AuditResult


@click.command("audit")
@workspace_option
@click.option(
    "--expect", metavar="HASH", help="Hash that an earlier audit printed; the log must still hold a row with it."
)
@json_option(
    """
    `{"ok", "rows", "head", "decisions", "broken"}`; `head` is the last hash; `broken` is null, or `{"row", "why"}`,
    with `row` null if the missing part has none
    """
)
def audit(workspace: Path | None, expect: str | None, as_json: bool) -> int:
    """Check the audit log row by row, and every decision against it; name the first mismatch (exit code 1).

    Keep the printed hash elsewhere: --expect then shows that the log up to there was neither truncated nor rewritten.
    """
    with open_for_commands(workspace) as store:
        result = store.audited(expect=expect)
    emit(result.to_json(), as_json=as_json, text=lambda: _text(result))
    return 0 if result.broken is None else 1


def _text(result: AuditResult) -> str:
    if result.broken is not None:
        where = "the log" if result.broken.row is None else f"row {result.broken.row} of {result.rows}"
        return f"the audit log is broken at {where}: {result.broken.why}"
    head = "" if result.head is None else f"; its last hash is {result.head}"
    return (
        f"the audit log is intact: {counted(result.rows, 'row')}, {counted(result.decisions, 'decision')} "
        f"compared{head}"
    )
