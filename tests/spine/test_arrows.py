"""The import graph: rooms import the spine and never each other, the spine imports no room."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

ROOMS = ("annotation", "construction", "evaluation", "exports", "filters")
SPINE = ROOT / "benchwright"
SCRIPTS = {ROOT / "annotation" / "app" / "screen.py"}
"""Run by Streamlit as a program of its own, in no package: nothing is relative to it."""


def _modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        if not any(part in ROOMS and (SPINE / part) in [path, *path.parents] for part in path.parts):
            yield path


def _imports(path: Path) -> Iterator[tuple[int, str, int]]:
    """Yield (line, module, level of a relative import) for every import, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, 0
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "", node.level
            if node.module == "benchwright":
                for alias in node.names:
                    yield node.lineno, f"benchwright.{alias.name}", 0


def _room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "benchwright" and len(parts) > 1 and parts[1] in ROOMS else None


def _wrong(path: Path, room: str | None) -> list[str]:
    found = []
    for line, module, level in _imports(path):
        target = _room_of(module) if level == 0 else None
        where = f"{path}:{line}"
        if level == 0 and module.split(".")[0] in ROOMS:
            found.append(f"{where} imports {module!r} bare; write benchwright.{module} or a relative import")
        elif target is not None and target != room:
            found.append(f"{where} imports {module!r} from {room or 'the spine'}")
        elif target is not None and path not in SCRIPTS:
            found.append(f"{where} imports its own room absolutely; use a relative import")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_the_spine_and_itself_only(room: str) -> None:
    assert [wrong for path in sorted((ROOT / room).rglob("*.py")) for wrong in _wrong(path, room)] == []


def test_the_spine_imports_no_room() -> None:
    paths = list(_modules(SPINE))
    assert len(paths) > 30
    assert [wrong for path in paths for wrong in _wrong(path, None)] == []


def test_each_room_is_a_relative_link_into_the_package() -> None:
    assert {room: (SPINE / room).readlink().as_posix() for room in ROOMS} == {room: f"../{room}" for room in ROOMS}


@pytest.mark.parametrize(
    "line", ["import filters", "from evaluation import metrics", "from benchwright import filters"]
)
def test_a_wrong_arrow_is_seen(tmp_path: Path, line: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(line, encoding="utf-8")
    assert len(_wrong(path, None)) == 1
