"""The tools that read exports, in a separate environment without Benchwright, and the data they read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import ROOT
from exported_releases import Expected, expected_items
from nasty_release import nasty_release

from benchwright.exports import export_release
from benchwright.release import Release

NO_CONSUMERS = "no environment with the tools that read exports: make consumers"


@pytest.fixture(scope="session")
def consumer_python() -> Path:
    """The interpreter that `make consumers` leaves, or that the environment names."""
    named = os.environ.get("BENCHWRIGHT_CONSUMERS_PYTHON")
    python = Path(named or ROOT / ".venv-consumers" / "bin" / "python")
    if not python.is_file():
        pytest.skip(NO_CONSUMERS)
    return python


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return nasty_release(tmp_path_factory.mktemp("nasty") / "r")


@pytest.fixture(scope="session")
def expected(release: Release) -> list[Expected]:
    return expected_items(release)


@pytest.fixture
def export(request: pytest.FixtureRequest, release: Release, tmp_path: Path) -> Path:
    """The release, exported to the format that the test's module names."""
    folder = tmp_path / "export"
    export_release(release, request.module.FORMAT, folder)
    return folder
