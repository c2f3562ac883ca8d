"""The `evaluate` commands.

`evaluate extract` reads tables of replies, such as one JSON object a line, with `reply` and `choices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import CheckFailed, DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.tables import JSON_ENDS, Table
from benchwright.records import LETTERS
from benchwright.replies.readers import READERS
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

from .model_options import judge_options, model_options

if TYPE_CHECKING:
    from ..backends.options import BackendOptions
    from ..judging.judge import Judge
    from ..results.score import Score


def read_cases(path: Path, reader: str = "robust") -> list[str | None]:
    """Return the letter of each row's reply, in order; None where it names no single option.

    `choices` lists the options' texts in order; null stands for a picture.

    Args:
        path: Table of replies, lines of JSON where its name tells no kind.
        reader: Name of one of `READERS`.

    Raises:
        DataError: A row is not what it should be; the message names it.
    """
    letters: list[str | None] = []
    for entry, case, problem in Table.at(path, otherwise=JSON_ENDS[0]).records():
        where = f"{path}: {entry}"
        if problem:
            raise DataError(f"{where}: {problem}")
        reply, choices = _checked(_with_list(case), where)
        letters.append(READERS[reader](reply, list(zip(LETTERS, choices, strict=False))))
    return letters


def _with_list(case: Any) -> Any:
    """Return a row with its choices as a list, where a cell holds it as JSON."""
    if isinstance(case, dict) and isinstance(cell := case.get("choices"), str) and cell.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            return {**case, "choices": bounded_json(cell)}
    return case


def _checked(case: Any, where: str) -> tuple[str, list[str | None]]:
    if not isinstance(case, dict) or case.keys() != {"reply", "choices"}:
        raise DataError(f'{where}: give {{"reply": text, "choices": [texts]}} and nothing else')
    reply, choices = case["reply"], case["choices"]
    if not isinstance(reply, str):
        raise DataError(f"{where}: reply is {ascii(reply)[:80]}, not a text")
    if not isinstance(choices, list) or not 2 <= len(choices) <= len(LETTERS):
        raise DataError(f"{where}: choices is {ascii(choices)[:80]}, not a list of 2 to {len(LETTERS)} texts")
    wrong = [choice for choice in choices if choice is not None and not isinstance(choice, str)]
    if wrong:
        raise DataError(f"{where}: choice {ascii(wrong[0])[:80]} is neither a text nor null")
    return reply, choices


_RELEASE = click.argument(
    "release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of a release."
)
_PROTOCOL = click.option(
    "--protocol",
    metavar="NAME[:key=value,...]",
    default="vanilla",
    show_default=True,
    help="How items are asked, one of what `evaluate protocols` lists, with its settings; in a file of predictions"
    " one row for each question.",
)
_READER = click.option(
    "--reader",
    type=click.Choice(("robust", "blink", "ii-bench", "mvp-bench")),
    default="robust",
    show_default=True,
    help="Who reads: our reader, or one exactly as a paper's repository has it.",
)
_NAME = click.option(
    "--name", metavar="NAME", help="What the result is called in tables and on the report.  [default: the model's name]"
)
_MAX_ERRORS = click.option(
    "--max-errors",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="Share of items to which nothing was said (errors, replies without text) above which the score is unfit: "
    "shown as such, ranked nowhere, exit code 1.",
)
_LIMIT = click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ask only N items, drawn in proportion to the tasks of each split; the same N gives the same items, and a "
    "larger N asks them too. A result of its own, apart from those of all items.  [default: all]",
)
_SPLIT = click.option("--split", metavar="NAME", help="Only this split.  [default: all]")


@click.command("run")
@_RELEASE
@click.option("--model", required=True, metavar="M", help="Such as random, constant:A, edge_continuity, openai:NAME.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Results go to a folder in here, named by model, protocol, reader and settings.",
)
@_PROTOCOL
@_READER
@judge_options
@_SPLIT
@_LIMIT
@model_options
@_NAME
@_MAX_ERRORS
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only say what would be sent: requests, pictures, bytes, tokens, cost and time. Nothing is sent or written.",
)
@click.option(
    "--seconds-per-reply",
    type=click.FloatRange(0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds that a reply takes, for the time that --dry-run states.",
)
@json_option(
    """
    `{"format", "version", "model", "name", "protocol", "reader", "release", "release_id", "content_id", "split",
    "settings", "identity", "metrics": {name: {"value", "ci", "n", "method"}}, "miss", "refusal", "filtered",
    "cut_off", "cut_off_empty", "cut_off_answered", "error", "empty", "tool_call", "right_items", "ended":
    {"answered", "miss", "refused", "filtered", "cut_off", "empty", "tool_call", "error"}, "causes": [{"state",
    "cause", "n"}], "max_errors", "unfit", "asked", "items", "samples", "limit", "limit_of", "blind_strategy":
    {"strategy", "accuracy", "ci", "chance", "items", "tried"}, "unread": {"n", "replies", "share", "if_wrong",
    "if_right"}, "usage": {"replies", "requests", "prompt_tokens", "completion_tokens", "reasoning_tokens",
    "cost"}, "judge": {"model", "prompt", "asks", "settings", "asked", "letters", "refusals", "none", "unusable",
    "errors", "usage"}}`; `usage` is null where nothing counted tokens, `cost` without prices, `judge` without one,
    `limit` and `limit_of` where all items were asked, `blind_strategy` where the release states none; `metrics` is
    empty where the split is sealed; each item counts once in `ended`.
    With `--dry-run` it is `{"dry_run", "model", "protocol", "items", "requests", "answered_before", "unsendable",
    "pictures", "picture_bytes", "largest_picture_bytes", "prompt_tokens", "most_completion_tokens", "cost",
    "limit_of", "samples", "concurrency", "seconds", "most_seconds", "in_batches"}`
    """
)
def run(
    release: Path,
    model: str,
    out: Path,
    protocol: str,
    reader: str,
    judge: Judge | None,
    split: str | None,
    limit: int | None,
    options: BackendOptions,
    name: str | None,
    max_errors: float,
    dry_run: bool,
    seconds_per_reply: float,
    as_json: bool,
) -> None:
    """Ask a model every item of a release and score its replies; what was answered before is not asked again."""
    from benchwright.terminal.progress_bars import ProgressBars

    from ..results.summary import sample_line
    from ..run import evaluate

    if dry_run:
        from benchwright.release import Release

        from ..planned_run import planned_run

        opened = Release.open(release)
        plan = planned_run(
            opened,
            model,
            protocol=protocol,
            options=options,
            split=split,
            limit=limit,
            log_folder=out,
            seconds_per_reply=seconds_per_reply,
        )
        if judge is not None:
            note(f"the judge {printable(str(judge.model))} would be asked besides, once for each reply that it reads")
        emit(plan.document(), as_json=as_json, text=plan.describe)
        return
    with ProgressBars() as progress:
        score = evaluate(
            release,
            model,
            protocol=protocol,
            reader=reader,
            judge=judge,
            split=split,
            out=out,
            options=options,
            max_errors=max_errors,
            name=name,
            limit=limit,
            progress=progress,
        )
    if score.usage is not None:
        note(score.usage.describe())
    if score.judge is not None:
        note(printable(score.judge.describe()))
    if score.answers is not None:
        text = f"{score.answers}: answers to {counted(score.asked, 'sealed item')}; the keeper of the key scores them"
        emit(score.document(), as_json=as_json, text=text)
        end_unfit([score])
        return
    note(f"written to {out / score.folder}")
    if score.is_sample:
        note(sample_line(score))
    _emit_scores([score], as_json=as_json)


def end_unfit(scores: Sequence[Score]) -> None:
    """End a command whose scores were written and shown: with exit code 1 where one of them is unfit."""
    from ..results.summary import cause_lines, unfit_scores

    for line in cause_lines(scores):
        note(line)
    if unfit := unfit_scores(scores):
        for line in unfit:
            note(line)
        click.get_current_context().exit(CheckFailed.exit_code)


def _emit_scores(scores: Sequence[Score], *, as_json: bool) -> None:
    """Print scores, and the causes of what has no answer; end with exit code 1 where one is unfit."""
    from ..results.score import told_apart
    from ..results.summary import draw_lines, drawn, reading_lines, summary_table

    documents = [score.document() for score in scores]
    document = documents[0] if len(documents) == 1 else {"scores": documents}
    apart = told_apart(scores)
    emit(
        document,
        as_json=as_json,
        text=lambda: "\n".join([drawn(summary_table(apart), names=1), *draw_lines(scores), *reading_lines(apart)]),
    )
    end_unfit(scores)


@click.command("score")
@_RELEASE
@click.argument(
    "predictions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    nargs=-1,
    required=True,
    help="File of predictions: a table with item_id and reply or answer, or what VLMEvalKit, lmms-eval, inspect_ai or "
    "HELM wrote; with --key, answer files.",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Write results to a folder in here as well."
)
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Key file of a release with sealed splits: scores answer files, which say themselves how they were asked.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Different answer files of one system that are scored with the key.",
)
@_PROTOCOL
@_READER
@judge_options
@_SPLIT
@_NAME
@_MAX_ERRORS
@json_option("as `evaluate run`; of several files `scores`, a list of these")
@click.pass_context
def score(
    context: click.Context,
    release: Path,
    predictions: tuple[Path, ...],
    out: Path | None,
    key: Path | None,
    limit: int,
    protocol: str,
    reader: str,
    split: str | None,
    name: str | None,
    max_errors: float,
    judge: Judge | None,
    as_json: bool,
) -> None:
    """Score a file of predictions on a release, or, with --key, answer files on a sealed one."""
    from ..run import evaluate

    if name is not None and len(predictions) > 1:
        raise click.UsageError("--name names one result; score one file at a time")
    if key is None:
        scores = [
            evaluate(
                release,
                f"predictions:{path}",
                protocol=protocol,
                reader=reader,
                judge=judge,
                split=split,
                out=out,
                max_errors=max_errors,
                name=name,
            )
            for path in predictions
        ]
    else:
        from benchwright.release import Release
        from benchwright.release.sealing.answer_key import read_answer_key

        from ..leaderboard.scoring import score_answers

        for option in ("protocol", "reader", "split"):
            if context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE:
                raise click.UsageError(f"--{option} does not go with --key: answer files say how they were asked")
        opened, answer_key = Release.open(release), read_answer_key(key)
        scores = [
            score_answers(opened, path, answer_key, limit=limit, name=name, judge=judge, out=out, max_errors=max_errors)
            for path in predictions
        ]
    for result in scores:
        if result.judge is not None:
            note(printable(result.judge.describe()))
    _emit_scores(scores, as_json=as_json)


@click.command("protocols")
@json_option(
    """
    `{"protocols": [{"name", "help", "source", "settings": {setting: usual value}}]}`; null for a setting that has
    none
    """
)
def protocols(as_json: bool) -> None:
    """List the ways in which a model can be asked, with their settings and where they come from."""
    from ..protocols.names import listed, protocol_lines

    listed_protocols = listed()
    emit(
        {"protocols": [protocol.document() for protocol in listed_protocols]},
        as_json=as_json,
        text=lambda: protocol_lines(listed_protocols),
    )


@click.command("extract")
@click.argument(
    "cases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Table or JSON Lines file, {"reply", "choices"} a row; `choices` are the options\' texts as a JSON list in '
    "order, null for a picture.",
)
@_READER
@json_option('`{"letters": [letter or null]}`')
def extract(cases: Path, reader: str, as_json: bool) -> None:
    """Read the answer letters of free replies."""
    letters = read_cases(cases, reader)
    emit({"letters": letters}, as_json=as_json, text=lambda: "\n".join(letter or "-" for letter in letters))


@click.command("summary")
@click.argument("results", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of results.")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Release whose human baseline is shown as well; it is no part of the JSON document.  [default: that of "
    "the recipe that made the results, if any]",
)
@json_option(
    """
    `{model: {metric: {"value", "ci", "n", "method"}, "outcomes": {"asked", "miss", "refusal", "cut_off", "error",
    "cut_off_answered", "cut_off_empty", "filtered", "empty", "tool_call", "ended": {way: n}, "limit", "limit_of",
    "causes": [{"state", "cause", "n"}], "unfit",
    "unread": {"n", "replies", "share", "if_wrong", "if_right"}, "reading": {"format", "version", "model",
    "release_id", "reader", "reader_version", "counted_accuracy", "asked", "replies", "labelled", "errors": {kind:
    {"value", "ci", "n"}}, "accuracy": {"value", "ci", "n"}}}}}`; `unread` is null in scores of older programs,
    `reading` where nobody has checked it
    """
)
def summary(results: Path, release: Path | None, as_json: bool) -> None:
    """Show the scores of all models and protocols in a folder of results side by side, and what people reached.

    Where a paper's reader or a judge read, a line says what ours makes of the same replies.
    """
    from benchwright.release import Release

    from ..results.human_baseline import check_beside, human_figures, read_human
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
        check_beside(human, scores)
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
@click.argument("results", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of results.")
@click.argument("model_a", required=False, help="A model of the folder.  [default: all pairs are compared]")
@click.argument("model_b", required=False, help="The other model.")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The release that was scored: shows as well whether models favour letters. Needed where an older program "
    "wrote the predictions.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="Compare all others with this model only, by the name that `evaluate summary` shows: fewer pairs, so "
    "smaller differences are found; there are no ranks then.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all pairs, over all tasks and on each, as .csv.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
@json_option(
    """
    `{"release", "release_id", "split", "models": [name], "settings": {"level", "alpha", "power", "resamples",
    "least_clusters", "correction", "rule"}, "why_no_ranks", "least_p", "ranking": [{"model", "rank": [best, worst],
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
    """Say which models of a folder of results differ by more than chance explains.

    They are compared on the items that both were asked: over all tasks, and on each.
    """
    from textwrap import fill

    from benchwright.release import Release

    from ..analysis.comparison import compare_results
    from ..analysis.comparison_output import RULE, comparison_document, comparison_tables, notes_of, write_pairs
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
    emit(
        document,
        as_json=as_json,
        text=lambda: "\n".join(
            [
                *(drawn(table, names=2) for table in comparison_tables(comparisons, letters)),
                "",
                *(fill(line, 100) for line in (RULE, *notes_of(comparisons))),
            ]
        ),
    )


@click.command("suspects")
@click.argument("results", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of results.")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="The release that was scored.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all of them: a .jsonl file that `review open` takes up, or a table as .csv or .parquet.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
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
    """Rank items whose key is likely wrong: able models agree on another letter, or people who saw no key miss it."""
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


@click.command("report")
@click.argument("results", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of results.")
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="The release that was scored.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write; an older report is replaced, any other file is not.  [default: RESULTS/report.html]",
)
@click.option(
    "--max-items",
    type=click.IntRange(0),
    default=500,
    show_default=True,
    help="Items on the page; of more, a sample by split and task.",
)
@click.option(
    "--max-side",
    type=click.IntRange(32, 4096),
    default=384,
    show_default=True,
    help="Longest side of the pictures on the page, in pixels.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for the same as JSON and CSV; an older report's data is replaced, nothing else is.  [default: "
    "beside the page, report-data]",
)
@click.option(
    "--errors",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Findings of an error analysis, as `review results` writes them.",
)
@click.option(
    "--shortcuts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What `filter shortcuts RELEASE --json` printed: its best solvers stand beside specialists and people.",
)
@json_option(
    """
    `{"report", "release", "release_id", "models": [name], "items", "shown", "pictures", "size_bytes", "data"}`
    """
)
def report(
    results: Path,
    release: Path,
    out: Path | None,
    max_items: int,
    max_side: int,
    data: Path | None,
    errors: Path | None,
    shortcuts: Path | None,
    as_json: bool,
) -> None:
    """Write one HTML page with scores, plots and items of all models in a folder of results."""
    from benchwright.engines.record_jobs import map_on_this_machine
    from benchwright.terminal.progress_bars import ProgressBars

    from ..report.writing import write_report

    with ProgressBars() as progress, map_on_this_machine("report") as record_map:
        written = write_report(
            results,
            release,
            out=out,
            max_items=max_items,
            max_side_px=max_side,
            data=data,
            findings=errors,
            shortcuts=shortcuts,
            record_map=record_map,
            progress=progress,
        )
    emit(written.document(), as_json=as_json, text=written.describe)
