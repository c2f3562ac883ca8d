"""``benchwright review import``: decisions from a CSV file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from benchwright.cli.output import emit, json_option

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_of, workspace_option

_FILE = click.Path(path_type=Path)


@click.command("import")
@click.argument("decisions", type=_FILE)
@workspace_option
@campaign_option
@click.option(
    "--new-annotators",
    is_flag=True,
    help="Take decisions of people who are not known here, too.  [default: only where nobody has an account]",
)
@json_option
def import_(decisions: Path, workspace: Path | None, campaign: str | None, new_annotators: bool, as_json: bool) -> int:
    """Read DECISIONS, a CSV file such as `review export` writes and people fill in.

    Its columns are annotator, item_id, decision and perhaps reason and note, or the fields of the campaign's form. Each
    row is checked by itself: good ones go in, others are reported with line and reason (exit code 1).
    """
    from ..exchange.decision_file import import_decisions
    from ..store.database.audit import COMMAND_LINE

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        name = pick_campaign(store, campaign)
        now = datetime.now(UTC)
        imported = import_decisions(store, name, decisions, now=now, workspace=root, new_annotators=new_annotators)
        about = {"campaign": name, "new": imported.new, "refused": len(imported.refused)}
        store.record("imported", actor=COMMAND_LINE, now=now, **about)
    lines = [
        f"{imported.new} decisions taken into campaign {name!r}, {imported.unchanged} were there, "
        f"{imported.blank} rows without a decision, {len(imported.refused)} refused",
        *(f"{decisions}, line {row.line}: {row.why}" for row in imported.refused),
    ]
    if imported.new_annotators:
        lines.append(f"annotators who were not known before: {', '.join(imported.new_annotators)}")
    emit({"campaign": name, **imported.to_json()}, as_json=as_json, text="\n".join(lines))
    return 1 if imported.refused else 0
