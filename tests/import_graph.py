"""The structure of the code: its modules, their imports, and the map of its folders in docs/code-map.md."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from conftest import ROOT

ROOMS = ("annotation", "audit", "construction", "evaluation", "exports", "filters")
PAGE = ROOT / "docs" / "code-map.md"


@dataclass(frozen=True)
class Import:
    """One name that a module imports, by a statement anywhere in it.

    Args:
        module: The module that is imported, or the package where no module is named (`from benchwright.exports import freeze_workspace`).
        line: Line of the statement.
    """

    module: str
    line: int


@lru_cache
def modules() -> dict[str, Path]:
    """Every module of the spine, the layers and the rooms by its dotted name, sorted; packages by their own."""
    found = {}
    for top in ("benchwright", *ROOMS):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if parts[0] == "benchwright" and len(parts) > 1 and parts[1] in ROOMS:
                continue  # the committed link; the room itself is walked
            named = parts if parts[0] == "benchwright" else ("benchwright", *parts)
            found[".".join(named[:-1] if named[-1] == "__init__" else named)] = path
    return dict(sorted(found.items()))


@lru_cache
def tree_of(path: Path) -> ast.Module:
    """A module's syntax tree, read once a session."""
    return ast.parse(path.read_text(encoding="utf-8"))


@lru_cache
def imports() -> dict[str, tuple[Import, ...]]:
    """What each module imports from Benchwright, including imports in functions and for types."""
    known = modules()
    return {
        name: tuple(found for found in _imported(name, path) if found.module in known) for name, path in known.items()
    }


def _imported(name: str, path: Path) -> list[Import]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += [Import(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *((node.module or "").split(".") if node.module else ())])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                found.append(Import(inner if inner in modules() else base, node.lineno))
    return found


def folder_of(name: str) -> str:
    """The folder that contains a module, from the root of the checkout, as in `annotation/forms`."""
    return modules()[name].parent.relative_to(ROOT).as_posix()


def folders() -> set[str]:
    """Every folder with modules."""
    return {folder_of(name) for name in modules()}


def mapped_folders() -> list[tuple[int, str]]:
    """The folders on the map, in its order, each with the number of its line.

    A line is indented under its parent folder. Its first name, and each after a comma, lie there; others lie in the
    nearest earlier one that does.

    Raises:
        ValueError: A line is not a list of folders, two spaces, and words.
    """
    lines = PAGE.read_text(encoding="utf-8").split("## Folders\n", 1)[1].split("```text\n", 1)[1].splitlines()
    found: list[tuple[int, str]] = []
    parents: dict[int, str] = {}
    for number, line in enumerate(takewhile(lambda line: line != "```", lines)):
        match = re.fullmatch(r"( *)(\S+/,?(?: \S+/,?)*)  +\S.*", line)
        if match is None:
            raise ValueError(f"line {number + 1} of the map is no list of folders followed by words: {line!r}")
        parent = outer = parents[len(match[1])] if match[1] else ""
        beside = True
        for name in match[2].split():
            folder = (outer if beside else parent) + name.rstrip(",")
            if beside:
                parent = folder
            beside = name.endswith(",")
            found.append((number, folder.rstrip("/")))
        parents[len(match[1]) + 2] = outer + match[2].split()[0].rstrip(",")
    return found
