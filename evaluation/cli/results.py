"""`benchwright evaluate summary`, `compare` and `suspects`: models and keys according to a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchwright.terminal.output import emit, json_option, note

from .arguments import results_argument, scored_release


@click.command("summary")
@results_argument
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Release whose human baseline to show as well, outside the JSON document.  [default: that of the recipe "
    "that made the results, if any]",
)
@json_option(
    """
    `{model: {metric: {"value", "ci", "n", "method"}, "outcomes": {"asked", "miss", "refusal", "cut_off", "error",
    "cut_off_answered", "cut_off_empty", "filtered", "empty", "tool_call", "ended": {way: n}, "limit", "limit_of",
    "subset", "causes": [{"state", "cause", "n"}], "unfit",
    "unread": {"n", "replies", "share", "if_wrong", "if_right"}, "reading": {"format", "version", "model",
    "release_id", "reader", "reader_version", "counted_accuracy", "asked", "replies", "labelled", "errors": {kind:
    {"value", "ci", "n"}}, "accuracy": {"value", "ci", "n"}}, "judge"}}}`; `unread` is null in scores of older programs,
    `reading` without a check of the reader, and `judge`, as in `evaluate run`, without a judge
    """
)  # phrase: allowed
def summary(results: Path, release: Path | None, as_json: bool) -> None:
    """Show the scores of all models and protocols in a folder of results in one table, with the figures of people.

    If a paper's reader or a judge was used, a line gives our reader's result on the same replies.
    """
    from benchwright.release import Release

    from ..results.human_baseline import check_comparable, human_figures, read_human
    from ..results.score import read_scores
    from ..results.summary import (
        cause_lines,
        draw_lines,
        drawn,
        reader_gaps,
        reading_lines,
        summary_document,
        summary_table,
        unfit_scores,
    )

    scores = read_scores(results)
    human = read_human(results) if release is None else human_figures(Release.open(release), scores[0].split)
    if human is not None:
        check_comparable(human, scores)
    document: dict[str, Any] = summary_document(scores)
    gaps = reader_gaps(scores)
    emit(
        document,
        as_json=as_json,
        text=lambda: "\n".join(
            [
                drawn(summary_table(scores, human), names=1),
                *draw_lines(scores),
                *unfit_scores(scores),
                *cause_lines(scores),
                *reading_lines(scores),
                *gaps,
            ]
        ),
    )


@click.command("compare")
@results_argument
@click.argument("model_a", required=False, help="A model of the folder.  [default: compare all pairs]")
@click.argument("model_b", required=False, help="The other model.")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The release that was scored: shows also whether models favor letters. Needed if an older version wrote "
    "the predictions.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="Compare all others with only this model, as `evaluate summary` names it: fewer pairs find smaller "
    "differences, but give no ranks.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all pairs, over all tasks and on each, as .csv.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@json_option(
    """
    `{"release", "release_id", "split", "models": [name], "settings": {"level", "alpha", "power",
    "correction", "rule"}, "why_no_ranks", "least_p", "ranking": [{"model", "rank": [best, worst],
    "groups", "unfit", "value", "ci", "n", "method"}], "pairs": [{"first", "second", "n", "clusters", "difference",
    "ci", "method", "only_first", "only_second", "p", "p_joint", "p_mcnemar", "told_apart", "design_effect",
    "items_needed"}], "tasks": {task: {"why_no_ranks", "least_p", "ranking": [{"model", "rank", "groups", "unfit",
    "value", "ci", "n", "method"}], "pairs": [{"first", "second", "n", "clusters", "difference", "ci", "method",
    "only_first", "only_second", "p", "p_joint", "p_mcnemar", "told_apart", "design_effect", "items_needed"}]}},
    "letters": {model: {"n", "letters": {letter: {"keyed",
    "given", "accuracy": {"value", "ci", "n", "method"}}}, "statistic", "df", "p", "moved"}}}`; `letters` is null
    without a release, `why_no_ranks` where models have ranks
    """
)
def compare(
    results: Path,
    model_a: str | None,
    model_b: str | None,
    release: Path | None,
    against: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show which models in a folder of results differ by more than chance explains.

    The comparison uses the items asked of both, over all tasks and on each. Tables longer than a screen go to the file
    comparison.txt in the folder of results; the command prints their beginning.
    """
    from textwrap import fill

    from benchwright.release import Release

    from ..analysis.comparison import compare_results
    from ..analysis.comparison_output import (
        COMPARISON_FILE,
        RULE,
        comparison_document,
        comparison_tables,
        notes_of,
        screenful,
        write_pairs,
    )
    from ..analysis.position_bias import letters_of_models
    from ..results.summary import drawn

    opened = None if release is None else Release.open(release)
    sheet, comparisons = compare_results(
        results, opened, [name for name in (model_a, model_b) if name is not None], against
    )
    letters = None if opened is None else letters_of_models(sheet)
    if out is not None:
        write_pairs(comparisons, out, force=force)
        note(f"written to {out}")
    document: dict[str, Any] = comparison_document(sheet.scores, comparisons, letters)

    def text() -> str:
        rules = [fill(line, 100) for line in (RULE, *notes_of(comparisons))]
        tables = [drawn(table, names=2) for table in comparison_tables(comparisons, letters)]
        return "\n".join([screenful("\n".join(tables), results / COMPARISON_FILE), "", *rules])

    emit(document, as_json=as_json, text=text)


@click.command("suspects")
@results_argument
@scored_release
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all suspects: as a .jsonl file for `review open`, or as a .csv or .parquet table.",
)
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@json_option(
    """
    `{"release", "release_id", "split", "models": [name], "campaigns": [name], "items", "suspects": [{"rank",
    "item_id", "split", "task", "key", "letters": [letter], "reason", "score", "models", "difficulty",
    "discrimination", "people", "people_right", "given": {letter: [model]}, "probability"}], "tasks": [{"task",
    "doubt": "joined", "far_apart", "many_wrong" or "at_chance", "items", "models": [name], "agreement_among_models",
    "agreement_with_keys", "wrong_keys": {"share", "ci", "outlier"}, "join": {"mistake", "words", "sets_right",
    "sets_wrong", "agreeing"}, "best_model", "chance"}], "out"}`; `tasks` are those whose keys are in doubt as a whole,
    with null for `wrong_keys` and `join` where nothing says; `out` is null without a file
    """
)
def suspects(results: Path, release: Path, out: Path | None, force: bool, as_json: bool) -> None:
    """Rank items whose key is likely wrong: able models agree on another letter, or people without the key miss it."""
    from benchwright.release import Release

    from ..analysis.label_issue_files import suspects_document, suspects_table, write_suspects
    from ..analysis.label_issues import find_suspects
    from ..results.summary import drawn

    opened = Release.open(release)
    issues = find_suspects(results, opened)
    if out is not None:
        write_suspects(issues, opened, out, force=force)
        note(f"written to {out}")
    emit(suspects_document(issues, out), as_json=as_json, text=lambda: drawn(suspects_table(issues)))
