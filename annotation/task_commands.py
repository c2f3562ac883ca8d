"""``benchwright review open`` and ``benchwright review results``: campaigns on items of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.output import emit, json_option, note

from .commands import campaign_option, open_for_commands, pick_campaign, workspace_option
from .handout_options import handout_of, handout_options

if TYPE_CHECKING:
    from .answers_given import Results

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("open")
@click.argument("tasks", type=_FILE)
@click.option(
    "--release", type=click.Path(exists=True, file_okay=False, path_type=Path), required=True, metavar="DIR",
    help="The release that the items are of.",
)  # fmt: skip
@click.option(
    "--workspace", type=click.Path(path_type=Path), metavar="DIR",
    help="Where people review; made if it is not there.  [default: the workspace here]",
)  # fmt: skip
@click.option("--name", help="Of the campaign.  [default: as TASKS has it]")
@click.option(
    "--annotators", type=click.IntRange(1, 99), help="Different annotators a task.  [default: as its kind has it]"
)
@handout_options
@json_option
def open_(
    tasks: Path, release: Path, workspace: Path | None, name: str | None, annotators: int | None, as_json: bool,
    **handout: Any,
) -> None:  # fmt: skip
    """Open a campaign on TASKS, a file that `evaluate errors` or `evaluate suspects` wrote.

    Opened again, it hands out as is said then: what is left out is as by default.
    """
    import shlex

    from .commands import workspace_of
    from .opening import open_tasks

    root = workspace if workspace is not None else workspace_of(None)
    found = open_tasks(tasks, release, root, name=name, annotators=annotators, handout=handout_of(**handout))
    document = {
        "campaign": found.campaign, "kind": found.kind, "tasks": found.tasks, "new": found.new,
        "annotators": found.annotators, "gold": found.gold, "workspace": str(found.workspace),
    }  # fmt: skip
    gold = f", {found.gold} of them gold" if found.gold else ""
    text = (
        f"campaign {found.campaign!r} ({found.kind}): {found.tasks} tasks{gold}, {found.new} of them new, for "
        f"{found.annotators} annotators each; open the review with "
        f"`benchwright review serve --workspace {shlex.quote(str(found.workspace))}`"
    )
    emit(document, as_json=as_json, text=text)


@click.command("results")
@workspace_option
@campaign_option
@click.option(
    "--out", type=_FILE, metavar="FILE",
    help="Write a .csv file with all answers, or a .json file: findings for `evaluate report`, or errata.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
@json_option
def results(workspace: Path | None, campaign: str | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Say what a campaign with a form of its own came to: answers, shares and agreement."""
    from .answers_given import results_of
    from .results import agreement_of, document_of, write_results
    from .store.audit import COMMAND_LINE, clock

    with open_for_commands(workspace) as store:
        found = results_of(store, pick_campaign(store, campaign))
        if out is not None:
            write_results(found, out, force=force)
            about = {"campaign": found.campaign.name, "answers": len(found.said)}
            store.record_read("exported", actor=COMMAND_LINE, now=clock(), **about)
    if out is not None:
        note(f"written to {out}")
    if found.open:
        note(f"{found.open} of {len(found.tasks)} tasks are still open; what follows is of the answers so far")
    document = {**document_of(found), "agreement": agreement_of(found), "out": None if out is None else str(out)}
    emit(document, as_json=as_json, text=lambda: _text(found))


def _figure(value: float | int | None) -> str:
    return "undefined" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def _text(found: Results) -> str:
    from .results import agreement_of, summary_of

    lines = [f"{found.campaign.name} ({found.campaign.kind}): {len(found.said)} answers on {len(found.tasks)} items"]
    for row in summary_of(found):
        share = "-" if row["share"] is None else f"{row['share']:.0%}"
        lines.append(f"  {row.get('words') or row.get('finding')}: {row['items']} items, {share}")
    for name, value in agreement_of(found).items():
        lines.append(f"{name}: {_figure(value)}")
    return "\n".join(lines)
