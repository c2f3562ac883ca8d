"""The command `benchwright filter items`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import printable

if TYPE_CHECKING:
    from ..items.report import ItemReport


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
    help="`same_image`: compare the questions of items that show the same pictures; `all`: of all items.",
)
@json_option(
    """
    `{"items", "repeated_options": [{"item_id", "options": [letter], "likeness"}], "similar_options": [{"item_id",
    "options": [letter], "likeness"}], "questions": [{"item_id", "reason", "of": [item]}], "letters": [{"task",
    "of", "counts": {letter: n}, "expected": {letter: n}, "chi_square", "p"}], "rules": [{"task", "rule", "items",
    "accuracy", "ci", "chance", "p", "gives_away"}]}`
    """
)
def items(release: Path, scope: str, as_json: bool) -> None:
    """Look for repeated options and questions, uneven letters, and keys that the words give away.

    The items of a release are measured as the steps `repeated_options`, `duplicate_questions`, `answer_balance` and
    `wording_bias` measure them with their defaults; nothing is dropped.
    """
    from ..items.report import report_on_release

    report = report_on_release(release, scope=scope)
    emit(report.document(), as_json=as_json, text=lambda: "\n".join(_lines(report)))


def _lines(report: ItemReport) -> Iterator[str]:
    for label, pairs in (("repeated", report.repeated_options), ("similar", report.similar_options)):
        for pair in pairs:
            yield f"{label:9} options {pair.options[0]} and {pair.options[1]} of {pair.item_id}"
    for repetition in report.questions:
        yield f"{repetition.reason}  {repetition.item_id}  of {', '.join(repetition.of)}"
    yield "letters   p       counts"
    for group in report.letters:
        counts = "  ".join(f"{key} {count}" for key, count in group.balance.counts.items())
        yield f"{group.of:9} {group.balance.p:.4f}  {counts}  {printable(group.task or 'all')}"
    yield "rule          accuracy  interval       chance  items  task"
    for rule, too_much in report.rules:
        low, high = rule.interval
        yield (
            f"{rule.rule:13} {rule.accuracy:8.3f}  [{low:.3f}, {high:.3f}] {rule.chance:6.3f}  {rule.items:5}  "
            f"{printable(rule.task or 'all')}{'  gives the key away' if too_much else ''}"
        )
    yield (
        f"items {report.items}, with repeated options {len({pair.item_id for pair in report.repeated_options})}, "
        f"questions asked twice or nearly {len(report.questions)}, rules that give a task away "
        f"{sum(too_much for _, too_much in report.rules)}"
    )
