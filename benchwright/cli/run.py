"""``benchwright run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.pipeline.engine_choice import ENGINES
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.source_files.refusal_lists import RowCounts
    from benchwright.workspace.run_results import FinishedRun, LostRecords

_FAILURES_SHOWN = 10


@click.command()
@click.argument("recipe", type=click.Path(path_type=Path), help="Recipe's file, or the name of a bundled recipe.")
@click.option("--images", type=click.Path(path_type=Path), help="Folder of images; overrides the recipe's own.")
@click.option(
    "--workspace", type=click.Path(path_type=Path), help="Folder to work in.  [default: workspaces/RECIPE-NAME]"
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="local",
    show_default=True,
    help="Engine for steps: `local`, processes of this machine, or `ray`, actors on a cluster.",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="Ray cluster for --engine ray, HOST:PORT or `auto`.  [default: RAY_ADDRESS, or a local one]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    help="Worker processes.  [default: one per processor, or as many as fit on the cluster]",
)
@click.option(
    "--copy", is_flag=True, help="Store the source images in the workspace instead of referring to their folder."
)
@click.option(
    "--profile",
    "is_profiled",
    is_flag=True,
    help="Write the cost of each stage and worker (processor time, wall-clock time, bytes, memory) into the run's "
    "folder, as the page `profile.html` and as `profile.json`.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Report the expected items of each task and mode, and the requests to models behind endpoints with their "
    "highest cost; send none and write nothing.",
)
@json_option(
    """
    `{"state": "done" or "waiting", "workspace", "steps": [{"name", "in", "kept", "dropped": {reason: n}, "asked":
    {reason: n}, "reversed", "made", "seconds"}], "left_out": [{"step", "lacks"}], "few_items": [{"step", "advice"}],
    "waits": [line], "artifacts": {name: path}, "executed_shards", "decoded_images", "failed": [{"path", "step",
    "reason", "detail"}], "funnel", "profile", "lost": [{"step", "reason", "records", "first", "error"}], "rows": {step:
    {"read", "used", "refused": {reason: n}, "left_out": {reason: n}}}}`; `rows` counts the outcomes of each source
    dataset's rows: used, refused as wrong, or left out by a rule; `lost` counts the records that errors lost, with the
    exception, file and line of the first; `left_out` names optional steps that lack an input, with how to get it, and
    `few_items` those that made few items, with cause and remedy; `funnel` is the page of this run, or of an earlier
    equal run, and `profile` the page of its cost, null without `--profile`. With `--dry-run` `{"dry_run", "images",
    "plans": [{"step", "model", "purpose", "requests", "pictures", "prompt_tokens", "most_completion_tokens", "cost"}],
    "cost", "unplanned": [step], "bringing": [step], "expected": [{"step", "mode", "is_set", "items", "least", "most",
    "looked_at", "of", "left_out": {reason: n}, "advice", "pictures"}]}`; `expected` counts items by mode, before
    filters remove some, with a 95 % interval for a sample; `cost` is null without prices, and so is the sum if
    `unplanned` names a step, whose number of requests is unknown
    """
)
def run(
    recipe: Path,
    images: Path | None,
    workspace: Path | None,
    engine: str,
    address: str | None,
    workers: int | None,
    copy: bool,
    is_profiled: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Run a recipe over a folder of images, or resume it.

    The run goes as far as it can without people and names their pending work. The same command resumes where the run
    stopped or was killed, and redoes only what changed. Each run that changes something writes a page of its funnel
    into its folder under `runs/`. If errors lost records, the exit code is not 0: 3 if a step raised an exception or a
    record ended its worker, 1 if an endpoint failed, memory ran out or a file changed. Finished work stays, and the
    next run resumes from it.
    """
    from benchwright.pipeline import run_recipe
    from benchwright.pipeline.example_facts import check_facts_fit
    from benchwright.pipeline.run import image_folder
    from benchwright.recipe import load_recipe
    from benchwright.recipes import bundled_recipes
    from benchwright.source_files.refusal_lists import row_counts_in
    from benchwright.terminal.progress_bars import ProgressBars
    from benchwright.workspace.run_results import lost_in

    bundled = bundled_recipes()
    path = recipe if recipe.exists() else bundled.get(str(recipe), recipe)
    loaded = load_recipe(path)
    if path in bundled.values():
        check_facts_fit(loaded, path, image_folder(loaded, images))
    if dry_run:
        from benchwright.pipeline import plan_requests

        planned = plan_requests(loaded, images=images)
        emit(planned.to_json(), as_json=as_json, text=planned.describe)
        return
    with ProgressBars() as progress:
        finished = run_recipe(
            loaded,
            workspace=workspace or Path("workspaces") / loaded.header.name,
            images=images,
            workers=workers,
            copy=copy,
            progress=progress,
            engine=engine,
            address=address,
            is_profiled=is_profiled,
        )
    failed = _failures(finished)
    lost = lost_in(failed, finished.raised)
    rows = row_counts_in(finished.workspace, [step.name for step in finished.steps])
    page = _funnel(finished)
    profile = _profile(finished) if is_profiled else None
    document = finished.to_json() | {
        "failed": failed,
        "funnel": str(page),
        "profile": None if profile is None else str(profile),
        "lost": [each._asdict() for each in lost],
        "rows": {entry: counts.document() for entry, counts in rows.items()},
    }
    pages = f"funnel: {page}" if profile is None else f"funnel: {page}\nprofile: {profile}"
    emit(document, as_json=as_json, text=lambda: f"{_table(finished, failed, rows)}\n{pages}")
    end_with_lost(lost, log=finished.run_folder)


def end_with_lost(lost: Sequence[LostRecords], *, log: Path | None) -> None:
    """Report lost records on standard error, and end the command with an exit code other than 0.

    Args:
        lost: Lost records; if empty, the function does nothing.
        log: Folder of the run's log.
    """
    if not lost:
        return
    for each in lost:
        note(f"benchwright: error: {printable(str(each))}")
    where = "" if log is None else f"; tracebacks and deaths of workers are in {log}"
    note(f"finished work stays; fix the cause and run again to retry lost records{where}")
    raise click.exceptions.Exit(max(each.exit_code for each in lost))


def _funnel(finished: FinishedRun) -> Path:
    """Write the page of this run and return its path, or the path of an identical page from an earlier run."""
    from benchwright.funnel import write_run_funnel

    assert finished.run_folder is not None, "every run has a log"
    return write_run_funnel(finished.workspace, finished.run_folder)


def _profile(finished: FinishedRun) -> Path:
    """Write the run's cost, as a page and as JSON, and return the page's path."""
    from benchwright.funnel import write_profile

    assert finished.run_folder is not None, "every run has a log"
    return write_profile(finished.run_folder)


def _failures(finished: FinishedRun) -> list[dict[str, str]]:
    """Return the refused files and those whose image failed in a step: path, step, reason."""
    from benchwright.workspace.run_results import failures_of

    return failures_of(finished.workspace)


def _table(finished: FinishedRun, failed: list[dict[str, str]], rows: Mapping[str, RowCounts]) -> str:
    lines = [f"{'step':28} {'in':>7} {'kept':>7} {'made':>7}  {'seconds':>8}  dropped / asked"]
    for step in finished.steps:
        reasons = [f"{reason} {n}" for reason, n in step.dropped.items()]
        reasons += [f"ask: {reason} {n}" for reason, n in step.asked.items()]
        counts = f"{step.name:28} {step.records:7} {step.kept:7} {step.made:7}  {step.seconds:8.2f}"
        lines.append(f"{counts}  {', '.join(reasons)}".rstrip())
    lines += [f"rows of {entry}: {counts}" for entry, counts in rows.items()]
    for failure in failed[:_FAILURES_SHOWN]:
        lines.append(f"failed: {printable(failure['path'])}: {failure['reason']} ({failure['step']})")
    if len(failed) > _FAILURES_SHOWN:
        more = f"benchwright outcomes {finished.workspace} --verdict failed"
        lines.append(f"... and {len(failed) - _FAILURES_SHOWN} more; `{more}`")
    lines += [f"{name}: {finished.workspace / path}" for name, path in sorted(finished.artifacts.items())]
    lines += [f"left out: {step}: {printable(lacks)}" for step, lacks in finished.left_out]
    lines += [f"few items: {step} made {printable(advice)}" for step, advice in finished.advice]
    lines += [f"waiting: {line}" for line in finished.waits]
    return "\n".join(lines)
