"""Tables and code spans of a card, escaped so that no cell reads as markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchwright.texts.normalization import counted


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; its cells are already Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def amount(number: int, one: str, several: str, *, version: int) -> str:
    """Return a number with its noun; cards before version 7 have the plural after every number."""
    return counted(number, one, several) if version >= 7 else f"{number} {several}"


def code(text: str) -> str:
    """Return a name escaped for a code span in a table cell."""
    return f"`{re.sub(r'[`|]', '', ' '.join(text.split()))}`"


def cell(text: str) -> str:
    """Return text escaped so that it stays inside one table cell and does not read as markup."""
    line = " ".join(text.split())
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", line)
