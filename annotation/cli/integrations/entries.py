"""``benchwright review entries``: addresses through which crowd workers enter a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from ..app import LOCAL_URL, check_app_is_installed
from ..selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ...store.integrations.crowd import CrowdEntry, Service


@click.command("entries")
@workspace_option
@campaign_option
@click.option("--add", type=click.Choice(["prolific", "mturk"]), help="Make an entry for workers of this service.")
@click.option("--completed-code", metavar="CODE", help="With --add: code for workers who did their part.")
@click.option("--screened-out-code", metavar="CODE", help="With --add: code for workers who did not qualify.")
@click.option("--paused-code", metavar="CODE", help="With --add: code for paused workers.")
@click.option(
    "--tasks",
    type=click.IntRange(1, 10_000),
    metavar="NUMBER",
    help="With --add: number of decisions per submission.  [default: all that a worker may make]",
)
@click.option("--close", type=int, metavar="ID", help="Number of an entry to close to newcomers.")
@click.option("--by", metavar="NAME", help="Your name, for the log.  [default: (command line)]")
@click.option(
    "--url", metavar="URL", default=LOCAL_URL, show_default=True, help="Public address of the app, for the links."
)
@json_option(
    """
    `{"entries": [{"id", "campaign", "service", "tasks", "completed_code", "screened_out_code", "paused_code",
    "made_by", "made_at", "closed_at", "link"}]}`; `link` is the address to give to the service
    """
)
def entries(
    workspace: Path | None,
    campaign: str | None,
    add: Service | None,
    completed_code: str | None,
    screened_out_code: str | None,
    paused_code: str | None,
    tasks: int | None,
    close: int | None,
    by: str | None,
    url: str,
    as_json: bool,
) -> None:
    """List the entries for workers of Prolific and Mechanical Turk, after making or closing one.

    The link goes into the study (Prolific, which fills the placeholders) or into the `ExternalURL` of a HIT. A worker
    gets a pseudonym; their id at the service stays separate from their decisions, and `review forget` removes it. They
    see only this campaign. Needs the extra `app`.
    """
    if add is not None and close is not None:
        raise BenchwrightError("give either --add or --close")
    if add is not None and completed_code is None:
        raise BenchwrightError(
            "--add needs --completed-code CODE, the code of the study for workers who did their part"
        )
    check_app_is_installed()
    from ...app.entry.services import entry_link
    from ...store.database.audit import COMMAND_LINE, clock
    from ...store.integrations.crowd import CrowdEntries

    who, base = by or COMMAND_LINE, url.rstrip("/")
    with open_for_commands(workspace) as store:
        kept = CrowdEntries(store)
        if add is not None and completed_code is not None:
            kept.make(
                pick_campaign(store, campaign),
                add,
                completed_code=completed_code,
                screened_out_code=screened_out_code,
                paused_code=paused_code,
                tasks_per_visit=tasks,
                by=who,
                now=clock(),
            )
        if close is not None:
            kept.close(close, by=who, now=clock())
        listed = [(entry, entry_link(entry, base)) for entry in kept.of_campaign(campaign)]
    document: dict[str, Any] = {"entries": [{**entry.to_json(), "link": link} for entry, link in listed]}
    emit(document, as_json=as_json, text=lambda: _text(listed))


def _text(listed: list[tuple[CrowdEntry, str]]) -> str:
    lines = []
    for entry, link in listed:
        tasks = counted(entry.tasks, "task") if entry.tasks else "all tasks"
        state = "closed" if entry.closed_at else "open"
        lines += [f"{entry.id}: {entry.service} to {entry.campaign}, {tasks}, {state}", f"  {link}"]
    return "\n".join(map(printable, lines)) or "no entries yet"
