"""The built distribution and the files that tools check: every file once, however many links lead to it."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

pytestmark = pytest.mark.slow

ROOMS = ("annotation", "audit", "construction", "evaluation", "exports", "filters")


def _tracked(*patterns: str) -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return sorted(name for name in done.stdout.split("\0") if name and not (ROOT / name).is_symlink())


def _packaged() -> list[str]:
    """Return the files of the package by their names in it: those of a room below the package as well."""
    names = _tracked("benchwright", *ROOMS)
    return sorted(name if name.startswith("benchwright/") else f"benchwright/{name}" for name in names)


def _build(source: Path, target: str, out: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    [built] = out.iterdir()
    return built


def _files_of_wheel(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as file:
        return sorted(name for name in file.namelist() if ".dist-info/" not in name)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(_build(ROOT, "sdist", folder / "built")) as file:
        file.extractall(folder, filter="data")
    [unpacked] = (path for path in folder.iterdir() if path.name != "built")
    return unpacked


def test_a_wheel_holds_every_file_of_the_package_once(tmp_path: Path) -> None:
    assert _files_of_wheel(_build(ROOT, "wheel", tmp_path)) == _packaged()


def test_a_source_distribution_holds_every_file_once(source: Path) -> None:
    files = [path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()]
    assert sorted(name for name in files if name.startswith("benchwright/")) == _packaged()
    assert not any(name.split("/")[0] in ROOMS for name in files)


def test_a_wheel_from_the_source_distribution_is_the_same(source: Path, tmp_path: Path) -> None:
    assert _files_of_wheel(_build(source, "wheel", tmp_path)) == _packaged()


def test_the_citation_and_the_changelog_name_the_version_that_is_built(source: Path) -> None:
    citation = yaml.safe_load((source / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {name: citation[name] for name in ("version", "license")} == {
        name: project[name] for name in ("version", "license")
    }
    assert [{"name": author["name"]} for author in citation["authors"]] == project["authors"]
    assert re.search(rf"^## .*\b{re.escape(project['version'])}\b", (source / "CHANGELOG.md").read_text("utf-8"), re.M)


def test_no_file_of_the_repository_is_ignored_by_it() -> None:
    """Ignored files are left out of what is built, though they are tracked."""
    done = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []


def test_ruff_looks_at_every_file_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-files", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = [Path(line).resolve().relative_to(ROOT).as_posix() for line in done.stdout.splitlines()]
    assert [name for name, times in Counter(seen).items() if times > 1] == []
    assert sorted(name for name in seen if name.endswith((".py", ".pyi"))) == _tracked("*.py", "*.pyi")


def test_mypy_looks_at_every_module_once() -> None:
    from mypy.find_sources import create_source_list  # noqa: F401 - the tests need mypy's own search
    from mypy.modulefinder import FindModuleCache, SearchPaths

    cache = FindModuleCache(SearchPaths((str(ROOT),), (), (), ()), None, None)
    found = [Path(source.path or "").resolve() for source in cache.find_modules_recursive("benchwright")]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    stubs = {name.removesuffix("i") for name in _tracked("*.pyi")}
    modules = [
        name
        for name in _tracked(
            "benchwright/*.py",
            "benchwright/*.pyi",
            *(f"{room}/*.py" for room in ROOMS),
            *(f"{room}/*.pyi" for room in ROOMS),
        )
        if name not in stubs
    ]
    assert sorted(names) == sorted(modules)
