"""Shared parts of the filter tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from step_context import StepContext


@pytest.fixture
def context(tmp_path: Path) -> StepContext:
    """A folder that steps can run in."""
    return StepContext(tmp_path)
