"""The real PaddleOCR, in a separate environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(Path(__file__).parent.parent))

from step_context import StepContext

NO_PADDLE = "no environment with PaddleOCR: make paddle"


@pytest.fixture(scope="session")
def paddle_python() -> Path:
    """The interpreter that `make paddle` leaves, or that the environment names."""
    python = Path(os.environ.get("BENCHWRIGHT_PADDLE_PYTHON") or ROOT / ".venv-paddle" / "bin" / "python")
    if not python.is_file():
        pytest.skip(NO_PADDLE)
    return python


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the bundled models' folders are written once."""
    return tmp_path_factory.mktemp("models")


@pytest.fixture
def context(tmp_path: Path, model_cache: Path) -> StepContext:
    """A folder that steps can run in, with the models' folders kept between tests."""

    class Kept(StepContext):
        @property
        def cache_dir(self) -> Path:
            return model_cache

    return Kept(tmp_path)
