"""``benchwright review close`` and ``review reopen``: stop a campaign from assigning tasks, or let it continue."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

from ..selection import campaign_option, open_for_commands, pick_campaign, workspace_option

_BY = click.option("--by", metavar="NAME", help="Your name, for the log.  [default: (command line)]")


@click.command("close")
@workspace_option
@campaign_option
@_BY
@json_option('`{"campaign", "is_open"}`')
def close(workspace: Path | None, campaign: str | None, by: str | None, as_json: bool) -> None:
    """Close a campaign: annotators get no further tasks of it, until `review reopen`.

    An annotator who holds a task may finish it, and decisions stay. A run of the recipe does not reopen a closed
    campaign. Tables and Label Studio still import decisions.
    """
    _change(workspace, campaign, by, is_open=False, as_json=as_json)


@click.command("reopen")
@workspace_option
@campaign_option
@_BY
@json_option('`{"campaign", "is_open"}`')
def reopen(workspace: Path | None, campaign: str | None, by: str | None, as_json: bool) -> None:
    """Reopen a closed campaign: it assigns its tasks as before."""
    _change(workspace, campaign, by, is_open=True, as_json=as_json)


def _change(workspace: Path | None, campaign: str | None, by: str | None, *, is_open: bool, as_json: bool) -> None:
    from ...store.campaigns.open_and_closed import close_campaign, reopen_campaign
    from ...store.database.audit import COMMAND_LINE, clock

    change = reopen_campaign if is_open else close_campaign
    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        with store.writing(alone=True) as connection:
            change(connection, name, by=by or COMMAND_LINE, now=clock())
    words = "is open: it hands out tasks" if is_open else "is closed: it hands out no more tasks"
    emit({"campaign": name, "is_open": is_open}, as_json=as_json, text=printable(f"campaign {name!r} {words}"))
