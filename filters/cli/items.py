"""The command `benchwright filter items`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.diagnostics.item_report import ItemReport
    from benchwright.diagnostics.wording.repeated_questions import Scope


@click.command("items")
@click.argument(
    "release",
    metavar="RELEASE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option(
    "--scope",
    type=click.Choice(["same_image", "all"]),
    default="same_image",
    show_default=True,
    help="`same_image` compares the questions of items that show the same pictures; `all` compares those of all items.",
)
@json_option(
    """
    `{"items", "repeated_options": [{"item_id", "options": [letter], "likeness"}], "similar_options": [{"item_id",
    "options": [letter], "likeness"}], "questions": [{"item_id", "reason", "of": [item]}], "letters": [{"task",
    "of", "counts": {letter: n}, "expected": {letter: n}, "chi_square", "p", "p_holm", "uneven"}], "rules": [{"task",
    "rule", "items", "accuracy", "ci", "chance", "p", "p_holm", "gives_away"}]}`; `p_holm` is adjusted over all groups
    or rules, and null for a rule that decides fewer than 10 items, which is not tested
    """
)
def items(release: Path, scope: Scope, as_json: bool) -> None:
    """Look for repeated options and questions, uneven letters, and keys that the words give away.

    Measures the items of a release like the steps `repeated_options`, `duplicate_questions`, `answer_balance` and
    `wording_bias` with their defaults; drops nothing.
    """
    from benchwright.diagnostics.item_report import report_on_release

    report = report_on_release(release, scope=scope)
    emit(report.document(), as_json=as_json, text=lambda: "\n".join(_lines(report)))


def _lines(report: ItemReport) -> Iterator[str]:
    for label, pairs in (("repeated", report.repeated_options), ("similar", report.similar_options)):
        for pair in pairs:
            yield f"{label:9} options {pair.options[0]} and {pair.options[1]} of {pair.item_id}"
    for repetition in report.questions:
        yield f"{repetition.reason}  {repetition.item_id}  of {', '.join(repetition.of)}"
    yield "letters   p       counts"
    for letters in report.letters:
        group = letters.group
        counts = "  ".join(f"{key} {count}" for key, count in group.balance.counts.items())
        uneven = "  uneven" if letters.is_uneven else ""
        yield f"{group.of:9} {letters.p_holm:.4f}  {counts}  {printable(group.task or 'all')}{uneven}"
    yield "rule          accuracy  interval       chance  items  task"
    giveaways = report.giveaways
    for rule in report.rules:
        measured = rule.measured
        low, high = measured.interval
        yield (
            f"{rule.rule:13} {measured.value:8.3f}  [{low:.3f}, {high:.3f}] {measured.chance:6.3f}  "
            f"{measured.items:5}  {printable(rule.task or 'all')}"
            f"{'  gives the key away' if rule in giveaways else ''}"
        )
    yield (
        f"items {report.items}, with repeated options {len({pair.item_id for pair in report.repeated_options})}, "
        f"questions asked twice or nearly {len(report.questions)}, groups with uneven letters "
        f"{sum(letters.is_uneven for letters in report.letters)}, rules that give a task away {len(giveaways)}"
    )
