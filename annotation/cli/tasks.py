"""``benchwright review open`` and ``benchwright review results``: campaigns on items of a release.

How tasks go out, which a recipe has under `handout`, is told in options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.cli.output import emit, json_option, note
from benchwright.errors import BenchwrightError

from .reviews import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ..forms.assignment_settings import AssignmentSettings
    from ..workflow.submitted_answers import CampaignAnswers


_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--gold", type=click.Path(path_type=Path), metavar="FILE",
        help="CSV file of tasks whose right decision is known: item_id, decision.",
    ),
    click.option("--gold-rate", type=float, metavar="SHARE", help="Share of what an annotator gets that is gold."),
    click.option("--share", type=float, metavar="SHARE", help="Most of the tasks that one annotator gets."),
    click.option("--share-of", multiple=True, metavar="NAME=SHARE", help="The same for one annotator; repeatable."),
    click.option(
        "--priority", multiple=True, metavar="NAME=NUMBER",
        help="How early a task, category or item goes out: higher numbers first; repeatable.",
    ),
    click.option(
        "--close-decided", is_flag=True,
        help="Close a task as soon as those who are missing can change nothing; agreement comes out higher.",
    ),
    click.option("--lease-s", type=float, metavar="SECONDS", help="Seconds that a task is held for an annotator."),
)  # fmt: skip


def handout_options(command: _F) -> _F:
    """Give a command the options of the hand-out; it gets each under its name."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def handout_of(
    *,
    gold: Path | None,
    gold_rate: float | None,
    share: float | None,
    share_of: Sequence[str],
    priority: Sequence[str],
    lease_s: float | None,
    close_decided: bool,
) -> AssignmentSettings:
    """Return what the options say; what was not given is as by default.

    Raises:
        BenchwrightError: A value is none that the hand-out takes; the message names its option.
        DataError: The file of gold cannot be read as one.
    """
    from pydantic import ValidationError

    from ..forms.assignment_settings import AssignmentSettings

    given = {"gold": None if gold is None else str(gold.absolute()), "gold_rate": gold_rate, "share": share}
    said = {name: value for name, value in {**given, "lease_s": lease_s}.items() if value is not None}
    shares, priorities = _by_name("--share-of", share_of), _by_name("--priority", priority)
    try:
        settings = {**said, "shares": shares, "priorities": priorities, "close_decided": close_decided}
        return AssignmentSettings.model_validate(settings)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = {"shares": "share-of", "priorities": "priority"}.get(str(first["loc"][0]), str(first["loc"][0]))
        named = f" {first['loc'][1]}" if len(first["loc"]) > 1 else ""
        raise BenchwrightError(f"--{option.replace('_', '-')}{named}: {first['msg']}") from error


def _by_name(option: str, given: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in given:
        name, sign, value = one.rpartition("=")
        if not sign or not name.strip():
            raise BenchwrightError(f"{option} {one!r}: expected a name and a number, such as ann=0.5")
        found[name.strip()] = value.strip()
    return found


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

    from ..campaigns.on_releases import open_tasks
    from .reviews import workspace_of

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
    from ..campaigns.results import agreement_of, document_of, write_results
    from ..store.database.audit import COMMAND_LINE, clock
    from ..workflow.submitted_answers import results_of

    with open_for_commands(workspace) as store:
        found = results_of(store, pick_campaign(store, campaign))
        if out is not None:
            write_results(found, out, force=force)
            about = {"campaign": found.campaign.name, "answers": len(found.annotations)}
            store.record_read("exported", actor=COMMAND_LINE, now=clock(), **about)
    if out is not None:
        note(f"written to {out}")
    if found.open:
        note(f"{found.open} of {len(found.tasks)} tasks are still open; what follows is of the answers so far")
    document = {**document_of(found), "agreement": agreement_of(found), "out": None if out is None else str(out)}
    emit(document, as_json=as_json, text=lambda: _text(found))


def _figure(value: float | int | None) -> str:
    return "undefined" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def _text(found: CampaignAnswers) -> str:
    from ..campaigns.results import agreement_of, summary_of

    lines = [
        f"{found.campaign.name} ({found.campaign.kind}): {len(found.annotations)} answers on {len(found.tasks)} items"
    ]
    for row in summary_of(found):
        share = "-" if row["share"] is None else f"{row['share']:.0%}"
        lines.append(f"  {row.get('words') or row.get('finding')}: {row['items']} items, {share}")
    for name, value in agreement_of(found).items():
        lines.append(f"{name}: {_figure(value)}")
    return "\n".join(lines)
