"""`benchwright evaluate run`, `score` and `protocols`: asking models, scoring predictions, and listing protocols."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

from .arguments import reader_option
from .model_options import judge_options, model_options

if TYPE_CHECKING:
    from ..backends.options import BackendOptions
    from ..item_response.subset import Subset
    from ..judging.judge import Judge
    from ..results.score import Score

_RELEASE = click.argument(
    "release", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Folder of a release."
)
_PROTOCOL = click.option(
    "--protocol",
    metavar="NAME[:key=value,...]",
    default="vanilla",
    show_default=True,
    help="Protocol that asks the items, from `evaluate protocols`, with its settings; a file of predictions has one "
    "row for each of its questions.",
)
_NAME = click.option(
    "--name", metavar="NAME", help="Name of the result in tables and in the report.  [default: the model's name]"
)
_MAX_ERRORS = click.option(
    "--max-errors",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="Largest share of items without any answer (errors, replies without text). Above it the score is unfit: "
    "marked, unranked, exit code 1.",
)
_LIMIT = click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ask only N items, drawn in proportion to the tasks of each split; the same N gives the same items, and a "
    "larger N includes them. The result is separate from those of all items.  [default: all]",
)
_ITEMS_FROM = click.option(
    "--items-from",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Ask only the items of a subset from `evaluate subset`; the accuracies are estimates for all items.",
)
_SPLIT = click.option("--split", metavar="NAME", help="Only this split.  [default: all]")


@click.command("run")
@_RELEASE
@click.option(
    "--model",
    required=True,
    metavar="M",
    help="Model to ask, such as random, constant:A, edge_continuity or openai:NAME.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder for results; each goes into a subfolder named by model, protocol, reader and settings.",
)
@_PROTOCOL
@reader_option
@judge_options
@_SPLIT
@_LIMIT
@_ITEMS_FROM
@click.option(
    "--adaptive",
    is_flag=True,
    help="Draw items of the file of --items-from batch by batch, guided by the replies so far, until the accuracy "
    "has the standard error of --standard-error.",
)
@click.option(
    "--standard-error",
    type=click.FloatRange(0, 0.5, min_open=True),
    default=0.03,
    show_default=True,
    metavar="SHARE",
    help="Standard error of the accuracy at which --adaptive ends; the 95 % interval is four times as wide.",
)
@click.option(
    "--most-items",
    type=click.IntRange(min=10),
    metavar="N",
    help="Number of items after which --adaptive ends in any case.  [default: all]",
)
@model_options
@_NAME
@_MAX_ERRORS
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only print the plan: requests, pictures, bytes, tokens, cost and time. Sends and writes nothing.",
)
@click.option(
    "--seconds-per-reply",
    type=click.FloatRange(0, min_open=True),
    default=5.0,
    show_default=True,
    metavar="S",
    help="Seconds per reply, for the time that --dry-run prints.",
)
@json_option(
    """
    `{"format", "version", "model", "name", "protocol", "reader", "release", "release_id", "content_id", "split",
    "settings", "identity", "metrics": {name: {"value", "ci", "n", "method"}}, "miss", "refusal", "filtered",
    "cut_off", "cut_off_empty", "cut_off_answered", "error", "empty", "tool_call", "right_items", "ended":
    {"answered", "miss", "refused", "filtered", "cut_off", "empty", "tool_call", "error"}, "causes": [{"state",
    "cause", "n"}], "max_errors", "unfit", "asked", "items", "samples", "limit", "limit_of", "subset", "blind_strategy":
    {"strategy", "accuracy", "ci", "chance", "items", "tried"}, "unread": {"n", "replies", "share", "if_wrong",
    "if_right"}, "usage": {"replies", "requests", "prompt_tokens", "completion_tokens", "reasoning_tokens",
    "cost"}, "judge": {"model", "prompt", "asks", "settings", "asked", "letters", "refusals", "none", "unusable",
    "errors", "usage"}}`; `usage` is null where nothing counted tokens, `cost` without prices, `judge` without one,
    `limit` and `limit_of` where all items were asked, `subset` without --items-from,
    `blind_strategy` where the release states none; `metrics` is empty where the split is sealed; each item counts once
    in `ended`.
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
    items_from: Path | None,
    adaptive: bool,
    standard_error: float,
    most_items: int | None,
    options: BackendOptions,
    name: str | None,
    max_errors: float,
    dry_run: bool,
    seconds_per_reply: float,
    as_json: bool,
) -> None:
    """Ask a model every item of a release and score its replies, without repeating answered questions."""
    from benchwright.terminal.progress_bars import ProgressBars

    from ..results.summary import sample_line
    from ..run import evaluate

    subset = _subset(items_from)
    if adaptive and (subset is None or limit is not None or dry_run):
        raise click.UsageError(
            "--adaptive needs --items-from, from whose file it draws; leave out --limit and --dry-run, since the "
            "number of items depends on the replies"
        )
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
            subset=subset,
            log_folder=out,
            seconds_per_reply=seconds_per_reply,
        )
        if judge is not None:
            about = "each reply" if judge.asks == "all" else "each reply that the reader cannot read"
            most = counted(plan.requests + plan.answered_before, "request")
            note(f"the judge {printable(str(judge.model))} would also be asked about {about}: at most {most}")
        emit(plan.document(), as_json=as_json, text=plan.describe)
        return
    settings: dict[str, Any] = {
        "protocol": protocol,
        "reader": reader,
        "judge": judge,
        "split": split,
        "out": out,
        "options": options,
        "max_errors": max_errors,
        "name": name,
    }
    with ProgressBars() as progress:
        if adaptive and subset is not None:
            from ..adaptive_run import evaluate_adaptively

            score, asked = evaluate_adaptively(
                release,
                model,
                subset,
                standard_error=standard_error,
                most_items=most_items,
                progress=progress,
                **settings,
            )
            note(asked.describe(standard_error))
        else:
            score = evaluate(release, model, limit=limit, subset=subset, progress=progress, **settings)
    if score.usage is not None:
        note(score.usage.describe())
    if score.judge is not None and as_json:
        note(printable(score.judge.describe()))
    if score.answers is not None:
        text = f"{score.answers}: answers to {counted(score.asked, 'sealed item')}; the holder of the key scores them"
        emit(score.document(), as_json=as_json, text=text)
        end_unfit([score])
        return
    note(f"written to {out / score.folder}")
    if score.is_sample:
        note(sample_line(score))
    _emit_scores([score], as_json=as_json)


def _subset(path: Path | None) -> Subset | None:
    """Return the subset in a file, or None if no file is given."""
    from ..item_response.subset import read_subset

    return None if path is None else read_subset(path)


def end_unfit(scores: Sequence[Score]) -> None:
    """End a command after writing and showing its scores, with exit code 1 if any score is unfit."""
    from ..results.summary import cause_lines, unfit_scores

    for line in cause_lines(scores):
        note(line)
    if unfit := unfit_scores(scores):
        for line in unfit:
            note(line)
        click.get_current_context().exit(CheckFailed.exit_code)


def _emit_scores(scores: Sequence[Score], *, as_json: bool) -> None:
    """Print scores and the causes of missing answers; end with exit code 1 if any score is unfit."""
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
    help="File of predictions: a table with item_id and reply or answer, or output of VLMEvalKit, lmms-eval, "
    "inspect_ai or HELM; with --key, answer files.",
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Also write results to a subfolder of this folder."
)
@click.option(
    "--key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Key file of a release with sealed splits: scores answer files, which state their own protocol and reader.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="Most different answer files of one system to score with the key.",
)
@_PROTOCOL
@reader_option
@judge_options
@_SPLIT
@_ITEMS_FROM
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
    items_from: Path | None,
    name: str | None,
    max_errors: float,
    judge: Judge | None,
    as_json: bool,
) -> None:
    """Score a file of predictions on a release, or, with --key, answer files on a sealed one."""
    from ..run import evaluate

    if name is not None and len(predictions) > 1:
        raise click.UsageError("--name names one result; score one file at a time")
    if key is not None and items_from is not None:
        raise click.UsageError("leave out --items-from with --key: an answer file answers all sealed items")
    if key is None:
        subset = _subset(items_from)
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
                subset=subset,
            )
            for path in predictions
        ]
    else:
        from benchwright.release import Release
        from benchwright.release.sealing.answer_key import read_answer_key

        from ..leaderboard.scoring import score_answers

        for option in ("protocol", "reader", "split"):
            if context.get_parameter_source(option) is click.core.ParameterSource.COMMANDLINE:
                raise click.UsageError(f"leave out --{option} with --key: answer files state it")
        opened, answer_key = Release.open(release), read_answer_key(key)
        scores = [
            score_answers(opened, path, answer_key, limit=limit, name=name, judge=judge, out=out, max_errors=max_errors)
            for path in predictions
        ]
    for result in scores:
        if result.judge is not None and as_json:
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
    """List the ways of asking a model, with their settings and sources."""
    from ..protocols.names import listed, protocol_lines

    listed_protocols = listed()
    emit(
        {"protocols": [protocol.document() for protocol in listed_protocols]},
        as_json=as_json,
        text=lambda: protocol_lines(listed_protocols),
    )
