"""``benchwright review flags``: annotators' flags and comments, for curators."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ..store.submissions.comments import Comment


@click.command("flags")
@workspace_option
@campaign_option
@click.option(
    "--settle",
    type=int,
    metavar="ID",
    help="Number of a flag or comment to settle; it leaves the list and stays on record.",
)
@click.option("--all", "with_settled", is_flag=True, help="Include settled ones.")
@json_option(
    """
    `{"campaign", "flags": [{"id", "item_id", "question", "annotator", "flag", "words", "made_at", "settled_by"}]}`;
    `settled_by` is null while it is open
    """
)
def flags(workspace: Path | None, campaign: str | None, settle: int | None, with_settled: bool, as_json: bool) -> None:
    """List annotators' flags and comments in a campaign, flags first."""
    from ..store.database.audit import COMMAND_LINE

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        if settle is not None:
            store.settle_remark(name, settle, by=COMMAND_LINE, now=datetime.now(UTC))
        comments = store.remarks(name, settled=with_settled)
    document = {"campaign": name, "flags": [comment.to_json() for comment in comments]}
    emit(document, as_json=as_json, text=lambda: "\n".join(map(_line, comments)) or "no flags or comments")


def _line(comment: Comment) -> str:
    kind = "flag" if comment.is_flag else "comment"
    settled = "" if comment.settled_by is None else f" (settled by {printable(comment.settled_by)})"
    words = f": {printable(comment.words)}" if comment.words else ""
    return f"{comment.id}: {kind} of {printable(comment.annotator)} on item {comment.item_id}{words}{settled}"
