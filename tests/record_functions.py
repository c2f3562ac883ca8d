"""Functions and a worker context for the tests of maps over records; a separate module because workers import it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchwright.errors import DataError, PrerequisiteError


class WorkerThere:
    """A worker's context that opens nothing."""

    def close_others(self, stages: Sequence[object]) -> None:
        """Close nothing."""


def halved(number: int) -> bytes:
    """Return half of an even number, as bytes."""
    if number % 2:
        raise DataError(f"{number} is odd")
    return str(number // 2).encode()


def process_of(_: int) -> int:
    """Return the id of the running process."""
    return os.getpid()


def told(what: str) -> str:
    """Return the given text, or do what it requests."""
    if what == "defect":
        raise KeyError("secret place")
    if what == "death":
        os._exit(3)
    if what == "weights":
        raise PrerequisiteError("no weights")
    return what
