"""``benchwright review marks``: agreed regions for other tools, and unused starting marks."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted
from benchwright.workspace.written_once import written_once

from .selection import (
    campaign_option,
    open_for_commands,
    pick_campaign,
    removed_on_failure,
    workspace_of,
    workspace_option,
)

if TYPE_CHECKING:
    from benchwright.regions.formats.mark_files import MarkFormat

_FILE = click.Path(path_type=Path)
_OTHERWISE = "give the name of a new file or folder"


@click.command("export")
@workspace_option
@campaign_option
@click.option("--out", type=_FILE, metavar="PATH", required=True, help="New file (coco), or new folder (voc, yolo).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["coco", "voc", "yolo"]),
    default="coco",
    show_default=True,
    help="COCO holds all but correspondences; Pascal VOC boxes in whole pixels; YOLO boxes, outlines or points.",
)
@json_option(
    """
    `{"campaign", "out", "pictures", "regions", "disputed", "waiting", "unsure", "skipped": [{"picture", "place",
    "reason"}]}`
    """
)
def export_marks(workspace: Path | None, campaign: str | None, out: Path, form: str, as_json: bool) -> None:
    """Write the regions on which annotators of a campaign `mark` agree, or an adjudicator's, for other tools.

    Pictures that wait for annotators, and those on which annotators could not tell, are left out; for a disputed
    picture the agreed regions are written. Regions that the format cannot hold are left out and reported, with the
    reason. If the file or folder already holds exactly this, the command succeeds; any other existing content is
    refused.
    """
    from benchwright.regions.formats.mark_files import write_marks

    from ..exchange.agreed_marks import agreed_marks, written_document
    from ..store.database.audit import COMMAND_LINE, clock

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        name = pick_campaign(store, campaign)
        agreed = agreed_marks(store, name, root=root)
        is_new = not os.path.lexists(out)
        with (
            removed_on_failure(out) if is_new else nullcontext(),
            nullcontext(out) if is_new else written_once(out, otherwise=_OTHERWISE) as draft,
        ):
            written = write_marks(draft, cast("MarkFormat", form), agreed.pictures)
            count = written.pictures
            store.record_read("exported_marks", actor=COMMAND_LINE, now=clock(), campaign=name, pictures=count)
    lines = [
        f"{counted(written.regions, 'region')} on {counted(written.pictures, 'picture')} of campaign {name!r} in {out}",
        f"on {agreed.disputed} of them something is disputed; {counted(agreed.waiting, 'picture')} "
        f"without enough decisions, of "
        f"{counted(agreed.unsure, 'annotator')} could not tell",
        *(f"{row.picture}, region {row.place + 1}: left out, {row.reason}" for row in written.skipped),
    ]
    emit(written_document(name, out, agreed, written), as_json=as_json, text="\n".join(lines))


@click.command("unused")
@workspace_option
@campaign_option
@json_option(
    """
    `{"campaign", "files": [{"file", "version", "pictures", "marks", "regions", "unused": {reason: count}, "entries":
    [{"picture", "entry", "code", "reason"}]}]}`
    """
)
def unused_marks(workspace: Path | None, campaign: str | None, as_json: bool) -> None:
    """List the entries of starting files (`start_from`) that a campaign `mark` does not use, and why.

    All entries are counted by reason; for each reason the first 500 of a file are listed.
    """
    from ..campaigns.mark.starting_marks import UNUSED
    from ..store.campaigns.starting_marks import starting_report

    with open_for_commands(workspace_of(workspace)) as store:
        name = pick_campaign(store, campaign)
        with store.reading() as connection:
            reports = starting_report(connection, store.campaign(name))
    lines = [] if reports else [f"campaign {name!r} names no files to start from (`start_from` of the step `mark`)"]
    for report in reports:
        lines.append(
            f"{report['file']}: {counted(report['marks'], 'mark')}, as "
            f"{counted(report['regions'], 'region')} to start from on "
            f"{counted(report['pictures'], 'picture')}"
        )
        lines += [f"  {count} {UNUSED[code]}" for code, count in report["unused"].items()]
        for entry in report["entries"]:
            lines.append(f"    {': '.join(filter(None, (entry['picture'], entry['entry'], entry['reason'])))}")
    emit({"campaign": name, "files": reports}, as_json=as_json, text="\n".join(lines))
