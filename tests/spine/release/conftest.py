"""The small benchmark as a fixture, and a folder's bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_bench import Bench, small_bench


@pytest.fixture(scope="session")
def bench() -> Bench:
    """Shared by all tests, which do not change it."""
    return small_bench()


@pytest.fixture(scope="session")
def tree() -> Callable[[Path], dict[str, bytes]]:
    """Return a function that reads every file of a folder."""
    return lambda folder: {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
