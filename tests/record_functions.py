"""Functions and a worker context for the tests of maps over records; a module of their own because workers import it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchwright.errors import DataError, PrerequisiteError


class WorkerThere:
    """A worker's context that opens nothing."""

    def close_others(self, stages: Sequence[object]) -> None:
        """Close nothing."""


def halved(number: int) -> bytes:
    """Return half of an even number, spelled."""
    if number % 2:
        raise DataError(f"{number} is odd")
    return str(number // 2).encode()


def process_of(_: int) -> int:
    """Return the id of the process that is asked."""
    return os.getpid()


def told(what: str) -> str:
    """Return what is given, or do what it says."""
    if what == "defect":
        raise KeyError("secret place")
    if what == "death":
        os._exit(3)
    if what == "weights":
        raise PrerequisiteError("no weights")
    return what
