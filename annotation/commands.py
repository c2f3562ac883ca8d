"""``benchwright review ...``: look at campaigns, and take tasks out and decisions in without the app."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from benchwright.cli.output import emit, json_option, printable
from benchwright.errors import BenchwrightError

if TYPE_CHECKING:
    from .annotator_quality import RaterQuality
    from .ratings import Metric, Rating
    from .store import CampaignStatus, ReviewStore
    from .store.gold import GoldAnswer

_FILE = click.Path(path_type=Path)
workspace_option = click.option(
    "--workspace", type=_FILE, metavar="DIR", help="Workspace of a run.  [default: the one here]"
)
campaign_option = click.option(
    "--campaign", metavar="NAME", help="As the recipe names the step.  [default: the only one]"
)


@click.command("status")
@workspace_option
@json_option
def status(workspace: Path | None, as_json: bool) -> None:
    """Say for each campaign how many tasks and slots are open."""
    with open_for_commands(workspace) as store:
        now = datetime.now(UTC)
        found = [store.status(name, now=now) for name in store.campaign_names()]
    emit({"campaigns": [one.to_json() for one in found]}, as_json=as_json, text=lambda: _status_text(found))


@click.command("agreement")
@click.option("--ratings", type=_FILE, metavar="CSV", help="File with the columns unit, rater, label.")
@workspace_option
@campaign_option
@click.option("--ordinal", is_flag=True, help="Labels are numbers: Krippendorff's alpha counts how far apart they are.")
@click.option("--sets", is_flag=True, help="Labels are sets such as `blur|crop`: alpha counts what they share (MASI).")
@click.option("--leave-one-out", is_flag=True, help="Also how far the others agree without each rater.")
@json_option
def agreement(
    ratings: Path | None, workspace: Path | None, campaign: str | None, ordinal: bool, sets: bool, leave_one_out: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Say how far annotators agree: five statistics with 95 % intervals from a bootstrap over units.

    Of a file of ratings, or of a campaign's decisions so far. What is undefined is null.
    """
    from .agreement import agreement as agreement_of
    from .agreement import without_each

    if ordinal and sets:
        raise BenchwrightError("labels are either numbers (--ordinal) or sets (--sets), not both")
    if (ordinal or sets) and ratings is None:
        raise BenchwrightError("--ordinal and --sets are for --ratings; decisions of a campaign have no order")
    said = _said(ratings, workspace, campaign)
    metric: Metric = "ordinal" if ordinal else "masi" if sets else "nominal"
    found = agreement_of(said.rows, categories=said.categories, metric=metric)
    document = found.to_json()
    if leave_one_out:
        others = without_each(said.rows, categories=said.categories, metric=metric)
        document["without"] = {
            name: {key: value for key, value in one.to_json().items() if key != "ci"} for name, one in others.items()
        }
    emit(document, as_json=as_json, text=lambda: _agreement_text(document))


@click.command("annotators")
@click.option("--ratings", type=_FILE, metavar="CSV", help="File with the columns unit, rater, label.")
@workspace_option
@campaign_option
@json_option
def annotators(ratings: Path | None, workspace: Path | None, campaign: str | None, as_json: bool) -> None:
    """Say of each annotator: right on gold items, with the others or against them, estimated errors, pace.

    Of a file of ratings, or of a campaign's decisions so far. It advises; rules alone decide what is accepted.
    """
    from .annotator_quality import rater_qualities
    from .gold import gold_accuracies

    said = _said(ratings, workspace, campaign)
    found = rater_qualities(said.rows, categories=said.categories, seconds=said.seconds)
    gold = {name: one.to_json() for name, one in gold_accuracies(said.gold).items()}
    document = {"annotators": [one.to_json() for one in found], "gold": gold}
    emit(document, as_json=as_json, text=lambda: _quality_text(found, gold))


@click.command("import")
@click.argument("decisions", type=_FILE)
@workspace_option
@campaign_option
@json_option
def import_(decisions: Path, workspace: Path | None, campaign: str | None, as_json: bool) -> int:
    """Read DECISIONS, a CSV file with the columns annotator, item_id, decision and perhaps reason and note.

    Each row is checked by itself: good ones go in, others are reported with line and reason (exit code 1).
    """
    from .decision_file import import_decisions
    from .store.audit import COMMAND_LINE

    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        now = datetime.now(UTC)
        imported = import_decisions(store, name, decisions, now=now)
        about = {"campaign": name, "new": imported.new, "refused": len(imported.refused)}
        store.record("imported", actor=COMMAND_LINE, now=now, **about)
    lines = [
        f"{imported.new} decisions taken into campaign {name!r}, {imported.unchanged} were there, "
        f"{imported.blank} rows without a decision, {len(imported.refused)} refused",
        *(f"{decisions}, line {row.line}: {row.why}" for row in imported.refused),
    ]
    emit({"campaign": name, **imported.to_json()}, as_json=as_json, text="\n".join(lines))
    return 1 if imported.refused else 0


@click.command("export")
@workspace_option
@campaign_option
@click.option("--out", type=_FILE, metavar="CSV", required=True, help="File to write.")
@click.option("--images", type=_FILE, metavar="DIR", help="New folder for the pictures, with their marks drawn.")
@json_option
def export(workspace: Path | None, campaign: str | None, out: Path, images: Path | None, as_json: bool) -> None:
    """Write a campaign's open tasks with question, choices and pictures, to fill in and import again."""
    from .pictures import Pictures
    from .store.audit import COMMAND_LINE, clock
    from .task_file import export_tasks

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        name = pick_campaign(store, campaign)
        count = export_tasks(store, name, out, image_name=Pictures(root, copy_to=images).name)
        store.record("exported", actor=COMMAND_LINE, now=clock(), campaign=name, tasks=count)
    document = {"campaign": name, "tasks": count, "out": str(out)}
    emit(document, as_json=as_json, text=f"{count} open tasks of campaign {name!r} are in {out}")


def workspace_of(given: Path | None) -> Path:
    """Return the workspace that was given, or the one here."""
    from benchwright.cli.workspaces import find_workspace

    return find_workspace(given)


def open_for_commands(workspace: Path | None) -> ReviewStore:
    """Open a workspace's review store, or the one here; commands make none.

    Raises:
        BenchwrightError: There is no workspace, or it has no store yet.
    """
    from benchwright.workspace import Workspace

    from .store import open_store, store_exists

    root = workspace_of(workspace)
    url = Workspace(root).store_url
    if not store_exists(url):
        raise BenchwrightError(f"{root} has no review store; run a recipe with a step such as `verify` there first")
    return open_store(url)


def pick_campaign(store: ReviewStore, given: str | None) -> str:
    """Return the campaign that was given, or the only one.

    Raises:
        BenchwrightError: There is none of that name, or several and none was given.
    """
    if given is not None:
        return store.campaign(given).name
    names = store.campaign_names()
    if len(names) != 1:
        raise BenchwrightError(f"say which campaign with --campaign NAME; there are: {', '.join(names) or 'none yet'}")
    return names[0]


class _Said(NamedTuple):
    """Ratings, what could have been said, and what each rating of a rater took."""

    rows: list[Rating]
    categories: tuple[str, ...] = ()
    seconds: Mapping[str, list[float]] = {}
    gold: Sequence[GoldAnswer] = ()


def _said(ratings: Path | None, workspace: Path | None, campaign: str | None) -> _Said:
    from .rating_file import read_ratings
    from .ratings import Rating

    if ratings is not None and (workspace is not None or campaign is not None):
        raise BenchwrightError("give either --ratings or --workspace and --campaign, not both")
    if ratings is not None:
        return _Said(read_ratings(ratings))
    with open_for_commands(workspace) as store:
        name = pick_campaign(store, campaign)
        decisions = store.decisions(name)
        categories = tuple(store.campaign(name).form.get("decisions", ()))
        gold = store.gold_answers(name)
    seconds: dict[str, list[float]] = {}
    for one in decisions:
        seconds.setdefault(one.annotator, []).append(one.seconds)
    return _Said([Rating(one.item_id, one.annotator, one.decision) for one in decisions], categories, seconds, gold)


def _status_text(found: list[CampaignStatus]) -> str:
    if not found:
        return "no campaigns yet"
    lines = []
    for one in found:
        who = "simulated annotators" if one.simulated else "annotators"
        total = one.tasks["done"] + one.tasks["open"]
        slots = ", ".join(f"{count} {state}" for state, count in one.slots.items())
        lines.append(
            f"{one.name}: {one.tasks['done']} of {total} tasks done under {one.rule}; "
            f"slots: {slots}; {one.annotators} {who}"
        )
    return "\n".join(lines)


def _agreement_text(document: dict[str, Any]) -> str:
    lines = [f"{document['units']} units, {document['raters']} raters"]
    for name, bounds in document["ci"].items():
        interval = "" if bounds is None else f"  [{bounds[0]:.3f}, {bounds[1]:.3f}]"
        lines.append(f"{name:<19} {_number(document[name])}{interval}")
    for rater, others in document.get("without", {}).items():
        alpha, percent = _number(others["krippendorff_alpha"]), _number(others["percent"])
        lines.append(f"without {printable(rater)}: alpha {alpha}, percent {percent}")
    return "\n".join(lines)


def _quality_text(found: list[RaterQuality], gold: Mapping[str, Mapping[str, Any]]) -> str:
    if not found and not gold:
        return "no decisions yet"
    lines = [
        f"{printable(name)}: {one['right']} of {one['answered']} gold items right ({_number(one['accuracy'])})"
        for name, one in gold.items()
    ]
    for one in found:
        share, units = one.with_others
        pace = "" if one.median_seconds is None else f"; median {one.median_seconds:.1f} s"
        haste = " (suspiciously fast)" if one.to_json()["suspiciously_fast"] else ""
        lines.append(
            f"{printable(one.rater)}: {one.ratings} ratings; with the others {_number(share)} of {units} units; "
            f"estimated accuracy {one.estimated_accuracy:.3f}; alpha without {_number(one.alpha_without)}{pace}{haste}"
        )
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
