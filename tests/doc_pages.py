"""The documentation as tests read it: its pages, and the commands that they speak of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from conftest import ROOT

from benchwright.cli.main import _ROOT

DOCS = ROOT / "docs"


def commands(group: click.Group = _ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, with its full name."""
    context = click.Context(group, info_name="benchwright")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands())


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")
