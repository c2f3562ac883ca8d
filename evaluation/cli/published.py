"""The commands `evaluate published` and `evaluate import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast, get_args

import click

from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

_BENCHMARKS = ("mvp-bench", "blink", "ii-bench")


@click.command("published")
@click.argument(
    "benchmark", type=click.Choice(_BENCHMARKS), metavar="BENCHMARK", help="Benchmark: blink, ii-bench or mvp-bench."
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder of the benchmark's official layout, files plain or gzipped.",
)
@click.option("--model", required=True, metavar="NAME", help="Name of the model, as in its files.")
@click.option(
    "--reading",
    type=click.Choice(("published", "judge", "rule", "robust")),
    default="published",
    show_default=True,
    help="Reading of answers: as in the paper's tables (`published`), by `judge` (mvp-bench), `rule` (mvp-bench, "
    "blink) or `robust`.",
)
@click.option(
    "--vanilla",
    type=click.Choice(("one-pass", "rotation-0", "first-in-file")),
    help="mvp-bench: the attempts that VanillaEval counts.  [default: those that give the printed values]",
)
@click.option(
    "--by-hand",
    "by_hand",
    multiple=True,
    metavar="ID=WORD",
    help="mvp-bench: ID=yes or ID=no, a person's reading of the answer to a question; may be repeated.",
)
@json_option(
    """
    `{"model", "cells": {name: {"value", "numerator", "denominator"}}, "readings": {name: {"reading", "printed":
    [{"table", "value", "readings": [reading]}], "tried", "different"}}, "families": [{"family", "reading",
    "printed", "reproduced": {reading: n}}], "prompts": {mode: {"as_now", "other_labels": [{"told", "now",
    "questions": [id]}], "unmatched": [id]}}}`, values in percent; null for a cell that is counted from nothing.
    `readings` says how each cell was read, which of the ways `tried` give what is printed, and how many `different`
    values they give; `prompts` is about `ii-bench`
    """
)
def published(
    benchmark: str, data: Path, model: str, reading: str, vanilla: str | None, by_hand: tuple[str, ...], as_json: bool
) -> None:
    """Recount a paper's tables from the files in its repository.

    It counts in every known way, and shows which one gives the printed values. Exit code 1 if a sent prompt differs
    from our rendering of its question.
    """
    from ..published.benchmarks import Benchmark, recount
    from ..published.mvp_readings import Vanilla
    from ..published.search import reading_notes
    from ..results.summary import drawn

    assert benchmark in get_args(Benchmark)
    recounted = recount(
        cast("Benchmark", benchmark),
        data,
        model,
        reading=reading,
        vanilla=cast("Vanilla | None", vanilla),
        by_hand=_words(by_hand),
    )
    for line in (*recounted.notes, *reading_notes(recounted.readings, recounted.families, model)):
        note(printable(line))
    document: dict[str, Any] = recounted.document()
    emit(document, as_json=as_json, text=lambda: drawn(recounted.table()))
    if recounted.unmatched_prompts:
        note(f"{recounted.unmatched_prompts} prompts differ from our rendering of their questions")
        click.get_current_context().exit(CheckFailed.exit_code)


@click.command("import")
@click.argument(
    "benchmark",
    type=click.Choice(("blink", "ii-bench", "mvp-bench")),
    metavar="BENCHMARK",
    help="Benchmark: blink, ii-bench or mvp-bench.",
)
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder of the benchmark's official layout, with its pictures; for blink, the folder of its data set.",
)
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The release's folder.")
@json_option(
    """
    `{"release", "release_id", "items", "splits": {split: n}, "left_out": {reason: n}, "refused": [{"file", "entry",
    "reason", "detail"}]}`; reasons are `sealed`, `no_image` and `unreadable_image`, and of rows that are no questions,
    of which `refused` has up to 20, those of `construct items`
    """
)
def import_questions(benchmark: str, data: Path, out: Path, as_json: bool) -> None:
    """Make a release of a benchmark's published questions and pictures."""
    from ..published.importing import import_published

    imported = import_published(benchmark, data, out).document()
    left_out = ", ".join(f"{number} {reason}" for reason, number in imported["left_out"].items()) or "none"
    said = f"{out}: {counted(imported['items'], 'item')}; left out: {left_out}"
    refused = [f"  {row['file']}, {row['entry']}: {row['detail']}" for row in imported["refused"]]
    emit(imported, as_json=as_json, text=lambda: printable("\n".join([said, *refused])))


def _words(texts: tuple[str, ...]) -> dict[str, str]:
    words: dict[str, str] = {}
    for text in texts:
        question, _, word = text.partition("=")
        if not question.isdecimal() or word not in {"yes", "no"}:
            raise click.BadParameter(f"{text!r} is not ID=yes or ID=no, such as 1718=no", param_hint="--by-hand")
        words[question] = word
    return words
