"""Output of commands: one JSON document with `--json`, readable text otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click

from benchwright.machine.storage_faults import naming
from benchwright.terminal.cleaning import json_escaped

F = TypeVar("F", bound=Callable[..., Any])


class JsonOption(click.Option):
    """The option `--json` of a command.

    Args:
        parameters: Names of the option.
        document: Description of the printed document, in Markdown: its shape, such as "`{"items": [{"id"}]}`", and
            remarks. The reference page is made from it; line breaks have no meaning.
        settings: Settings of any option.
    """

    def __init__(self, parameters: Sequence[str], *, document: str, **settings: Any) -> None:
        super().__init__(parameters, **settings)
        self.document = " ".join(document.split())


def json_option(document: str) -> Callable[[F], F]:
    """Return a decorator that adds the option `--json`, which is passed to the command as `as_json`."""
    return click.option(
        "--json",
        "as_json",
        cls=JsonOption,
        document=document,
        is_flag=True,
        help="Print only one JSON document on standard output.",
    )


def emit(document: Mapping[str, Any], *, as_json: bool, text: str | Callable[[], str]) -> None:
    """Print a command's result to standard output, as JSON or as readable text."""
    if as_json:
        printed = json_escaped(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        printed = text() if callable(text) else text
    with naming("standard output"):
        click.echo(printed)


def emit_lines(documents: Iterable[Mapping[str, Any]]) -> None:
    """Print documents to standard output as they arrive, as one line of JSON each."""
    with naming("standard output"):
        for document in documents:
            click.echo(json_escaped(json.dumps(document, ensure_ascii=False, allow_nan=False)))


def note(message: str) -> None:
    """Print one line of text to standard error."""
    click.echo(message, err=True)
