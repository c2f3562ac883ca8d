"""Shared parts of the construction tests: a context, and randomly drawn pictures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from chat_server import ChatServer
from step_context import StepContext


@pytest.fixture
def context(tmp_path: Path) -> StepContext:
    """A folder that steps can run in."""
    return StepContext(tmp_path)


@pytest.fixture(scope="session")
def photo() -> np.ndarray:
    """A photograph that ships in a wheel: a cat, (300, 451, 3)."""
    from skimage.data import chelsea

    return np.ascontiguousarray(chelsea())


@pytest.fixture
def server(chat_server: ChatServer) -> ChatServer:
    """A model behind an endpoint on the loopback; what it says is the test's."""
    return chat_server
