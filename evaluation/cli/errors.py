"""`benchwright evaluate errors`: a sample of models' errors for people to inspect."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .arguments import results_argument, scored_release


@click.command("errors")
@results_argument
@scored_release
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File of tasks to write (.jsonl), for `review open`.",
)
@click.option(
    "--model",
    multiple=True,
    metavar="NAME",
    help="Model whose errors to draw, as `evaluate summary` names it; may be repeated.  [default: all models, each "
    "item once]",
)
@click.option(
    "--per-task",
    type=click.IntRange(1),
    help="Number of errors from each task, as in BLINK; all if a task has fewer.  [default: 10]",
)
@click.option(
    "--sample", type=click.IntRange(1), help="Total number of errors, in proportion to a label; replaces --per-task."
)
@click.option(
    "--proportional-to",
    metavar="LABEL",
    default="task",
    show_default=True,
    help="With --sample: `task`, `split`, `level`, `category` or an attribute, such as II-Bench's `domain`.",
)
@click.option(
    "--categories",
    type=click.Choice(["blink", "ii-bench"]),
    help="Categories offered to annotators.  [default: ii-bench with --sample, else blink]",
)
@click.option("--category", multiple=True, metavar="CODE=WORDS", help="Your own category instead; may be repeated.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@json_option(
    """
    `{"release", "release_id", "models": [name], "errors", "drawn", "strata": {stratum: {"errors", "drawn"}},
    "out"}`
    """
)
def errors(
    results: Path,
    release: Path,
    out: Path,
    model: tuple[str, ...],
    per_task: int | None,
    sample: int | None,
    proportional_to: str,
    categories: str | None,
    category: tuple[str, ...],
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Draw errors of the models in a folder of results for people to explain; `review open` imports the file."""
    from benchwright.release import Release
    from benchwright.review_files.tasks import write_review_tasks

    from ..analysis.error_sample import CATEGORIES, Plan, draw_errors, own_categories

    if per_task is not None and sample is not None:
        raise BenchwrightError("give either --per-task or --sample, not both")
    if categories is not None and category:
        raise BenchwrightError("give either --categories or --category, not both")
    chosen = own_categories(category) if category else CATEGORIES[categories or ("ii-bench" if sample else "blink")]
    plan = Plan(total=sample, seed=seed, by=proportional_to if sample else "task", per_stratum=per_task or 10)
    drawn_errors = draw_errors(results, Release.open(release), plan, chosen, models=model)
    if not drawn_errors.tasks:
        raise BenchwrightError(f"the models in {results} made no errors with a reply, so there is nothing to inspect")
    write_review_tasks(out, drawn_errors.head, drawn_errors.tasks, force=force)
    lines = [f"{len(drawn_errors.tasks)} of {counted(sum(drawn_errors.errors.values()), 'error')} in {out}:"]
    lines += [
        f"  {name or '(without)'}: {drawn_errors.drawn.get(name, 0)} of {n}"
        for name, n in sorted(drawn_errors.errors.items())
    ]
    lines.append(f"next: `benchwright review open {out} --release {release}`")
    emit(drawn_errors.document(out), as_json=as_json, text="\n".join(lines))
