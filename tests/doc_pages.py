"""The documentation as tests read it: its pages, their sections and tables, and the commands that they speak of."""

from __future__ import annotations

import re
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


def sections_of(page: str, level: int) -> dict[str, str]:
    """Return the text below each heading whose title is one code span."""
    mark = "#" * level
    parts = re.split(rf"^{mark} `([^`\n]+)`$", text_of(DOCS / page), flags=re.M)
    cut = rf"^#{{1,{level}}} "
    return {name: re.split(cut, text, flags=re.M)[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def rows_of(section: str) -> list[list[str]]:
    """Return the cells of every table row that begins with a code span."""
    rows = [line for line in section.split("\n") if line.startswith("| `")]
    return [[cell.strip() for cell in row.strip().strip("|").split(" | ")] for row in rows]


CLI = sections_of("cli.md", 2)
"""The section of each command of docs/cli.md, by `benchwright <command>`."""
