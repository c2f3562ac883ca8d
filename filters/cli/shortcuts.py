"""The command `benchwright filter shortcuts`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from benchwright.cli.model_options import chat_options
from benchwright.steps import CueFamily
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

from .options import workers_option

if TYPE_CHECKING:
    from benchwright.diagnostics.shortcuts.battery import SolverResult, TaskResult
    from benchwright.diagnostics.shortcuts.model_solvers import Sees
    from benchwright.diagnostics.shortcuts.pruning import PruningRound
    from benchwright.diagnostics.shortcuts.report import ShortcutReport
    from benchwright.models.endpoints.chat import ChatSettings

_REPLIES = "replies.sqlite"
"""File in the folder of `--out` that stores the models' replies."""
_MOST_SHOWN = 5
"""Number of solvers listed per task in the text output."""


class _AllowedCue(click.ParamType[tuple[str, CueFamily]]):
    """A cue family that a task requires, given as `TASK=FAMILY`."""

    name = "TASK=FAMILY"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, CueFamily]:
        task, _, family = str(value).partition("=")
        if family not in get_args(CueFamily):
            self.fail(
                f"{value!r} is not such as my_task=pixels; families: {', '.join(get_args(CueFamily))}", param, ctx
            )
        return task, family  # type: ignore[return-value]  # checked above


@click.command("shortcuts")
@click.argument(
    "source",
    metavar="SOURCE",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of a release, or of a workspace with a complete run; or questions that `construct items` reads: a "
    "file, an archive, or a folder.",
)
@click.option(
    "--pictures",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of the questions' pictures, if separate.",
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Column of a field of questions; may be repeated.",
)
@click.option(
    "--allow",
    "allowed",
    type=_AllowedCue(),
    multiple=True,
    help="Family of cues that a task requires, so that it is no shortcut, such as my_task=pixels; may be repeated. "
    "Replaces the declaration of the task's step.",
)
@click.option(
    "--max-gain",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="Distance of accuracy from chance up to which a solver passes.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for a page with examples (`report.html`), the JSON document (`report.json`) and the bias score of "
    "each item (`items.jsonl`); files of an earlier report are replaced.",
)
@click.option(
    "--prune",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Report the items that pruning would remove from tasks in which the forest carries a cue, up to this share, "
    "and the items left.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the forests.")
@click.option(
    "--learn-from",
    type=click.IntRange(min=0),
    metavar="N",
    default=1200,
    show_default=True,
    help="Largest number of items of each task that the adversary learns from; 0 leaves it out. The output of a task "
    "states how many a smaller cue needs.",
)
@workers_option
@chat_options
@click.option(
    "--sees",
    type=click.Choice(["text", "options", "captions"]),
    multiple=True,
    help="Input of the model in place of the pictures: `text` (question and options), `options` (these alone) or "
    "`captions` (of every picture, written by the model itself); may be repeated.  [default: text, options]",
)
@click.option(
    "--concurrency", type=click.IntRange(1, 64), default=4, show_default=True, help="Requests in flight at a time."
)
@click.option("--dry-run", is_flag=True, help="Print the questions for the model and their highest cost; ask nothing.")
@json_option(
    """
    `{"items", "words_alone", "flagged", "left_out": {reason: n}, "seed", "max_gain", "min_p", "model", "tests",
    "tasks": [{"task", "items", "chance", "task_cues": [family], "letters": {"counts": {letter: n}, "expected": {letter:
    n}, "chi_square", "p"}, "mean_bias", "cues": [{"cue", "fall"}], "solvers": [{"solver", "family", "items",
    "accuracy", "ci", "chance", "p", "p_holm", "sides": "both" or "above", "carries", "may_be_task", "tells":
    [{"measure", "deviations"}]}], "learned_items", "could_find", "items_needed", "replies": [{"sees", "asked",
    "unread", "failed"}]}], "pruning": [{"task", "pruned": [item], "clusters": {"before", "after"}, "rounds": [{"items",
    "accuracy", "ci", "mean_bias", "letters_p"}]}], "whole", "refusals": {"items", "unanswerable", "accuracy", "ci",
    "chance", "p", "tells", "guessed", "false_refusals", "templates": [{"words", "tells": "answerable" or
    "unanswerable", "items": [id], "of", "p"}]}, "edited_pictures": {"tells", "pairs",
    "answers": {"items", "right", "share"}, "result"}}`;
    `whole`: all items together, as a task, null if there is only one task; `words_alone`: number of questions with
    missing pictures; `fall`: loss of the forest's accuracy without the cue, given if the forest carries; `pruning` is
    empty without `--prune`, and `pruned` has the ids from a file of questions; `mean_bias` is null if a task has too
    few items for a forest; `may_be_task`: the cue is carried and may be the task itself, because what a picture shows
    reveals which text is right; `tells`, of solvers that learn: the most telling measures, in standard deviations under
    uniform keys, positive if the right option has more; `learned_items`, `could_find`, `items_needed`: items that the
    adversary learned from, the smallest accuracy of a cue in one measure that it finds there with 80 % power, and the
    number of items for a gain of 0.05, null if it did not learn; without `--model`, `model` is null and `replies` is
    empty; `refusals`: how well a question alone reveals whether its picture answers it, null if fewer than ten items of
    either kind offer an option that declines;
    `edited_pictures`: whether a single picture of a pair reveals an edit, null without pairs, with the result
    as a task, and how many yes/no items this alone answers. With
    `--dry-run` `{"dry_run", "items", "requests", "pictures", "prompt_tokens", "most_completion_tokens", "cost"}`
    """
)
def shortcuts(
    source: Path,
    pictures: Path | None,
    columns: tuple[str, ...],
    allowed: tuple[tuple[str, CueFamily], ...],
    max_gain: float,
    out: Path | None,
    prune: float | None,
    seed: int,
    learn_from: int,
    workers: int | None,
    chat: ChatSettings | None,
    sees: tuple[Sees, ...],
    concurrency: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Let solvers answer items without doing the task, from only place, size, file, light, words and letters of
    options.

    In addition, an adversary learns from everything outside the task: maps, spectra and borders of pictures, how their
    files were written and are named, ids, order, and the preceding keys. A solver that is right more often than chance,
    or less often, names a cue in the items. With --model, a language model answers as well, without the pictures. Drops
    nothing.
    """
    from benchwright.diagnostics.shortcuts.item_source import ItemSource
    from benchwright.diagnostics.shortcuts.model_solvers import PicturelessModel
    from benchwright.diagnostics.shortcuts.picks import Bounds
    from benchwright.diagnostics.shortcuts.report import find_shortcuts, plan_model
    from benchwright.source_files.item_files import stated_columns

    if chat is None and (sees or dry_run):
        raise click.UsageError("--sees and --dry-run apply to a model; name it with --model")
    place = ItemSource(source, pictures, stated_columns(columns))
    if (pictures is not None or columns) and not place.is_files:
        raise click.UsageError(
            f"--pictures and --column apply to files of questions; {source} is a release or a workspace"
        )
    model = (
        None
        if chat is None
        else PicturelessModel(chat=chat, **({"sees": sees} if sees else {}), concurrency=concurrency)
    )
    if dry_run and model is not None:
        plan = plan_model(place, model, seed=seed)
        emit({"dry_run": True, **plan.to_json()}, as_json=as_json, text=plan.describe)
        return
    if model is not None and out is None:
        raise click.UsageError("give a folder with --out, which keeps replies so that none is paid for twice")

    own: dict[str, list[CueFamily]] = {}
    for task, family in allowed:
        own.setdefault(task, []).append(family)
    report = find_shortcuts(
        place,
        task_cues=own,
        bounds=Bounds(max_gain=max_gain),
        prune_most=prune,
        seed=seed,
        workers=workers,
        learn_from=learn_from,
        model=model,
        replies=None if out is None or model is None else out / _REPLIES,
    )
    if out is not None:
        from ..shortcuts.page import write_page

        note(f"page: {write_page(report, out)}")
    emit(report.document(), as_json=as_json, text=lambda: "\n".join(_lines(report)))


def _lines(report: ShortcutReport) -> Iterator[str]:
    from ..shortcuts.page import left_out_by_reason

    for task in report.results:
        yield from _lines_of_task(task)
    for pruning in report.pruning:
        first, last = pruning.rounds[0], pruning.rounds[-1]
        yield (
            f"pruning {printable(pruning.task)}: items {first.items} to {last.items}, clusters {pruning.clusters[0]} "
            f"to {pruning.clusters[1]}, forest {_spelled(first)} to {_spelled(last)}, letters p {last.letters.p:.2g}"
        )
    if (refusals := report.refusals) is not None:
        yield f"refusals  {refusals.summary}{'  carried' if refusals.tells else ''}"
        for template in refusals.templates:
            yield (
                f"  {printable(template.words)}  {template.tells} in {len(template.item_ids)} of {template.of}, "
                f"p {template.p:.2g}"
            )
    if (edited := report.edited) is not None:
        yield f"pairs: can a single picture tell that it was edited? {counted(edited.pairs, 'pair')}"
        yield from _lines_of_task(edited.result)
        yield f"  {edited.in_words()}"
    for reason, items in left_out_by_reason(report.left_out):
        named = [f"{item.item_id} ({item.detail})" if item.detail else item.item_id for item in items[:3]]
        yield f"left out, {reason}: {len(items)}, such as {printable('; '.join(named))}"
    if report.words_alone:
        yield f"items whose pictures are not there, so that words and letters alone were measured: {report.words_alone}"
    tests = sum(len(task.solvers) for task in report.results)
    carried = sum(len(task.carried) for task in report.results)
    yield (
        f"items {report.items}, tests {tests}, solvers whose cue a task carries {carried}, items that they get "
        f"{len(report.flagged())}"
    )


def _lines_of_task(task: TaskResult) -> Iterator[str]:
    from benchwright.diagnostics.adversary.learning import power_in_words, told

    yield _task(task)
    shown = [*task.carried, *(result for result in task.solvers if not result.carries)]
    for result in shown[: max(_MOST_SHOWN, len(task.carried))]:
        yield _solver(result)
        if result.carries and result.tells:
            yield f"    by {told(result.tells)}"
    if any(result.may_be_task for result in task.carried):
        yield (
            "  what pictures show reveals which text is right: if the questions ask about that, it is the task; "
            f"declare it with --allow {printable(task.table.task)}=pixels"
        )
    if task.power is not None:
        yield f"  {power_in_words(task.power)}"
    if task.forest is not None and task.forest.weights:
        falls = [f"{title} {fall:.3f}" for title, fall in task.forest.weights.items() if fall > 0]
        yield f"  the forest loses without: {', '.join(falls[:_MOST_SHOWN])}"
    for count in task.replies:
        yield (
            f"  model asked with {count.sees}: {counted(count.asked, 'item')}, "
            f"{counted(count.unread, 'reply names', 'replies name')} no option, {count.failed} failed"
        )


def _task(task: TaskResult) -> str:
    declared = f", of the task itself: {', '.join(task.task_cues)}" if task.task_cues else ""
    return (
        f"{printable(task.table.task)}  {counted(len(task.table.items), 'item')}, "
        f"{counted(len(task.solvers), 'solver')}{declared}"
    )


def _spelled(each: PruningRound) -> str:
    return "none" if each.accuracy is None else f"{each.accuracy.value:.3f}"


def _solver(result: SolverResult) -> str:
    low, high = result.accuracy.interval
    return (
        f"  {printable(result.solver):44} {result.accuracy.value:6.3f}  [{low:.3f}, {high:.3f}]  chance "
        f"{result.accuracy.chance:.3f}  items {result.accuracy.items:5}  p {result.p_holm:.2g}"
        f"{'  carried' if result.carries else ''}{', may be the task' if result.may_be_task else ''}"
    )
