"""The import graph: rooms import layers and spine and never each other, except the audit, which imports other rooms'
public packages.

Layers are in between: faults of a set, files of questions, replies. The spine imports no layer and no room.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from conftest import ROOT
from import_graph import imports, modules, tree_of

pytestmark = pytest.mark.slow

ROOMS = ("annotation", "audit", "construction", "evaluation", "exports", "filters")
ABOVE = ("audit",)
"""Rooms that may import the others; none imports them."""
LAYERS: dict[str, tuple[str, ...]] = {"diagnostics": ("replies",), "question_files": (), "replies": ()}
"""Packages between spine and rooms, with the other ones that each may import."""
SPINE = ROOT / "benchwright"
SCRIPTS = {ROOT / "annotation" / "app" / "script" / "screen.py"}
"""Run by Streamlit as a program of its own, in no package: nothing is relative to it."""


def _modules(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        if not any(SPINE / part in path.parents for part in ROOMS):
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
        elif target is not None and target != room and room not in ABOVE:
            found.append(f"{where} imports {module!r} from {room or 'the spine'}")
        elif target is not None and target == room and path not in SCRIPTS:
            found.append(f"{where} imports its own room absolutely; use a relative import")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_the_spine_and_itself_only(room: str) -> None:
    assert [wrong for path in sorted((ROOT / room).rglob("*.py")) for wrong in _wrong(path, room)] == []


def test_the_spine_imports_no_room() -> None:
    paths = list(_modules(SPINE))
    assert len(paths) > 30
    assert [wrong for path in paths for wrong in _wrong(path, None)] == []


def test_the_audit_imports_other_rooms_by_their_faces() -> None:
    """`from benchwright.exports import compare_releases`, and no module below `benchwright.exports`."""
    others = tuple(f"benchwright.{room}." for room in ROOMS if room != "audit")
    found = {
        f"{importer} imports {module.module}"
        for importer, founds in imports().items()
        for module in founds
        if importer.startswith("benchwright.audit.") and module.module.startswith(others)
    }  # fmt: skip
    assert sorted(found) == []


def _layer_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "benchwright" and len(parts) > 1 and parts[1] in LAYERS else None


def test_the_spine_imports_no_layer_and_layers_import_only_those_below() -> None:
    found = []
    for path in _modules(SPINE):
        own = _layer_of(".".join(("benchwright", *path.relative_to(SPINE).with_suffix("").parts)))
        for line, module, level in _imports(path):
            target = _layer_of(module) if level == 0 else None
            if target not in (None, own, *(LAYERS[own] if own else ())):
                found.append(f"{path}:{line} imports {module!r} from {own or 'the spine'}")
    assert found == []


def test_each_room_is_a_relative_link_into_the_package() -> None:
    assert {room: (SPINE / room).readlink().as_posix() for room in ROOMS} == {room: f"../{room}" for room in ROOMS}


def _imported_folders(path: Path) -> Iterator[Path]:
    """Yield the folder of each module of the same room that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("benchwright.")):
            start = path.parents[node.level - 1] if node.level else ROOT
            module = start.joinpath(*(node.module or "").split(".") if node.module else ())
            for alias in node.names:
                if (module / alias.name).is_dir():
                    yield module / alias.name
                else:
                    yield module if module.is_dir() else module.parent


def _folders_imported_by(modules: Iterable[Path]) -> dict[Path, set[Path]]:
    imported: dict[Path, set[Path]] = {}
    for path in modules:
        imported.setdefault(path.parent, set()).update(set(_imported_folders(path)) - {path.parent})
    return imported


@pytest.mark.parametrize("folder", ROOMS)
def test_the_folders_of_a_room_are_layers(folder: str) -> None:
    """None imports a folder that imports it, not even for types."""
    try:
        TopologicalSorter(_folders_imported_by(sorted((ROOT / folder).rglob("*.py")))).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(str(folder.relative_to(ROOT)) for folder in error.args[1]))


def test_the_folders_of_the_spine_are_layers() -> None:
    """Modules directly in `benchwright/`, such as records and steps, belong to no folder."""
    imported = _folders_imported_by(path for path in _modules(SPINE) if path.parent != SPINE)
    try:
        TopologicalSorter({folder: others - {SPINE} for folder, others in imported.items()}).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(str(folder.relative_to(ROOT)) for folder in error.args[1]))


def test_no_module_imports_one_that_imports_it() -> None:
    """Neither in a function nor for types."""
    graph = {name: {found.module for found in founds} - {name} for name, founds in imports().items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_folders_that_import_each_other_are_seen(tmp_path: Path) -> None:
    for name, line in (("low", "from ..high.b import x"), ("high", "from ..low import a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        (tmp_path / name / f"{'a' if name == 'low' else 'b'}.py").write_text(line, encoding="utf-8")
    with pytest.raises(CycleError):
        TopologicalSorter(_folders_imported_by(tmp_path.rglob("*.py"))).prepare()


@pytest.mark.parametrize(
    "line",
    [
        "import filters",
        "from evaluation import metrics",
        "from benchwright import filters",
        "from benchwright.audit import audit",
    ],
)
def test_a_wrong_arrow_is_seen(tmp_path: Path, line: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(line, encoding="utf-8")
    assert len(_wrong(path, None)) == 1


def test_class_names_are_unique() -> None:
    """Private ones too."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, path in modules().items():
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(name)
    assert len(found) > 1000
    assert {name: places for name, places in sorted(found.items()) if len(places) > 1} == {}
