"""``benchwright review import``: decisions from a CSV file or a spreadsheet."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_of, workspace_option

_FILE = click.Path(path_type=Path)


@click.command("import")
@click.argument(
    "decisions",
    type=_FILE,
    help="CSV or XLSX file with the columns `annotator`, `item_id`, `decision`, and optionally `reason` (several "
    "separated by semicolons), `note` and the columns for edits; in a campaign of `review open`, its fields "
    "replace the last three, such as `categories` and `reason`.",
)
@workspace_option
@campaign_option
@click.option(
    "--new-annotators",
    is_flag=True,
    help="Also accept decisions of annotators whom the store does not know.",
)
@json_option(
    """
    `{"campaign", "rows", "new", "unchanged", "blank", "refused": [{"line", "reason"}], "new_annotators": [name],
    "paused": [{"annotator", "why"}]}`; `paused` lists annotators whom the campaign's bounds then paused
    """
)
def import_(decisions: Path, workspace: Path | None, campaign: str | None, new_annotators: bool, as_json: bool) -> int:
    """Import decisions from a file such as `review export` writes and annotators fill in.

    A decision is `accept`, `reject` or `revise` (with edits or a note), or in a campaign `answer` the key of a choice,
    in upper or lower case. Each row is checked separately: valid rows are imported, the others are reported with line
    and reason, and the exit code is then 1. Importing a file again changes nothing. If annotators have accounts, an
    unknown name is refused, with the nearest known name; without accounts it is accepted and reported. A row with a
    reason or a note but no decision is refused, too.

    Rows on gold items (`review export --gold`) check annotators as in the app: those who fall below the campaign's
    bounds are paused, and reported here and to curators.

    A campaign `review` takes two tables, distinguished by their columns: first the answers (the key of a choice as
    `decision`), then the votes for which `review export --votes` writes rows.
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
        f"{counted(imported.new, 'decision')} imported into campaign {name!r}, {imported.unchanged} already there, "
        f"{counted(imported.blank, 'row')} without a decision, {len(imported.refused)} refused",
        *(f"{decisions}, line {row.line}: {row.why}" for row in imported.refused),
    ]
    if imported.new_annotators:
        lines.append(f"annotators new here: {', '.join(imported.new_annotators)}")
    lines += [
        f"paused by the campaign's bounds: {printable(who)}: {why}; `benchwright review take-back` undoes it"
        for who, why in imported.paused
    ]
    paused = [{"annotator": who, "why": why} for who, why in imported.paused]
    emit({"campaign": name, **imported.to_json(), "paused": paused}, as_json=as_json, text="\n".join(lines))
    return 1 if imported.refused else 0
