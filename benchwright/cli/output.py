"""Output of commands: one JSON document with `--json`, text for people otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from benchwright.storage_faults import naming

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """Add the option `--json`, passed to the command as `as_json`."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON document on standard output and nothing else there."
    )(command)


def emit(document: Mapping[str, Any], *, as_json: bool, text: str | Callable[[], str]) -> None:
    """Print a command's result to standard output, as JSON or as text for people."""
    if as_json:
        printed = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    else:
        printed = text() if callable(text) else text
    with naming("standard output"):
        click.echo(printed)


def note(message: str) -> None:
    """Print one line for people to standard error."""
    click.echo(message, err=True)
