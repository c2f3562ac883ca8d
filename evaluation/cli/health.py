"""`benchwright evaluate health`: the condition of a benchmark according to stored results, and recommended actions."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option, note


@click.command("health")
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The release.")
@click.argument(
    "results",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders of results, single results, or stores of results.",
)
@click.option("--split", metavar="NAME", help="Split of the runs to use.  [default: that of most runs]")
@click.option(
    "--models",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Table with the columns model, date (of its release) and cutoff (end of its training data): shows the "
    "trend, and models on items older than their training data.",
)
@click.option(
    "--page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Page to write, one self-contained HTML file; replaces an older page.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the advice: items as a .jsonl file for `review open`, or items and tasks as .csv.",
)
@click.option("--force", is_flag=True, help="Replace the file of --out if it exists.")
@json_option(
    """
    `{"format", "version", "release", "release_id", "split", "systems": [name], "blind_runs": [name], "ordered_runs":
    [name], "left_out": [{"run", "title", "why"}], "whole", "tasks": [{"task", "items", "state", "best", "accuracy":
    {"value", "ci", "n", "method"}, "better_half", "chance", "wrong_keys", "people", "all_right", "all_wrong",
    "telling", "with_grain", "against_grain", "pairs", "told_apart", "worth", "least_difference", "why", "reachable",
    "reached"}], "suspects", "doubted_tasks", "signs": [{"name", "looked_at", "found", "words", "command", "models":
    [{"model", "value", "ci", "reference", "n", "p", "found"}], "items": [id]}], "dated": [{"date", "system",
    "accuracy", "reached", "is_best"}], "versions": [{"release", "release_id", "runs", "best"}], "advice": [{"kind":
    "item" or "task", "id", "task", "action": "check_key", "replace", "harden", "retire" or "extend", "codes": [code],
    "reasons": [text]}]}`; `whole` is as one of `tasks`, of all items; `suspects` and `doubted_tasks` are as in
    `evaluate suspects`; `state` is `saturated`, `at_chance`, `keys_doubted`, `not_separating`, `too_few`, `telling` or
    `not_looked_at`; what was not looked at is null
    """
)
def health(
    release: Path,
    results: tuple[Path, ...],
    split: str | None,
    models: Path | None,
    page: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show how informative a benchmark still is, from stored results: ceiling, keys, contamination, advice.

    The page shows the figures that the results support; for the others, it names the command that produces the missing
    results.
    """
    from benchwright.release import Release

    from ..health.health import health_of
    from ..health.health_files import write_advice
    from ..health.model_facts import read_model_dates
    from ..health.page import write_health
    from ..health.summary import summary_lines

    dates = None if models is None else read_model_dates(models)
    found = health_of(Release.open(release), results, split=split, dates=dates)
    for run in found.runs.left_out:
        note(f"left out: {run.title}, {run.why}")
    if page is not None:
        write_health(found, page)
        note(f"written to {page}")
    if out is not None:
        write_advice(found, out, force=force)
        note(f"written to {out}")
    emit(found.document(), as_json=as_json, text=lambda: "\n".join(summary_lines(found)))
