"""The public names of a package: each exists, is typed and loads on first use, and there are no others."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

ROOMS = ("annotation", "audit", "construction", "evaluation", "exports", "filters")
STUBS = sorted(
    path for top in ("benchwright", *ROOMS) for path in (ROOT / top).rglob("__init__.pyi")
    if not (path.is_relative_to(ROOT / "benchwright") and path.relative_to(ROOT / "benchwright").parts[0] in ROOMS)
)  # fmt: skip


def _module(stub: Path) -> str:
    parts = stub.parent.relative_to(ROOT).parts
    return ".".join(parts if parts[0] == "benchwright" else ("benchwright", *parts))


def test_each_room_and_the_spine_say_what_they_offer() -> None:
    assert {_module(stub) for stub in STUBS} >= {"benchwright", *(f"benchwright.{room}" for room in ROOMS)}


@pytest.mark.parametrize("stub", STUBS, ids=_module)
def test_every_listed_name_can_be_had(stub: Path) -> None:
    package = importlib.import_module(_module(stub))
    assert [name for name in package.__all__ if getattr(package, name, None) is None] == []


@pytest.mark.parametrize("stub", STUBS, ids=_module)
def test_every_name_is_listed_once_and_so_that_type_checkers_take_it_as_offered(stub: Path) -> None:
    lines = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    names = [alias for node in lines for alias in node.names]
    assert [alias.name for alias in names if alias.asname != alias.name] == []
    assert len({alias.name for alias in names}) == len(names)


@pytest.mark.parametrize("stub", STUBS, ids=_module)
def test_the_package_itself_lists_nothing_again(stub: Path) -> None:
    code = ast.parse(stub.with_suffix(".py").read_text(encoding="utf-8")).body
    imported = [node for node in code if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imported] == ["import lazy_loader"]


def test_no_other_name_is_made_up() -> None:
    import benchwright

    with pytest.raises(AttributeError, match="Itme"):
        _ = benchwright.Itme  # type: ignore[attr-defined]


def test_importing_packages_loads_nothing_of_what_they_offer() -> None:
    names = [_module(stub) for stub in STUBS]
    code = f"import importlib, sys; [importlib.import_module(n) for n in {names!r}]; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {
        name
        for name in done.stdout.split()
        if name.partition(".")[0] in {"benchwright", "numpy", "pydantic", "pyarrow"}
    }
    assert loaded == {*names}
