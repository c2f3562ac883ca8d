"""The documentation as tests read it: its pages, and the commands in them."""

from __future__ import annotations

from pathlib import Path

from conftest import ROOT

from benchwright.cli import commands

DOCS = ROOT / "docs"


COMMANDS = dict(commands())


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")
