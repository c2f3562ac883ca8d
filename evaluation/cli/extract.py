"""`benchwright evaluate extract`: letters of the replies in a table, such as one JSON object a line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from benchwright.errors import DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.tables import JSON_ENDS, Table
from benchwright.records import LETTERS
from benchwright.replies.readers import READERS
from benchwright.terminal.output import emit, json_option

reader_option = click.option(
    "--reader",
    type=click.Choice(("robust", "blink", "ii-bench", "mvp-bench")),
    default="robust",
    show_default=True,
    help="Who reads: our reader, or one exactly as a paper's repository has it.",
)


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


@click.command("extract")
@click.argument(
    "cases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Table or JSON Lines file, {"reply", "choices"} a row; `choices` are the options\' texts as a JSON list in '
    "order, null for a picture.",
)
@reader_option
@json_option('`{"letters": [letter or null]}`')
def extract(cases: Path, reader: str, as_json: bool) -> None:
    """Read the answer letters of free replies."""
    letters = read_cases(cases, reader)
    emit({"letters": letters}, as_json=as_json, text=lambda: "\n".join(letter or "-" for letter in letters))
