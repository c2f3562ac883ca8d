"""What a user installs: the wheel in an empty environment, alone and with each extra, where the demo then runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT

from benchwright.cli.demo import prepare_photographs

EXTRAS = tuple(
    extra
    for extra in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    if extra not in {"all", "dev", "docs"}  # collections of the others, and what only a checkout needs
)
OTHER_VERSIONS = {"labelstudio", "ocr-paddle"}
"""Extras whose packages hold OpenCV, and one of them NumPy, at older versions; pixels come out otherwise there."""

PAGE = ROOT / "docs" / "installing.md"
SIZE_TOLERANCE = 0.15


class Installed(NamedTuple):
    """An environment, the extra that it has (empty for the base), and the size of its packages in MB."""

    python: Path
    extra: str
    size_mb: float


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the unpacked source distribution."""
    folder = tmp_path_factory.mktemp("built")
    source = _build(ROOT, "sdist", folder / "sdist")
    with tarfile.open(source) as file:
        file.extractall(folder, filter="data")
    return _build(folder / source.name.removesuffix(".tar.gz"), "wheel", folder / "wheel")


def _build(source: Path, target: str, out: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    [built] = out.iterdir()
    return built


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    prepare_photographs(folder)
    return folder


@pytest.fixture(scope="module", params=["", *EXTRAS], ids=lambda extra: extra or "base")
def installed(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    before = _size_mb(folder)
    extra = request.param
    package = f"{wheel}[{extra}]" if extra else str(wheel)
    _pip(python, "install", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), package)
    yield Installed(python, extra, _size_mb(folder) - before)
    shutil.rmtree(folder)  # at once: all together take several gigabytes


def _pip(python: Path, *words: str) -> None:
    done = subprocess.run([python, "-m", "pip", "--quiet", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _size_mb(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def _benchwright(installed: Installed, *words: str, cwd: Path) -> Any:
    command = [installed.python.with_name("benchwright"), *words, "--json"]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def made_here(photographs: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of the demo's release as this environment makes it."""
    out = tmp_path_factory.mktemp("here")
    shutil.copytree(photographs, out / "photographs")
    return _demo(Installed(Path(sys.executable), "", 0), out)["release"].rpartition("/")[2]


def _demo(installed: Installed, out: Path) -> Any:
    return _benchwright(installed, "demo", "--out", str(out), "--headless", cwd=out)


def test_the_demo_runs_and_makes_the_same_release(
    installed: Installed, photographs: Path, made_here: str, tmp_path: Path
) -> None:
    """The photographs lie there already: they come with the extra `demo` alone."""
    shutil.copytree(photographs, tmp_path / "photographs")
    document = _demo(installed, tmp_path)
    assert document["state"] == "done"
    assert document["items"]["released"] > 150
    assert installed.extra in OTHER_VERSIONS or document["release"].endswith(made_here)


def test_versions_go_together_and_the_doctor_finds_the_extra(installed: Installed, tmp_path: Path) -> None:
    _pip(installed.python, "check")
    checks = _benchwright(installed, "doctor", cwd=tmp_path)["checks"]
    of_extra = [check for check in checks if f"benchwright[{installed.extra}]" in (check["fix"] or "")]
    assert not of_extra, of_extra


def test_the_page_gives_the_size(installed: Installed) -> None:
    rows = re.findall(r"^\| (base|`\w[\w-]*`) \| [^|]* \| ([\d,]+) MB \|", PAGE.read_text(encoding="utf-8"), flags=re.M)
    sizes = {name.strip("`"): float(size.replace(",", "")) for name, size in rows}
    assert sizes[installed.extra or "base"] == pytest.approx(installed.size_mb, rel=SIZE_TOLERANCE)


def test_without_its_photographs_the_demo_names_the_extra(installed: Installed, tmp_path: Path) -> None:
    if installed.extra in {"demo"}:
        _demo(installed, tmp_path)
        return
    command = [installed.python.with_name("benchwright"), "demo", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'benchwright[demo]'" in done.stderr
