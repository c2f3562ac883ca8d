"""`benchwright evaluate extract`: the answer letters in a table of replies, such as JSON Lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import printable

from .arguments import reader_option
from .model_options import judge_options

if TYPE_CHECKING:
    from ..analysis.reply_cases import ReadCases
    from ..judging.judge import Judge


@click.command("extract")
@click.argument(
    "cases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Table or JSON Lines file, {"reply", "choices"} a row; `choices` are the options\' texts as a JSON list in '
    "order, null for a picture. `letter`, the letter that the reply gives, or none, is for measuring the reader; "
    "`question` is for a judge.",
)
@reader_option
@judge_options
@click.option(
    "--log",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Folder for the judge's requests and replies; the same command then repeats no question.",
)
@json_option(
    """
    `{"letters": [letter or null]}`; with --judge also `"read_by": [rule, "judge" or null]` and `judge`, as in
    `evaluate run`; where a row has a `letter` also `"measured": {"reader": {"labelled", "right", "wrong_letter",
    "missed_letter", "letter_of_none"}}`, and the same as `with_judge`, each share as `{"value", "ci", "n"}`
    """
)
def extract(cases: Path, reader: str, judge: Judge | None, log: Path | None, as_json: bool) -> None:
    """Read the answer letters of free replies, and measure the reading if the right letters are given.

    With --judge, a second reader reads the replies that the rules cannot read.
    """
    from ..analysis.reply_cases import read_cases

    if log is not None and judge is None:
        raise click.UsageError("--log keeps a judge's requests; name a judge with --judge")
    found = read_cases(cases, reader, judge=judge, log_folder=log)
    emit(_document(found), as_json=as_json, text=lambda: "\n".join(letter or "-" for letter in found.letters))
    if found.judging is not None:
        note(printable(found.judging.describe()))
    for who, figures in found.measured.items():
        note(printable(f"{who.replace('_', ' ')}: {figures.describe()}"))


def _document(found: ReadCases) -> dict[str, Any]:
    document: dict[str, Any] = {"letters": found.letters}
    if found.judging is not None:
        document |= {"read_by": found.read_by, "judge": found.judging.model_dump(mode="json")}
    if found.measured:
        document["measured"] = {who: figures.document() for who, figures in found.measured.items()}
    return document
