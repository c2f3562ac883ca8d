"""``benchwright review open`` and ``benchwright review results``: campaigns on items of a release.

The settings under a recipe's `handout` are options here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from ..forms.assignment_settings import AssignmentSettings
    from ..workflow.submitted_answers import CampaignAnswers


_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--gold",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="CSV file of tasks whose right decision is known: `item_id`, `decision` (several categories separated by "
        "semicolons).",
    ),
    click.option("--gold-rate", type=float, metavar="SHARE", help="Share of gold items among an annotator's tasks."),
    click.option("--share", type=float, metavar="SHARE", help="Largest number of tasks per annotator."),
    click.option(
        "--share-of",
        multiple=True,
        metavar="NAME=SHARE",
        help="Number of tasks for one annotator, reserved for them; may be repeated.",
    ),
    click.option(
        "--priority",
        multiple=True,
        metavar="NAME=NUMBER",
        help="Priority of a task, category or item id: higher numbers go out first; may be repeated.",
    ),
    click.option(
        "--close-decided",
        is_flag=True,
        help="Close a task as soon as its doubted key is certain to stand, whatever the remaining annotators decide; "
        "this raises the measured agreement. Refused for error analysis, where every answer counts.",
    ),
    click.option(
        "--first-votes",
        type=int,
        metavar="NUMBER",
        help="Number of votes that every task gets; more are requested only while the decision is unsure "
        "(--sure-at).  [default: all votes of every task]",
    ),
    click.option(
        "--sure-at",
        type=float,
        metavar="PROBABILITY",
        help="With --first-votes: certainty from which no more votes are requested: the lower end of the 90 % "
        "credible interval of the leading decision's probability.  [default: 0.95]",
    ),
    click.option(
        "--begun-first/--evenly",
        default=True,
        help="Hand out tasks that others have begun before untouched ones, or treat all alike.  [default: "
        "--begun-first]",
    ),
    click.option(
        "--lease-s", type=float, metavar="SECONDS", help="Seconds for which a task is reserved for an annotator."
    ),
)


def _assignment_options(command: _F) -> _F:
    """Add to a command the options for assigning tasks; it receives their values under the options' names."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def assignment_settings_of(
    *,
    gold: Path | None,
    gold_rate: float | None,
    share: float | None,
    share_of: Sequence[str],
    priority: Sequence[str],
    lease_s: float | None,
    close_decided: bool,
    begun_first: bool = True,
    first_votes: int | None = None,
    sure_at: float | None = None,
) -> AssignmentSettings:
    """Return the assignment settings stated by the options; omitted options have their default values.

    Raises:
        BenchwrightError: A value is invalid; the message names its option.
        DataError: The gold file is unreadable.
    """
    from pydantic import ValidationError

    from ..forms.assignment_settings import AssignmentSettings

    options = {"gold": None if gold is None else str(gold.absolute()), "gold_rate": gold_rate, "share": share}
    stated = {name: value for name, value in {**options, "lease_s": lease_s}.items() if value is not None}
    shares, priorities = _by_name("--share-of", share_of), _by_name("--priority", priority)
    try:
        settings = {
            **stated,
            "shares": shares,
            "priorities": priorities,
            "close_decided": close_decided,
            "begun_first": begun_first,
            "further_votes": _further_votes(first_votes, sure_at),
        }
        return AssignmentSettings.model_validate(settings)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        option = _OPTION_OF.get(str(first["loc"][-1]), _OPTION_OF.get(str(first["loc"][0]), str(first["loc"][0])))
        is_of_name = option in {"share-of", "priority"} and len(first["loc"]) > 1
        named = f" {first['loc'][1]}" if is_of_name else ""
        raise BenchwrightError(f"--{option.replace('_', '-')}{named}: {first['msg']}") from error


_OPTION_OF = {"shares": "share-of", "priorities": "priority", "first": "first-votes", "until": "sure-at"}
"""Options whose names differ from their settings."""


def _further_votes(first_votes: int | None, sure_at: float | None) -> dict[str, float] | None:
    """Return the setting for further votes.

    Raises:
        BenchwrightError: A sureness is given without a number of first votes.
    """
    if first_votes is None:
        if sure_at is not None:
            raise BenchwrightError("--sure-at can only be used with --first-votes, the votes that every task gets")
        return None
    return {"first": first_votes, **({} if sure_at is None else {"until": sure_at})}


def _by_name(option: str, values: Sequence[str]) -> dict[str, str]:
    numbers = {}
    for text in values:
        name, sign, value = text.rpartition("=")
        if not sign or not name.strip():
            raise BenchwrightError(f"{option} {text!r}: expected a name and a number, such as ann=0.5")
        numbers[name.strip()] = value.strip()
    return numbers


_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("open")
@click.argument("tasks", type=_FILE, help="File of tasks (.jsonl).")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Release of the items.",
)
@click.option(
    "--workspace",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Workspace of the review; made if missing.  [default: the workspace in this folder]",
)
@click.option("--name", help="Name of the campaign.  [default: the name in TASKS]")
@click.option(
    "--annotators", type=click.IntRange(1, 99), help="Number of annotators per task.  [default: the number of its kind]"
)
@_assignment_options
@json_option('`{"campaign", "kind", "tasks", "new", "annotators", "gold", "workspace"}`')
def open_(
    tasks: Path,
    release: Path,
    workspace: Path | None,
    name: str | None,
    annotators: int | None,
    as_json: bool,
    **handout: Any,
) -> None:
    """Open a campaign on a file of tasks, as `evaluate errors` and `evaluate suspects` write them.

    Annotators name the error in a model's reply, or judge a doubted key. Items and pictures come from the release.
    Opening the same file again changes only the assignment of tasks: it follows the options of this call, or their
    defaults.
    """
    import shlex

    from ..campaigns.on_releases.reviews import open_tasks
    from .selection import workspace_of

    root = workspace if workspace is not None else workspace_of(None)
    opened = open_tasks(
        tasks, release, root, name=name, annotators=annotators, handout=assignment_settings_of(**handout)
    )
    document = {
        "campaign": opened.campaign,
        "kind": opened.kind,
        "tasks": opened.tasks,
        "new": opened.new,
        "annotators": opened.annotators,
        "gold": opened.gold,
        "workspace": str(opened.workspace),
    }
    gold = f", {opened.gold} of them gold" if opened.gold else ""
    text = (
        f"campaign {opened.campaign!r} ({opened.kind}): {counted(opened.tasks, 'task')}{gold}, "
        f"{opened.new} of them new, for "
        f"{counted(opened.annotators, 'annotator')} each; open the review with "
        f"`benchwright review serve --workspace {shlex.quote(str(opened.workspace))}`"
    )
    emit(document, as_json=as_json, text=text)


@click.command("results")
@workspace_option
@campaign_option
@click.option(
    "--out",
    type=_FILE,
    metavar="FILE",
    help="Write a .csv file with all answers, or a .json file without names: findings for `evaluate report "
    "--errors`, or errata for `release freeze` and `release correct`.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@json_option(
    """
    `{"campaign", "kind", "tasks": {"open", "done"}, "answers": [{"item_id", "task", "annotator", ...}], "summary":
    [{"items", "share", ...}], "agreement", "out"}`; `answers` have a value for each field of the form; `agreement`
    is `{"compared", "masi_alpha"}` of an error analysis, else `{"compared", "percent", "krippendorff_alpha"}`, over
    the items that two or more annotators answered, null where undefined
    """
)
def results(workspace: Path | None, campaign: str | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Show the results of a campaign opened on a file: every answer, shares, and agreement.

    `summary` of an error analysis has a row for each category: `items` in which any annotator named it, `share`, the
    mean over items of the share of their annotators who did, and `of_named`, its share of all categories named. For
    doubted keys it has a row for each finding on which most annotators of an item agree.
    """
    from ..campaigns.running.results import agreement_of, document_of, write_results
    from ..store.database.audit import COMMAND_LINE, clock
    from ..workflow.submitted_answers import results_of

    with open_for_commands(workspace) as store:
        answers = results_of(store, pick_campaign(store, campaign))
        if out is not None:
            write_results(answers, out, force=force)
            about = {"campaign": answers.campaign.name, "answers": len(answers.annotations)}
            store.record_read("exported", actor=COMMAND_LINE, now=clock(), **about)
    if out is not None:
        note(f"written to {out}")
    if answers.open:
        note(
            f"{answers.open} of {counted(len(answers.tasks), 'task')} still open; the figures below cover the answers "
            "so far"
        )
    document = {**document_of(answers), "agreement": agreement_of(answers), "out": None if out is None else str(out)}
    emit(document, as_json=as_json, text=lambda: _text(answers))


def _figure(value: float | int | None) -> str:
    return "undefined" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def _text(answers: CampaignAnswers) -> str:
    from ..campaigns.running.results import agreement_of, summary_of

    campaign, count = answers.campaign, len(answers.annotations)
    lines = [f"{campaign.name} ({campaign.kind}): {counted(count, 'answer')} on {counted(len(answers.tasks), 'item')}"]
    for row in summary_of(answers):
        share = "-" if row["share"] is None else f"{row['share']:.0%}"
        lines.append(f"  {row.get('words') or row.get('finding')}: {counted(row['items'], 'item')}, {share}")
    for name, value in agreement_of(answers).items():
        lines.append(f"{name}: {_figure(value)}")
    return "\n".join(lines)
