"""`benchwright evaluate study`: a command that plans and runs a paper's study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import printable

from .model_options import model_options
from .scoring import end_unfit

if TYPE_CHECKING:
    from rich.table import Table

    from ..backends.options import BackendOptions
    from ..studies.cost import StudyCost
    from ..studies.outcome import StudyOutcome


@click.command("study")
@click.argument(
    "name",
    type=click.Choice(["markers", "captions", "no_picture", "contradicting_captions"]),
    help="The study: `markers` (BLINK's figure 7), `captions` (its figure 6), `no_picture` (II-Bench's table 6), or "
    "`contradicting_captions` (of MVP-Bench's pairs).",
)
@click.argument("release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of a release.")
@click.option(
    "--model",
    multiple=True,
    required=True,
    metavar="M",
    help="Model to ask, such as openai:NAME or local_features; may be repeated.",
)
@click.option("--captioner", metavar="M", help="For `captions`: the model that describes the pictures.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder of results; the study's page, plots and figures go into its `study-NAME`.",
)
@click.option("--split", metavar="SPLIT", help="Only this split.  [default: all]")
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Key file of a release with sealed splits; the study asks and scores their items like all others.",
)
@click.option("--dry-run", is_flag=True, help="Print the cost, and ask no model.")
@click.option(
    "--tokens-per-picture",
    type=click.IntRange(0),
    default=765,
    show_default=True,
    help="Tokens per picture at the endpoint, for the plan.",
)
@model_options
@json_option(
    """
    `{"study", "dry_run", "release_id", "planned": {"requests", "prompt_tokens", "most_completion_tokens",
    "most_cost", "conditions": [{"model", "condition", "protocol", "items", "requests", "pictures", "prompt_tokens",
    "most_completion_tokens", "cost"}]}, "page", "data", "plots": [file], "changes": [{"model", "task", "condition",
    "protocol", "accuracy": {"value", "ci", "n", "method"}, "chance", "difference": {"value", "ci", "n", "clusters",
    "method", "only_here", "only_baseline", "p", "p_holm", "significant"}}]}`; `page`, `data` and `changes` are
    null with `--dry-run`, `difference` is null for the baseline, `most_cost` and `cost` without prices
    """
)
def study(
    name: str,
    release: Path,
    model: tuple[str, ...],
    captioner: str | None,
    out: Path,
    split: str | None,
    key: Path | None,
    dry_run: bool,
    tokens_per_picture: int,
    options: BackendOptions,
    as_json: bool,
) -> None:
    """Run a paper's study: ask models under several conditions, and show the effects on the same items.

    It first prints the expected cost. Answered questions are not asked again.
    """
    from benchwright.release import Release
    from benchwright.terminal.progress_bars import ProgressBars

    from ..results.summary import drawn
    from ..studies.catalogue import study_of
    from ..studies.cost import cost_of
    from ..studies.running import run_study
    from ..studies.writing import check_folder, folder_of, write_study

    chosen = study_of(name, captioner=captioner)
    opened = Release.open(release)
    if key is not None:
        from benchwright.release.sealing.answer_key import read_answer_key, unsealed

        opened = unsealed(opened, read_answer_key(key))
    folder = folder_of(out, name)
    check_folder(folder, opened)
    cost = cost_of(chosen, opened, model, options=options, split=split, tokens_per_picture=tokens_per_picture)
    head = {"study": name, "dry_run": dry_run, "release_id": opened.release_id, "planned": cost.document()}
    if dry_run:
        document = {**head, "page": None, "data": None, "plots": [], "changes": None}
        emit(document, as_json=as_json, text=lambda: f"{drawn(_cost_table(cost))}\n{cost.describe()}")
        return
    if cost.requests:
        note(f"planned: {cost.describe()}")
    with ProgressBars() as progress:
        outcome = run_study(chosen, opened, model, out, options=options, split=split, progress=progress)
    written = write_study(outcome, opened, folder, cost)
    note(f"written to {written.page}")
    document = {
        **head,
        "page": str(written.page),
        "data": str(written.data),
        "plots": [str(path) for path in written.plots],
        "changes": [change.document() for change in outcome.changes],
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(map(drawn, _change_tables(outcome))))
    end_unfit([entry.score for entry in outcome.scores])


def _cost_table(cost: StudyCost) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for column in ("model", "condition", "items", "requests", "pictures", "tokens sent", "at most received", "price"):
        table.add_column(column, justify="left" if column in {"model", "condition"} else "right")
    for entry in cost.conditions:
        numbers = (entry.items, entry.requests, entry.pictures, entry.tokens.prompt, entry.tokens.completion)
        price = "-" if entry.cost is None else f"{entry.cost:,.4f}"
        table.add_row(printable(entry.model), printable(entry.condition), *(f"{n:,}" for n in numbers), price)
    return table


def _change_tables(outcome: StudyOutcome) -> list[Table]:
    """Return a table for each model, conditions by tasks; each accuracy is shown with its difference from the first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    tables = []
    for model in outcome.models:
        baseline = printable(outcome.study.baseline.name)
        title = f"{printable(model)}: accuracy, and difference from {baseline} (* significant)"
        table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
        table.add_column("condition")
        for task in outcome.tasks:
            table.add_column(task, justify="right")
        for condition in outcome.study.conditions:
            cells = []
            for task in outcome.tasks:
                change = outcome.change(model, task, condition)
                if change is None or change.accuracy.value is None:
                    cells.append("-")
                elif change.pair is None:
                    cells.append(f"{change.accuracy.value:.3f}")
                else:
                    sign = "*" if change.is_significant else ""
                    cells.append(f"{change.accuracy.value:.3f} ({change.pair.difference:+.3f}{sign})")
            table.add_row(printable(condition.name), *cells)
        tables.append(table)
    return tables
